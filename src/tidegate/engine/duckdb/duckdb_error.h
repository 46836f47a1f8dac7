// DuckDB's errors as a Status: the code from DuckDB's error type, never from the text of its message.
#pragma once

#include <duckdb.h>

#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate::engine {

/// Translate one error. The message is DuckDB's first lines, control characters escaped.
Status DuckDbError(duckdb_error_type type, std::string_view message);

/// The error of a result or of error data; Ok where there is none.
Status ResultError(duckdb_result& result);
Status DataError(duckdb_error_data error);

}  // namespace tidegate::engine
