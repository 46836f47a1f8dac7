#include "tidegate/query/lake_views.h"

#include <algorithm>
#include <map>
#include <set>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/query/table_state.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::query {
namespace {

using contract::TableName;
using engine::SqlName;

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

/// nullopt: the table was not there yet.
Result<std::optional<TableState>> LoadState(store::ObjectStore& lake, const TableName& name,
                                            const SnapshotChoice* choice) {
  TG_ASSIGN_OR_RETURN(const table::LakeTable table, table::LakeTable::Load(lake, table::FolderOf(name)));
  std::optional<int64_t> chosen;
  if (choice != nullptr) {
    TG_ASSIGN_OR_RETURN(chosen, choice->choose(table.metadata()));
    if (!chosen) return std::optional<TableState>();
  }
  TG_ASSIGN_OR_RETURN(TableState state, ReadTableState(table, chosen));
  return std::optional<TableState>(std::move(state));
}

class ViewMaker {
 public:
  ViewMaker(engine::DuckDb& db, store::ObjectStore& lake, const std::vector<TableName>& tables,
            const SnapshotChoice* choice)
      : db_(db), lake_(lake), choice_(choice) {
    for (const TableName& name : tables) ++tables_called_[ToLower(name.table)];
  }

  /// False: the table was not there yet.
  Result<bool> Make(const TableName& name) {
    if (!made_.insert(ToLower(name.ToString())).second) {
      return Unsupported("another table of the lake differs from it only in case, which SQL does not tell apart");
    }
    TG_ASSIGN_OR_RETURN(const std::optional<TableState> state, LoadState(lake_, name, choice_));
    if (!state) return false;
    TG_ASSIGN_OR_RETURN(const std::string select, SelectSql(*state));
    const std::string schema = "memory." + SqlName(name.schema);
    const std::string view = schema + "." + SqlName(name.table);
    TG_RETURN_IF_ERROR(db_.Execute("CREATE SCHEMA IF NOT EXISTS " + schema));
    TG_RETURN_IF_ERROR(db_.Execute("CREATE VIEW " + view + " AS " + select));
    TG_RETURN_IF_ERROR(MakeShortName(name, view));
    return true;
  }

  /// Can a text that mentions the table's short name mean no other table?
  bool IsOnlyOneCalled(const TableName& name) const { return tables_called_.at(ToLower(name.table)) == 1; }

 private:
  /// The table without its schema, where that is no other's name.
  Status MakeShortName(const TableName& name, const std::string& view) {
    const std::string table = ToLower(name.table);
    if (!IsOnlyOneCalled(name) || table == kHistoryTable || ToLower(name.schema) == "main") return Status::Ok();
    return db_.Execute("CREATE VIEW memory.main." + SqlName(name.table) + " AS SELECT * FROM " + view);
  }

  engine::DuckDb& db_;
  store::ObjectStore& lake_;
  const SnapshotChoice* choice_;
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

Status CreateLakeViews(engine::DuckDb& db, store::ObjectStore& lake, std::string_view sql,
                       const SnapshotChoice* choice) {
  TG_ASSIGN_OR_RETURN(const std::vector<TableName> tables, table::ListTables(lake));
  if (tables.empty()) {
    Log(LogLevel::kWarning, "there is no table in this lake; ingest into it first: " + Quoted(lake.url()));
  }
  const std::string lower = ToLower(sql);
  ViewMaker maker(db, lake, tables, choice);
  for (const TableName& name : TablesNeeded(tables, sql)) {
    const std::string context = "table " + Quoted(name.ToString());
    const Result<bool> made = maker.Make(name);
    const bool named = Mentions(lower, name.table);
    if (made.ok() && *made) continue;
    if (made.ok()) {
      if (!named || (!maker.IsOnlyOneCalled(name) && !Mentions(lower, name.ToString()))) continue;
      return NotFound(context + ": it was not there yet as of " + choice->as_of);
    }
    Status failed = made.status().WithContext(context);
    if (named) return failed;
    Log(LogLevel::kWarning, failed.message() + "; it is left out");
  }
  return Status::Ok();
}

}  // namespace tidegate::query
