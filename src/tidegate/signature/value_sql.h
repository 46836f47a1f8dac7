// What signatures need of a value, in DuckDB's SQL: expressions over `value`, which is an expression, too.
#pragma once

#include <string>

#include "tidegate/signature/duckdb_type.h"

namespace tidegate::signature {

/// Of a float: is it taken as a number?
std::string IsWholeSql(const std::string& value);

/// Of a timestamp: what files hold for it. An infinite one has a number there.
std::string MicrosSql(const std::string& value);
std::string NanosSql(const std::string& value);

/// Of a time with an offset: microseconds since midnight in UTC.
std::string UtcMicrosSql(const std::string& value);

/// The text that a value has inside of a nested one, and a nested one itself (docs/formats/signature.md).
std::string NestedTextSql(const DuckDbType& type, const std::string& value);

}  // namespace tidegate::signature
