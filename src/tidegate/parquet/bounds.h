// Least and greatest value of a column over row groups, from Parquet's statistics to Iceberg's single-value binary form
// (Iceberg spec, appendix D).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/schema/schema.h"

namespace tidegate::parquet {

class Bounds {
 public:
  /// `as_integer`: a decimal's statistics are little-endian integers instead of big-endian bytes.
  Bounds(const schema::Type& type, bool as_integer) : type_(type), as_integer_(as_integer) {}

  /// Take in one row group's least and greatest value in Parquet's plain encoding.
  void Add(std::string_view min, std::string_view max);
  /// A row group with values but without usable statistics: nothing is known about the column.
  void AddUnknown() { unknown_ = true; }

  /// Absent where nothing is known, or where a cut string has no successor.
  std::optional<std::string> lower() const;
  std::optional<std::string> upper() const;

 private:
  struct Value {
    std::string bytes;  // as Iceberg writes it, strings and binary not cut yet
    std::string order;  // memcmp-ordered
  };
  std::optional<Value> Decode(std::string_view plain) const;
  std::optional<Value> DecodeFloating(double value) const;
  std::optional<Value> DecodeDecimal(std::string_view plain) const;

  schema::Type type_;
  bool as_integer_;
  bool unknown_ = false;
  std::optional<Value> min_;
  std::optional<Value> max_;
};

/// The first `code_points` of a UTF-8 text; nullopt where it is not valid UTF-8.
std::optional<std::string_view> CutText(std::string_view text, size_t code_points);

/// The least text that is greater than every text starting with `prefix`: its last code point that can grow is
/// increased, what follows is dropped. Requires: valid UTF-8. nullopt where there is none.
std::optional<std::string> TextAfter(std::string_view prefix);

}  // namespace tidegate::parquet
