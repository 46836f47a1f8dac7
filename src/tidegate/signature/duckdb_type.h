// A DuckDB type, read from the name that DuckDB gives it: "DECIMAL(9,2)", "STRUCT(a INTEGER, \"b c\" VARCHAR[])".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"

namespace tidegate::signature {

/// What a value's text depends on.
enum class SqlKind {
  kNull,
  kBool,
  kInteger,
  kDecimal,
  kFloat,
  kText,
  kBinary,
  kDate,
  kTime,
  kTimeNanos,
  kTimeWithOffset,
  kTimestamp,
  kTimestampNanos,
  kUuid,
  kList,
  kStruct,
  kMap,
};

struct DuckDbType {
  SqlKind kind = SqlKind::kNull;
  int width = 0;  // bits of an integer, digits of a decimal
  int scale = 0;
  std::vector<std::string> names = {};    // of a struct's fields
  std::vector<DuckDbType> children = {};  // fields; element; key and value

  /// Errors: Unsupported (a type without a signature, or one that is not known).
  static Result<DuckDbType> Parse(std::string_view name);
};

}  // namespace tidegate::signature
