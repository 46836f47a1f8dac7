// The cells of an Arrow array, one at a time: any type that has a signature, nested ones too.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/signature/value_element.h"

namespace arrow {
class Array;
}

namespace tidegate::signature {

class Cells {
 public:
  virtual ~Cells() = default;
  bool IsNull(int64_t row) const;
  /// Append the text that a row's value has inside of a nested one, null too.
  void AppendText(int64_t row, std::string& out) const;
  Element ElementAt(int64_t row) const;

  /// Of text and binary: its kind, where ElementAt is that of hashed bytes alone; and the bytes of a row that is not
  /// null.
  virtual std::optional<Kind> HashedKind() const { return std::nullopt; }
  virtual std::string_view BytesAt(int64_t) const { return {}; }

 protected:
  explicit Cells(const arrow::Array& array) : array_(array) {}
  virtual void AppendValue(int64_t row, std::string& out) const = 0;
  /// As it stands here: of a nested value.
  virtual Element ValueElement(int64_t row) const;

 private:
  const arrow::Array& array_;
};

/// Which leaves of a nested column are text although Arrow reads them as binary (Parquet's ENUM), in their order.
using TextLeaves = std::deque<bool>;

/// Errors: Unsupported (a type that has no signature, with the column's name). Requires: `array` outlives the result.
Result<std::unique_ptr<Cells>> MakeCells(const arrow::Array& array, std::string_view column, TextLeaves text = {});

}  // namespace tidegate::signature
