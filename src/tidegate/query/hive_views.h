// The tables of a Hive-style catalog as DuckDB views, for one query.
//
// Each partition is read from the location that the catalog names at this moment: every file below it, but names that
// begin with '_' or '.', as Hive's readers do. Views are `database.table`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/store/object_store.h"

namespace tidegate::query {

/// DuckDB's spelling of a Hive type. Errors: Unsupported, naming it.
Result<std::string> DuckDbTypeOfHive(std::string_view hive_type);

/// Opens the place that a location names.
using OpenLocation = std::function<Result<std::unique_ptr<store::ObjectStore>>(const std::string& location)>;

/// Create the views that a query needs: those of tables whose name stands in its text, all where none does. A table
/// that the query names and that cannot be read is an error; another is passed over with a warning. Errors: those of
/// the catalog and the stores; Unsupported (a view, an Iceberg table, another format).
Status CreateHiveViews(engine::DuckDb& db, catalog::HiveCatalog& catalog, std::string_view sql,
                       const OpenLocation& open);

}  // namespace tidegate::query
