// A small table in DuckDB's memory out of rows we already have (a lake's history, for one).
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::query {

struct RowsColumn {
  std::string name;
  std::string type;  // DuckDB's: "VARCHAR", "BIGINT", "TIMESTAMP WITH TIME ZONE", "VARCHAR[]"
};

/// Create main.<name> with these rows; values are text that DuckDB casts to the column's type, null as nullopt.
/// Errors: InvalidArgument (a row of another length, a value that is not of its type, a name that is taken).
Status CreateRowsTable(engine::DuckDb& db, const std::string& name, const std::vector<RowsColumn>& columns,
                       const std::vector<engine::TextRow>& rows);

}  // namespace tidegate::query
