// The cells of an Arrow array as texts, one at a time: any type that has a text, nested ones too.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/signature/row_sum.h"

namespace arrow {
class Array;
}

namespace tidegate::signature {

class CellText {
 public:
  virtual ~CellText() = default;
  /// Append the text of a row's value, null too.
  void Append(int64_t row, std::string& out) const;

 protected:
  explicit CellText(const arrow::Array& array) : array_(array) {}
  virtual void AppendValue(int64_t row, std::string& out) const = 0;

 private:
  const arrow::Array& array_;
};

/// Which leaves of a nested column are text although Arrow reads them as binary (Parquet's ENUM), in their order.
using TextLeaves = std::deque<bool>;

/// Errors: Unsupported (a type that has no text, with the column's name). Requires: `array` outlives the result.
Result<std::unique_ptr<CellText>> MakeCellText(const arrow::Array& array, std::string_view column,
                                               TextLeaves text = {});

/// Rows of an Arrow array as a column to be signed. Their texts are made ahead, some rows at a time.
class ArrowColumn final : public ColumnText {
 public:
  /// Errors: as MakeCellText.
  static Result<ArrowColumn> Make(std::shared_ptr<arrow::Array> array, std::string_view column, TextLeaves text = {});

  /// Make the texts of the next rows, at most `most` of them and about a megabyte; returns of how many, at least one.
  /// Requires: `most` rows from `first` on are there.
  size_t Prepare(int64_t first, size_t most);

  /// Of what was prepared, the first `rows` are done with.
  void Skip(size_t rows) { skipped_ += rows; }

  size_t FixedRoom() const override { return 0; }
  bool Varies() const override { return true; }
  void AddRoom(std::span<uint64_t> room) const override;
  void Write(size_t first, std::span<char*> ends) const override;

 private:
  ArrowColumn(std::shared_ptr<arrow::Array> array, std::unique_ptr<CellText> cells);
  std::string_view TextAt(size_t row) const;

  std::shared_ptr<arrow::Array> array_;
  std::unique_ptr<CellText> cells_;
  std::string texts_;
  std::vector<size_t> ends_;  // of each prepared text
  size_t skipped_ = 0;
};

}  // namespace tidegate::signature
