#include "tidegate/table/catalog_db.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/sqlite/database.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/table/metadata_files.h"

namespace tidegate::table {
namespace {

// The layout is Iceberg's (JDBC catalog, schema version V1); names and types must stay as they are.
constexpr const char* kCreateTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables ("
    "catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, "
    "metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name));"
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties ("
    "catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, "
    "property_value VARCHAR(1000), PRIMARY KEY (catalog_name, namespace, property_key));";

constexpr const char* kAdvice = "it holds nothing of its own: remove it, the next run writes it anew";

using sqlite::Database;
using TableKey = std::pair<std::string, std::string>;  // schema, name

/// What the catalog says now: location by table, and the namespaces it knows.
struct Content {
  std::map<TableKey, std::string> tables;
  std::set<std::string> schemas;
};

Result<Content> ReadContent(Database& db) {
  Content out;
  TG_ASSIGN_OR_RETURN(const auto tables,
                      db.Query("SELECT table_namespace, table_name, metadata_location FROM iceberg_tables WHERE "
                               "catalog_name = ?1 AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)",
                               {kCatalogName}));
  for (const auto& row : tables) out.tables[{row[0], row[1]}] = row[2];
  TG_ASSIGN_OR_RETURN(
      const auto schemas,
      db.Query("SELECT DISTINCT namespace FROM iceberg_namespace_properties WHERE catalog_name = ?1", {kCatalogName}));
  for (const auto& row : schemas) out.schemas.insert(row[0]);
  return out;
}

Status WriteTables(Database& db, const Content& is, const Content& wanted) {
  for (const auto& [key, location] : wanted.tables) {
    const auto found = is.tables.find(key);
    if (found != is.tables.end() && found->second == location) continue;
    TG_RETURN_IF_ERROR(db.Run(
        "INSERT INTO iceberg_tables VALUES (?1, ?2, ?3, ?4, NULL, 'TABLE') ON CONFLICT (catalog_name, table_namespace, "
        "table_name) DO UPDATE SET previous_metadata_location = metadata_location, metadata_location = ?4, "
        "iceberg_type = 'TABLE'",
        {kCatalogName, key.first, key.second, location}));
  }
  for (const auto& [key, location] : is.tables) {
    if (wanted.tables.contains(key)) continue;
    TG_RETURN_IF_ERROR(
        db.Run("DELETE FROM iceberg_tables WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3",
               {kCatalogName, key.first, key.second}));
  }
  return Status::Ok();
}

Status WriteSchemas(Database& db, const Content& is, const Content& wanted) {
  for (const std::string& schema : wanted.schemas) {
    if (is.schemas.contains(schema)) continue;
    TG_RETURN_IF_ERROR(
        db.Run("INSERT INTO iceberg_namespace_properties VALUES (?1, ?2, 'exists', 'true')", {kCatalogName, schema}));
  }
  for (const std::string& schema : is.schemas) {
    if (wanted.schemas.contains(schema)) continue;
    TG_RETURN_IF_ERROR(db.Run("DELETE FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND namespace = ?2",
                              {kCatalogName, schema}));
  }
  return Status::Ok();
}

/// Does the catalog already say all this? A reader's lock does not hold this up.
bool IsCurrent(Database& db, const Content& wanted) {
  const Result<Content> is = ReadContent(db);  // fails where the tables do not exist yet
  return is.ok() && is->tables == wanted.tables && is->schemas == wanted.schemas;
}

/// Entries that give way and name a file that no commit of a lake writes.
std::vector<CatalogTable> ForeignIn(const Content& is, const Content& wanted) {
  std::vector<CatalogTable> out;
  for (const auto& [key, location] : is.tables) {
    const auto kept = wanted.tables.find(key);
    if (kept != wanted.tables.end() && kept->second == location) continue;
    if (ParseVersionName(std::string_view(location).substr(location.rfind('/') + 1))) continue;
    out.push_back({key.first, key.second, location});
  }
  return out;
}

}  // namespace

Result<std::vector<CatalogTable>> RefreshCatalogDb(const std::filesystem::path& path,
                                                   const std::vector<CatalogTable>& tables) {
  Content wanted;
  for (const CatalogTable& table : tables) {
    wanted.tables[{table.schema, table.name}] = table.metadata_location;
    wanted.schemas.insert(table.schema);
  }
  TG_ASSIGN_OR_RETURN(Database db, Database::Open(path.string(), kAdvice));
  if (IsCurrent(db, wanted)) return std::vector<CatalogTable>();
  TG_RETURN_IF_ERROR(db.Execute("PRAGMA journal_mode = DELETE"));
  // An error on the way closes the database, which rolls back.
  TG_RETURN_IF_ERROR(db.Execute("BEGIN IMMEDIATE"));
  TG_RETURN_IF_ERROR(db.Execute(kCreateTables));
  TG_ASSIGN_OR_RETURN(const Content is, ReadContent(db));
  TG_RETURN_IF_ERROR(WriteTables(db, is, wanted));
  TG_RETURN_IF_ERROR(WriteSchemas(db, is, wanted));
  TG_RETURN_IF_ERROR(db.Execute("COMMIT"));
  return ForeignIn(is, wanted);
}

std::string DescribeForeignCommit(const CatalogTable& entry) {
  return "another program committed " + Quoted(entry.metadata_location) +
         " through catalog.db, which is derived from the lake: the change was not taken, and catalog.db names the "
         "lake's "
         "own newest version again. Commit as docs/formats/lake.md says";
}

Result<std::vector<CatalogTable>> RefreshCatalogOf(store::ObjectStore& lake,
                                                   const std::vector<contract::TableName>& tables,
                                                   std::map<contract::TableName, std::string> located) {
  std::vector<CatalogTable> wanted;
  const auto path = lake.LocalPath(kCatalogFile);
  if (!path) return wanted;
  for (const contract::TableName& name : tables) {
    if (located.contains(name)) continue;
    const auto loaded = LakeTable::Load(lake, FolderOf(name));
    if (loaded.ok()) located[name] = loaded->MetadataLocation();
  }
  if (located.empty()) return wanted;
  wanted.reserve(located.size());
  for (const auto& [name, location] : located) wanted.push_back({name.schema, name.table, location});
  return RefreshCatalogDb(*path, wanted);
}

}  // namespace tidegate::table
