// tidegate ddl SRC: the tables of a delivery bucket, as statements or in a catalog.
#include <algorithm>
#include <cstdio>

#include "tidegate/app/open_catalog.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/cli/command.h"
#include "tidegate/declare/apply.h"
#include "tidegate/declare/statements.h"
#include "tidegate/parquet/file_info.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  TableChoice choice;
  std::string bucket, database, catalog;
  bool athena = false, glue = false, hive = false, duckdb = false, apply = false, sync = false;
};

/// s3a:// for Hive, whose Hadoop knows buckets by that name.
std::string LocationFor(const Options& options, const store::ObjectStore& bucket, const std::string& key) {
  const bool hive = options.hive || options.catalog.starts_with("hive:") || options.catalog.starts_with("thrift:");
  std::string location = bucket.Location(key);
  if (hive && location.starts_with("s3://")) location.insert(2, "a");
  return location;
}

Result<declare::Declared> Declare(const Options& options, store::ObjectStore& bucket) {
  TG_ASSIGN_OR_RETURN(const auto view,
                      bucket::ScanBucket(bucket, {options.choice.tables, options.choice.exclude, std::nullopt}));
  if (view.tables.empty()) return NoDeliveredTables(bucket);
  const declare::ColumnsOf columns_of = [&](const bucket::FolderState& folder) -> Result<std::vector<schema::Field>> {
    TG_ASSIGN_OR_RETURN(const auto reader, bucket.Open(folder.files.front()));
    auto info = parquet::ReadFileInfo(*reader);
    if (!info.ok()) return info.status().WithContext(folder.files.front().key);
    return info->columns;
  };
  return declare::DeclareTables(view,
                                {.database = options.database,
                                 .location = [&](const std::string& key) { return LocationFor(options, bucket, key); }},
                                columns_of);
}

Status Print(const Options& options, const declare::Declared& declared) {
  TG_ASSIGN_OR_RETURN(const std::string text, options.duckdb ? declare::DuckDbStatements(declared.tables)
                                                             : declare::HiveStatements(declared.tables, options.sync));
  std::printf("%s", text.c_str());
  return {};
}

OrderedJson ToJson(const declare::Applied& one) {
  OrderedJson missing = OrderedJson::array();
  for (const auto& column : one.missing_columns) missing.push_back(column.name);
  OrderedJson out{{"table", one.table},
                  {"created", one.created},
                  {"partitions_added", one.added},
                  {"partitions_moved", one.moved},
                  {"partitions_there", one.there},
                  {"partitions_elsewhere", one.elsewhere.size()},
                  {"missing_columns", std::move(missing)}};
  if (!one.status.ok()) out["error"] = one.status.message();
  return out;
}

void Say(const Options& options, const declare::Applied& one, const catalog::HiveName& name) {
  if (!one.status.ok()) Log(LogLevel::kError, one.table + ": " + one.status.message());
  for (const std::string& location : one.elsewhere) {
    Log(LogLevel::kWarning, one.table + ": a partition was moved to " + Quoted(location, 1200) + "; it stays there");
  }
  if (!one.missing_columns.empty()) {
    Log(LogLevel::kWarning, one.table + ": newer folders have columns that the table has not; to see them: " +
                                declare::AddColumnsStatement(name, one.missing_columns));
  }
  if (options.common.json) return;
  std::string line = one.table + ": " + (one.created ? "created" : one.status.ok() ? "is there" : "failed");
  if (one.added > 0) line += ", " + Plural(static_cast<int64_t>(one.added), "partition", "partitions") + " added";
  if (one.moved > 0) line += ", moved to the newest copy";
  if (one.there > 0) line += ", " + Plural(static_cast<int64_t>(one.there), "partition", "partitions") + " as before";
  std::printf("%s\n", line.c_str());
}

Status ApplyTo(const Options& options, const declare::Declared& declared, int& code) {
  TG_ASSIGN_OR_RETURN(const app::StoreAccess access, AccessOf(options.common, options.catalog));
  TG_ASSIGN_OR_RETURN(const app::Settings settings, app::LoadSettings(options.common.config));
  TG_ASSIGN_OR_RETURN(const auto catalog, app::OpenCatalog(options.catalog, settings.publish.athena, access));
  const auto applied = declare::Apply(declared.tables, *catalog, options.sync);
  OrderedJson tables = OrderedJson::array();
  for (size_t i = 0; i < applied.size(); ++i) {
    Say(options, applied[i], declared.tables[i].table.name);
    tables.push_back(ToJson(applied[i]));
    if (!applied[i].status.ok()) code = kFailed;
  }
  if (options.common.json) PrintJson(OrderedJson{{"catalog", catalog->Describe()}, {"tables", std::move(tables)}});
  return {};
}

Status CheckUsage(const Options& options) {
  const int chosen = int{options.athena} + int{options.glue} + int{options.hive} + int{options.duckdb};
  if (chosen > 1) return InvalidArgument("choose one of --athena, --glue, --hive, --duckdb");
  if (options.apply && options.duckdb) {
    return InvalidArgument(
        "--apply is for catalogs; DuckDB takes the statements: tidegate ddl SRC --duckdb | duckdb my.db");
  }
  if (!options.apply && chosen == 0) {
    return InvalidArgument("choose whose statements to print: --athena, --glue, --hive or --duckdb; or --apply");
  }
  if (options.apply || options.catalog.empty()) return {};
  return InvalidArgument("--catalog says where to --apply");
}

int Ddl(Options options) {
  ApplyVerbosity(options.common);
  if (const Status usage = CheckUsage(options); !usage.ok()) return Fail(usage);
  if (options.apply && options.catalog.empty()) {
    const auto settings = app::LoadSettings(options.common.config);
    if (!settings.ok()) return Fail(settings.status());
    options.catalog = settings->publish.catalog_url;
  }
  const auto bucket = OpenStore(options.common, options.bucket, app::OpenMode::kMustExist);
  if (!bucket.ok()) return Fail(bucket.status());
  const auto declared = Declare(options, **bucket);
  if (!declared.ok()) return Fail(declared.status());
  for (const std::string& problem : declared->problems) Log(LogLevel::kWarning, problem);
  int code = kDone;
  const Status done = options.apply ? ApplyTo(options, *declared, code) : Print(options, *declared);
  return done.ok() ? code : Fail(done);
}

}  // namespace

void AddDdl(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("ddl", "Declare the tables of a delivery bucket in Athena, Glue, Hive or DuckDB");
  command->add_option("SRC", options->bucket, "The delivery bucket: a path, s3://bucket/prefix or gs://bucket/prefix")
      ->required();
  command->add_flag("--athena", options->athena, "Print statements for Athena");
  command->add_flag("--glue", options->glue, "The same: Glue's tables are made by Athena's statements, or by --apply");
  command->add_flag("--hive", options->hive, "Print statements for Hive and Spark, with s3a:// locations");
  command->add_flag("--duckdb", options->duckdb, "Print views for DuckDB, over the folders that are sealed now");
  command->add_flag("--sync", options->sync, "Also the partitions of all sealed folders, and the newest full copies");
  command->add_flag("--apply", options->apply, "Do it in a catalog instead of printing");
  command->add_option("--catalog", options->catalog,
                      "With --apply: hive.db, glue://region, hive://host (default: [hive_catalog] of the settings)");
  command->add_option("--database", options->database, "Put all tables into this one (default: named as their schema)");
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer(
      "Examples:\n"
      "  tidegate ddl s3://my-bucket --athena --sync > tables.sql\n"
      "  tidegate ddl s3://my-bucket --sync --apply --catalog glue://eu-central-1     after each delivery\n"
      "  tidegate ddl ./bucket --duckdb | duckdb my.db\n"
      "Of shop.orders it makes orders_v1 and orders_v2, whose partitions are the sealed folders, and for a full table\n"
      "also orders, which shows the newest sealed copy. Running it again changes nothing: docs/ddl.md.");
  OnRun(*command, exit_code, [options] { return Ddl(*options); });
}

}  // namespace tidegate::cli
