// The cells of one column of a batch in their canonical form: equal values have equal bytes whatever the file stores
// them as (docs/formats/keys.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace arrow {
class Array;
}

namespace tidegate::parquet {

class KeyCells {
 public:
  virtual ~KeyCells() = default;
  virtual bool IsNull(int64_t row) const = 0;
  /// Append the canonical form: tag, length, bytes. Requires: not null.
  virtual void AppendKey(int64_t row, std::string& out) const = 0;
  /// Append bytes that memcmp puts in the order of the values. Requires: not null.
  virtual void AppendOrder(int64_t row, std::string& out) const = 0;
};

/// Errors: Unsupported (nested and other types without a canonical form), Corruption (a time that is not a whole number
/// of microseconds or does not fit); without the object's name. Requires: `array` outlives the cells.
Result<std::unique_ptr<KeyCells>> MakeKeyCells(const arrow::Array& array, std::string_view column);

/// The canonical form of a null part of a key.
void AppendNullKey(std::string& out);

}  // namespace tidegate::parquet
