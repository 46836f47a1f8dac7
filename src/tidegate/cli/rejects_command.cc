// tidegate rejects LAKE [TABLE]: rows that tables could not take (C-23).
#include <cstdio>
#include <optional>

#include "tidegate/app/engine_access.h"
#include "tidegate/app/open_store.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/cli/sql_output.h"
#include "tidegate/query/view_sql.h"
#include "tidegate/status/reject_files.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  std::string lake, table, format = "table";
};

/// All rows of the files, a table after the other, in the order of folders, files and rows.
Result<std::string> RejectsSql(store::ObjectStore& lake, const std::vector<status::RejectFiles>& tables) {
  std::vector<std::string> parts;
  for (const status::RejectFiles& rejects : tables) {
    std::vector<std::string> paths;
    for (const std::string& key : rejects.keys) {
      TG_ASSIGN_OR_RETURN(const std::string path, query::EnginePathOf(lake.Location(key)));
      paths.push_back(engine::SqlText(path));
    }
    parts.push_back("SELECT " + engine::SqlText(rejects.table.ToString()) +
                    " AS table_name, folder, file, row, reason FROM read_parquet([" + Join(paths, ", ") +
                    "], hive_partitioning = false)");
  }
  return Join(parts, " UNION ALL ") + " ORDER BY ALL";
}

Status Show(const Options& options) {
  TG_ASSIGN_OR_RETURN(const auto format, query::ParseOutputFormat(options.common.json ? "json" : options.format));
  TG_ASSIGN_OR_RETURN(const auto lake, OpenLake(options.common, options.lake, app::OpenMode::kMustExist));
  const std::optional<std::string> only = options.table.empty() ? std::nullopt : std::optional(options.table);
  TG_ASSIGN_OR_RETURN(const auto tables, status::FindRejectFiles(*lake, only));
  if (tables.empty()) {
    std::printf("%s", format == query::OutputFormat::kJson ? "[]\n" : "");
    if (format == query::OutputFormat::kTable) std::printf("no rejects: the tables took every row they were sent\n");
    return {};
  }
  TG_ASSIGN_OR_RETURN(const std::string sql, RejectsSql(*lake, tables));
  TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", {}));
  TG_RETURN_IF_ERROR(app::LetEngineRead(db, *lake));
  const Interrupter interrupter(db);
  return PrintResult(db, sql, format);
}

}  // namespace

void AddRejects(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("rejects", "Rows that tables could not take: folder, file, row, reason");
  command->add_option("LAKE", options->lake, "The lake: a path or s3://bucket/prefix")->required();
  command->add_option("TABLE", options->table, "SCHEMA.TABLE: of one table");
  command->add_option("--format", options->format, "table, csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer(
      "Examples:\n"
      "  tidegate rejects ./lake\n"
      "  tidegate rejects ./lake shop.orders --format csv > rejects.csv\n"
      "Rows count from 0 within their file. The files lie beside the table: LAKE/<schema>/<table>/rejects/.");
  OnRun(*command, exit_code, [options] {
    ApplyVerbosity(options->common);
    const Status done = Show(*options);
    return done.ok() ? kDone : Fail(done);
  });
}

}  // namespace tidegate::cli
