// Values of a DuckDB chunk as text: the text DuckDB itself casts to, or JSON.
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/owned.h"

namespace tidegate::engine {

/// A DuckDB type, taken apart once for a column.
class CellType {
 public:
  /// Errors: Unsupported (a type whose values the C interface does not show: VARIANT, GEOMETRY, BIGNUM, …), with what
  /// to do instead.
  static Result<CellType> Make(OwnedType type);

  /// DuckDB's name: "DECIMAL(9,2)", "STRUCT(a INTEGER, b VARCHAR[])".
  std::string Name() const;
  bool IsNumber() const;

  /// Append the value of a row as DuckDB casts it to VARCHAR. Requires: it is not null.
  void AppendText(duckdb_vector vector, idx_t row, std::string& out) const;

  /// Append the value of a row as JSON, null too. Numbers are bare where a double holds them exactly (whole numbers
  /// within ±2^53, floats), else strings; decimals are strings, so are NaN and infinities; lists are arrays, structs
  /// objects, maps with text keys objects, other maps arrays of {"key", "value"}; all else is its text as a string.
  void AppendJson(duckdb_vector vector, idx_t row, std::string& out) const;

 private:
  CellType() = default;
  static Result<CellType> MakeNested(OwnedType type, duckdb_type id);

  OwnedValue ValueAt(duckdb_vector vector, idx_t row) const;
  OwnedValue ScalarAt(duckdb_vector vector, idx_t row) const;
  OwnedValue DecimalAt(duckdb_vector vector, idx_t row) const;
  OwnedValue EnumAt(duckdb_vector vector, idx_t row) const;
  OwnedValue NestedAt(duckdb_vector vector, idx_t row) const;
  void AppendNestedJson(duckdb_vector vector, idx_t row, std::string& out) const;
  void AppendListJson(duckdb_vector child, idx_t offset, idx_t length, std::string& out) const;
  void AppendMapJson(duckdb_vector vector, idx_t row, std::string& out) const;
  void AppendStructJson(duckdb_vector vector, idx_t row, std::string& out) const;

  duckdb_type id_ = DUCKDB_TYPE_INVALID;
  duckdb_type stored_as_ = DUCKDB_TYPE_INVALID;  // decimals and enums
  uint8_t width_ = 0;                            // decimals
  uint8_t scale_ = 0;
  idx_t array_size_ = 0;
  OwnedType type_;
  std::vector<std::string> names_;  // of children: struct fields, union members
  std::vector<CellType> children_;  // element; key and value; fields; members
};

bool IsNull(duckdb_vector vector, idx_t row);

}  // namespace tidegate::engine
