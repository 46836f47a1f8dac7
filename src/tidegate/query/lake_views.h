// The tables of a lake as DuckDB views, for one query.
//
// Views are `schema.table`, and `table` alone where the lake has that table name once. They show the state of each
// table at the moment of CreateLakeViews; the query reads the Parquet files in place.
//
// Not here: writing to lake tables; lakes that are not on this machine. A query may read any other file that the person
// who runs it may read, and may write files with COPY: it is that person's own tool.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/metadata.h"

namespace tidegate::query {

/// A name that no lake table takes alone: what `query` shows of the lake's runs.
inline constexpr std::string_view kHistoryTable = "tidegate_history";

/// Which of the lake's tables a query needs: those whose table name stands anywhere in its
/// text; all of them where none does or where the query asks for what there is (SHOW, DESCRIBE, information_schema, …).
/// Never too few for names that are written out; sometimes too many, which costs the reading of their metadata.
std::vector<contract::TableName> TablesNeeded(const std::vector<contract::TableName>& tables, std::string_view sql);

/// Which of a table's snapshots a query shows. Who calls decides: what a snapshot stands for is not known here.
struct SnapshotChoice {
  std::string as_of;  // for messages: "v2/2026-11-03/05"
  /// The id of the snapshot; nullopt where the table was not there yet.
  std::function<Result<std::optional<int64_t>>(const table::TableMetadata&)> choose;
};

/// Create the views that a query needs: of the current snapshots, or of those that `choice` (may be null) names, each
/// with the schema of its time. A table that the query names and that cannot be read, or was not there yet, is an
/// error; one that it does not name is passed over, with a warning where it cannot be read. Errors: NotFound (a lake
/// without tables), Corruption, Unsupported, with the table's name.
Status CreateLakeViews(engine::DuckDb& db, store::ObjectStore& lake, std::string_view sql,
                       const SnapshotChoice* choice = nullptr);

}  // namespace tidegate::query
