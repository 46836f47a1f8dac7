// tidegate query LAKE SQL
#include <filesystem>
#include <iostream>
#include <iterator>

#include "tidegate/app/engine_access.h"
#include "tidegate/app/open_catalog.h"
#include "tidegate/app/open_store.h"
#include "tidegate/cli/command.h"
#include "tidegate/cli/sql_output.h"
#include "tidegate/query/hive_views.h"
#include "tidegate/query/lake_views.h"
#include "tidegate/query/rows_table.h"
#include "tidegate/status/history.h"
#include "tidegate/upkeep/as_of.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  std::string lake, sql, format = "table";
  std::string memory, at;
  int threads = 0;
};

std::string ListText(const std::vector<std::string>& items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i > 0 ? ", " : "") + engine::SqlText(items[i]);
  return out + "]";
}

engine::TextRow HistoryRow(const status::HistoryEntry& e) {
  return {FormatRfc3339(e.committed_at),     e.table,
          std::to_string(e.snapshot_id),     e.action,
          e.foreign ? "true" : "false",      ListText(e.folders),
          std::to_string(e.files.size()),    std::to_string(e.rows_in),
          std::to_string(e.rows_superseded), std::to_string(e.rows_rejected),
          std::to_string(e.bytes_in),        e.tool_version};
}

/// The run log as a table, where the query asks for it.
Status AddHistory(engine::DuckDb& db, store::ObjectStore& lake, const std::string& sql) {
  const std::string name(query::kHistoryTable);
  if (sql.find(name) == std::string::npos) return {};
  TG_ASSIGN_OR_RETURN(const auto entries, status::ReadHistory(lake, std::nullopt));
  std::vector<engine::TextRow> rows;
  rows.reserve(entries.size());
  for (const auto& entry : entries) rows.push_back(HistoryRow(entry));
  const std::vector<query::RowsColumn> columns = {{"committed_at", "TIMESTAMP WITH TIME ZONE"},
                                                  {"table_name", "VARCHAR"},
                                                  {"snapshot_id", "BIGINT"},
                                                  {"action", "VARCHAR"},
                                                  {"foreign_tool", "BOOLEAN"},
                                                  {"folders", "VARCHAR[]"},
                                                  {"files", "BIGINT"},
                                                  {"rows_in", "BIGINT"},
                                                  {"rows_superseded", "BIGINT"},
                                                  {"rows_rejected", "BIGINT"},
                                                  {"bytes_in", "BIGINT"},
                                                  {"tool_version", "VARCHAR"}};
  return query::CreateRowsTable(db, name, columns, rows);
}

/// The views, of today or as of --at.
Status AddTables(engine::DuckDb& db, store::ObjectStore& lake, const Options& options) {
  if (options.at.empty()) return query::CreateLakeViews(db, lake, options.sql);
  TG_ASSIGN_OR_RETURN(const contract::Delivery at, upkeep::ParseTypedDelivery(options.at));
  const query::SnapshotChoice choice{
      at.ToString(), [&](const table::TableMetadata& metadata) { return upkeep::SnapshotAsOf(metadata, at); }};
  return query::CreateLakeViews(db, lake, options.sql, &choice);
}

/// A catalog of Hive-style tables: a file, Glue, or a Hive Metastore.
bool IsCatalog(const std::string& place) {
  std::error_code error;
  return app::IsCatalogUrl(place) || std::filesystem::is_regular_file(place, error);
}

Status AddHiveTables(engine::DuckDb& db, const Options& options, const app::AthenaOptions& athena) {
  if (!options.at.empty()) {
    return Unsupported(
        "--at asks a lake: tables of a catalog have no earlier deliveries, `tidegate rollback` goes back");
  }
  TG_ASSIGN_OR_RETURN(const app::StoreAccess access, AccessOf(options.common, options.lake));
  TG_ASSIGN_OR_RETURN(const auto catalog, app::OpenCatalog(options.lake, athena, access));
  const query::OpenLocation open = [&](const std::string& location) -> Result<std::unique_ptr<store::ObjectStore>> {
    TG_ASSIGN_OR_RETURN(auto place, OpenStore(options.common, location, app::OpenMode::kMustExist));
    TG_RETURN_IF_ERROR(app::LetEngineRead(db, *place));
    return place;
  };
  return query::CreateHiveViews(db, *catalog, options.sql, open);
}

Status AddLakeTables(engine::DuckDb& db, const Options& options) {
  TG_ASSIGN_OR_RETURN(const auto lake, OpenLake(options.common, options.lake, app::OpenMode::kMustExist));
  TG_RETURN_IF_ERROR(app::LetEngineRead(db, *lake));
  TG_RETURN_IF_ERROR(AddTables(db, *lake, options));
  return AddHistory(db, *lake, options.sql);
}

Status RunQuery(const Options& options, const app::Settings& settings) {
  TG_ASSIGN_OR_RETURN(const auto format, query::ParseOutputFormat(options.common.json ? "json" : options.format));
  engine::DuckDbOptions engine_options;
  engine_options.memory_limit = options.memory.empty() ? settings.query_memory_limit : std::optional(options.memory);
  engine_options.threads = options.threads > 0 ? std::optional(options.threads) : settings.query_threads;
  TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", engine_options));
  const Interrupter interrupter(db);
  TG_RETURN_IF_ERROR(IsCatalog(options.lake) ? AddHiveTables(db, options, settings.publish.athena)
                                             : AddLakeTables(db, options));
  return PrintResult(db, options.sql, format);
}

int Query(Options options) {
  ApplyVerbosity(options.common);
  auto settings = app::LoadSettings(options.common.config);
  if (!settings.ok()) return Fail(settings.status());
  if (const auto at = upkeep::ParseTypedDelivery(options.at); !options.at.empty() && !at.ok()) {
    return Fail(at.status().WithContext("--at"));
  }
  if (options.sql == "-") options.sql.assign(std::istreambuf_iterator<char>(std::cin), {});
  const Status done = RunQuery(options, *settings);
  if (done.ok()) return kDone;
  Fail(done);
  return kFailed;  // a query that is wrong is a failure of the run, not of the command line
}

}  // namespace

void AddQuery(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("query", "Ask the tables of a lake in SQL (embedded DuckDB)");
  command
      ->add_option(
          "LAKE", options->lake,
          "The lake: a path or s3://bucket/prefix; or a catalog of Hive-style tables: hive.db, glue://eu-central-1, "
          "hive://host:9083")
      ->required();
  command->add_option("SQL", options->sql, "The query; - reads it from standard input")->required();
  command
      ->add_option("--at", options->at, "The tables as of this delivery: 2026-11-03T05 (hour), 2026-11-02 (day of v1)")
      ->type_name("DELIVERY");
  command->add_option("--format", options->format, "table, csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  command->add_option("--memory", options->memory, "DuckDB's memory limit, e.g. 2GB")->type_name("SIZE");
  command->add_option("--threads", options->threads, "DuckDB's threads")->check(CLI::Range(1, 1024));
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer(
      "Every table is a view schema.table; each row shows its delivery (contract_version, etl_date, etl_hour).\n"
      "Examples:\n"
      "  tidegate query ./lake \"SHOW ALL TABLES\"\n"
      "  tidegate query ./lake \"SELECT status, count(*) FROM shop.orders GROUP BY ALL\" --format csv\n"
      "  tidegate query ./lake \"SELECT count(*) FROM shop.orders\" --at 2026-11-03T05\n"
      "  tidegate query ./lake \"SELECT * FROM tidegate_history ORDER BY committed_at DESC LIMIT 10\"");
  OnRun(*command, exit_code, [options] { return Query(*options); });
}

}  // namespace tidegate::cli
