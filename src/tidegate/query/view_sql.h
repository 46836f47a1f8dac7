// A lake table as a SELECT over its Parquet files, in DuckDB's SQL. Pure: nothing is opened here.
//
// Guarantees
// - The columns are those of the table's current schema, in order, with their types. Columns match by name, as the
// files
//   hold no field ids; a column that a file lacks is null there; what a file holds beyond the schema is not shown.
// - An identity partition value comes from the manifest and wins over a column of that name in the file.
// - Rows that a position delete names are not there. Files without deletes pay nothing for that.
// - Paths are literal: brackets, stars, question marks, "key=value" folders mean nothing.
//
// How: DuckDB's read_parquet with its `schema` map, keyed by the physical names, and its virtual columns file_index and
// file_row_number. Files are read in groups of at most kFilesOfScan, because the constants of a group are lists that
// are indexed by file_index: such lists fold into filters and cost little while they are short (measured: 300 files of
// 20,000 rows, count 0.1 s, filter on a partition value 0.1 s; a join on the file name 0.3 s, one scan per file 1 s).
//
// Not here: renamed fields inside nested columns (they match by their current names); equality deletes.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/schema/schema.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/table/metadata.h"

namespace tidegate::query {

inline constexpr size_t kFilesOfScan = 512;

/// What a view is made of: the state of one table.
struct TableState {
  schema::Schema schema;
  std::vector<table::PartitionSpec> specs;
  std::vector<table::NameMapping> mapping;  // empty: fields are called in files as in the schema
  table::LiveFiles files;
};

enum class RowsOf {
  kLive,     // of the data files, without those that a position delete names
  kDeleted,  // those that a position delete names
};

/// The SELECT that gives the table's rows.
/// Errors: Unsupported (a file that is not Parquet, or not on this machine), Corruption (a file whose partition values
/// do not fit its spec).
Result<std::string> SelectSql(const TableState& table, RowsOf rows = RowsOf::kLive);

/// DuckDB's name of an Iceberg type: "BIGINT", "STRUCT(\"a\" INTEGER)".
std::string DuckDbType(const schema::Type& type);

/// What DuckDB's readers of files take for a location: "file:///a/b", as Spark writes it "file:/a/b" → "/a/b", with
/// globs made literal; "s3a://b/k" → "s3://b/k". Errors: Unsupported.
Result<std::string> EnginePathOf(const std::string& location);

}  // namespace tidegate::query
