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

using engine::SqlName;

constexpr std::string_view kNameMapping = "schema.name-mapping.default";

/// Words of queries that look at the catalog, or name tables in a way that the text does not show.
constexpr std::string_view kCatalogWords[] = {"show",       "describe", "summarize",   "information_schema", "pragma",
                                              "pg_catalog", "duckdb_",  "query_table", "sqlite_master",      "export"};

std::string_view TableOf(std::string_view folder) { return folder.substr(folder.find('/') + 1); }
std::string_view SchemaOf(std::string_view folder) { return folder.substr(0, folder.find('/')); }

bool Mentions(std::string_view lower_sql, std::string_view name) {
  return lower_sql.find(ToLower(name)) != std::string_view::npos;
}

bool LooksAtCatalog(std::string_view lower_sql) {
  return std::any_of(std::begin(kCatalogWords), std::end(kCatalogWords),
                     [&](std::string_view word) { return lower_sql.find(word) != std::string_view::npos; });
}

std::string DottedName(std::string_view folder) {
  return std::string(SchemaOf(folder)) + "." + std::string(TableOf(folder));
}

Result<TableState> LoadState(store::ObjectStore& lake, const std::string& folder) {
  TG_ASSIGN_OR_RETURN(const table::LakeTable table, table::LakeTable::Load(lake, folder));
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
  ViewMaker(engine::DuckDb& db, store::ObjectStore& lake, const std::vector<std::string>& folders)
      : db_(db), lake_(lake) {
    for (const std::string& folder : folders) ++tables_called_[ToLower(TableOf(folder))];
  }

  Status Make(const std::string& folder) {
    if (!made_.insert(ToLower(folder)).second) {
      return Unsupported("another table of the lake differs from it only in case, which SQL does not tell apart");
    }
    TG_ASSIGN_OR_RETURN(const TableState state, LoadState(lake_, folder));
    TG_ASSIGN_OR_RETURN(const std::string select, SelectSql(state));
    const std::string schema = "memory." + SqlName(SchemaOf(folder));
    const std::string view = schema + "." + SqlName(TableOf(folder));
    TG_RETURN_IF_ERROR(db_.Execute("CREATE SCHEMA IF NOT EXISTS " + schema));
    TG_RETURN_IF_ERROR(db_.Execute("CREATE VIEW " + view + " AS " + select));
    return MakeShortName(folder, view);
  }

 private:
  /// The table without its schema, where that is no other's name.
  Status MakeShortName(const std::string& folder, const std::string& view) {
    const std::string table = ToLower(TableOf(folder));
    if (tables_called_[table] != 1 || table == kHistoryTable || ToLower(SchemaOf(folder)) == "main")
      return Status::Ok();
    return db_.Execute("CREATE VIEW memory.main." + SqlName(TableOf(folder)) + " AS SELECT * FROM " + view);
  }

  engine::DuckDb& db_;
  store::ObjectStore& lake_;
  std::map<std::string, int> tables_called_;
  std::set<std::string> made_;
};

}  // namespace

std::vector<std::string> TablesNeeded(const std::vector<std::string>& folders, std::string_view sql) {
  const std::string lower = ToLower(sql);
  if (LooksAtCatalog(lower)) return folders;
  std::vector<std::string> named;
  for (const std::string& folder : folders) {
    if (Mentions(lower, TableOf(folder))) named.push_back(folder);
  }
  return named.empty() ? folders : named;
}

Status CreateLakeViews(engine::DuckDb& db, store::ObjectStore& lake, std::string_view sql) {
  TG_ASSIGN_OR_RETURN(const std::vector<std::string> folders, table::ListTables(lake));
  if (folders.empty()) {
    Log(LogLevel::kWarning, "there is no table in this lake; ingest into it first: " + Quoted(lake.url()));
  }
  const std::string lower = ToLower(sql);
  ViewMaker maker(db, lake, folders);
  for (const std::string& folder : TablesNeeded(folders, sql)) {
    const Status made = maker.Make(folder).WithContext("table " + Quoted(DottedName(folder)));
    if (made.ok()) continue;
    if (Mentions(lower, TableOf(folder))) return made;
    Log(LogLevel::kWarning, made.message() + "; it is left out");
  }
  return Status::Ok();
}

}  // namespace tidegate::query
