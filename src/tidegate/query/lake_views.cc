#include "tidegate/query/lake_views.h"

#include <algorithm>
#include <map>
#include <set>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/query/view_sql.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::query {
namespace {

using contract::TableName;
using engine::SqlName;

constexpr std::string_view kNameMapping = "schema.name-mapping.default";

/// Words of queries that look at the catalog, or name tables in a way that the text does not show.
constexpr std::string_view kCatalogWords[] = {"show",       "describe", "summarize",   "information_schema", "pragma",
                                              "pg_catalog", "duckdb_",  "query_table", "sqlite_master",      "export"};

bool Mentions(std::string_view lower_sql, std::string_view name) {
  return lower_sql.find(ToLower(name)) != std::string_view::npos;
}

bool LooksAtCatalog(std::string_view lower_sql) {
  return std::any_of(std::begin(kCatalogWords), std::end(kCatalogWords),
                     [&](std::string_view word) { return lower_sql.find(word) != std::string_view::npos; });
}

Result<TableState> LoadState(store::ObjectStore& lake, const TableName& name) {
  TG_ASSIGN_OR_RETURN(const table::LakeTable table, table::LakeTable::Load(lake, table::FolderOf(name)));
  const table::TableMetadata& metadata = table.metadata();
  TableState state{metadata.current_schema(), metadata.specs, {}, {}};
  const auto mapping = metadata.properties.find(std::string(kNameMapping));
  if (mapping != metadata.properties.end()) {
    TG_ASSIGN_OR_RETURN(state.mapping, table::ParseNameMapping(mapping->second));
  }
  TG_ASSIGN_OR_RETURN(state.files, table.ReadLiveFiles());
  return state;
}

class ViewMaker {
 public:
  ViewMaker(engine::DuckDb& db, store::ObjectStore& lake, const std::vector<TableName>& tables) : db_(db), lake_(lake) {
    for (const TableName& name : tables) ++tables_called_[ToLower(name.table)];
  }

  Status Make(const TableName& name) {
    if (!made_.insert(ToLower(name.ToString())).second) {
      return Unsupported("another table of the lake differs from it only in case, which SQL does not tell apart");
    }
    TG_ASSIGN_OR_RETURN(const TableState state, LoadState(lake_, name));
    TG_ASSIGN_OR_RETURN(const std::string select, SelectSql(state));
    const std::string schema = "memory." + SqlName(name.schema);
    const std::string view = schema + "." + SqlName(name.table);
    TG_RETURN_IF_ERROR(db_.Execute("CREATE SCHEMA IF NOT EXISTS " + schema));
    TG_RETURN_IF_ERROR(db_.Execute("CREATE VIEW " + view + " AS " + select));
    return MakeShortName(name, view);
  }

 private:
  /// The table without its schema, where that is no other's name.
  Status MakeShortName(const TableName& name, const std::string& view) {
    const std::string table = ToLower(name.table);
    if (tables_called_[table] != 1 || table == kHistoryTable || ToLower(name.schema) == "main") return Status::Ok();
    return db_.Execute("CREATE VIEW memory.main." + SqlName(name.table) + " AS SELECT * FROM " + view);
  }

  engine::DuckDb& db_;
  store::ObjectStore& lake_;
  std::map<std::string, int> tables_called_;
  std::set<std::string> made_;
};

}  // namespace

std::vector<TableName> TablesNeeded(const std::vector<TableName>& tables, std::string_view sql) {
  const std::string lower = ToLower(sql);
  if (LooksAtCatalog(lower)) return tables;
  std::vector<TableName> named;
  for (const TableName& name : tables) {
    if (Mentions(lower, name.table)) named.push_back(name);
  }
  return named.empty() ? tables : named;
}

Status CreateLakeViews(engine::DuckDb& db, store::ObjectStore& lake, std::string_view sql) {
  TG_ASSIGN_OR_RETURN(const std::vector<TableName> tables, table::ListTables(lake));
  if (tables.empty()) {
    Log(LogLevel::kWarning, "there is no table in this lake; ingest into it first: " + Quoted(lake.url()));
  }
  const std::string lower = ToLower(sql);
  ViewMaker maker(db, lake, tables);
  for (const TableName& name : TablesNeeded(tables, sql)) {
    Status made = maker.Make(name).WithContext("table " + Quoted(name.ToString()));
    if (made.ok()) continue;
    if (Mentions(lower, name.table)) return made;
    Log(LogLevel::kWarning, made.message() + "; it is left out");
  }
  return Status::Ok();
}

}  // namespace tidegate::query
