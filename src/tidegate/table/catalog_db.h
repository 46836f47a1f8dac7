// catalog.db: the lake's tables by name, for readers that want names: a SQLite file in the layout of Iceberg's JDBC
// catalog V1, as PyIceberg's SqlCatalog, Spark and Trino open it.
//
// Derived from the tables, never the truth: written after commits, made anew by the next run when it is lost.
// For lakes on this machine only. Threads and processes: safe; writers queue up.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::table {

/// The name that readers give the catalog: SqlCatalog("tidegate", uri="sqlite:///<lake>/catalog.db").
inline constexpr const char* kCatalogName = "tidegate";
inline constexpr const char* kCatalogFile = "catalog.db";

struct CatalogTable {
  std::string schema;  // Iceberg: namespace
  std::string name;
  std::string metadata_location;
};

/// Make the catalog hold exactly these tables, in one transaction; a catalog that already does is not written.
/// Entries of catalogs of other names are left alone. Returns the entries that gave way and that another program had
/// committed through the catalog alone: they name no vN.metadata.json.
/// Errors: Unavailable (another process holds it for more than 10 s), Corruption (not a SQLite database),
/// PermissionDenied, Unsupported (a network file system), Internal.
Result<std::vector<CatalogTable>> RefreshCatalogDb(const std::filesystem::path& path,
                                                   const std::vector<CatalogTable>& tables);

/// What to tell of an entry that another program had committed.
std::string DescribeForeignCommit(const CatalogTable& entry);

/// The catalog.db of a whole lake: of tables in `located` the metadata location is known already, the others of
/// `tables` are looked up, and left out where they cannot be read. Nothing where the lake is not on this machine or has
/// no table.
Result<std::vector<CatalogTable>> RefreshCatalogOf(store::ObjectStore& lake,
                                                   const std::vector<contract::TableName>& tables,
                                                   std::map<contract::TableName, std::string> located = {});

}  // namespace tidegate::table
