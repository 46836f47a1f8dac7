// tidegate deliver SOURCE DEST
#include <cstdio>
#include <filesystem>

#include "tidegate/app/open_store.h"
#include "tidegate/base/log.h"
#include "tidegate/cli/command.h"
#include "tidegate/deliver/deliver.h"
#include "tidegate/deliver/duckdb_source.h"
#include "tidegate/deliver/parquet_folder_source.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  TableChoice choice;
  std::string source, dest, delivery, contract = "v2", at;
  std::vector<std::string> reseed;
  int slices = 1;
  std::string compression = "snappy";
  bool plan = false;
};

Result<std::unique_ptr<deliver::Source>> OpenSource(const std::string& url) {
  TG_ASSIGN_OR_RETURN(const std::string path, app::LocalPathOf(url));
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    TG_ASSIGN_OR_RETURN(auto folder, deliver::ParquetFolderSource::Open(path));
    return std::unique_ptr<deliver::Source>(std::move(folder));
  }
  TG_ASSIGN_OR_RETURN(auto database, deliver::DuckDbSource::Open(path));
  return std::unique_ptr<deliver::Source>(std::move(database));
}

/// --delivery, else the hour (v2) or day (v1) that the clock is in.
Result<contract::Delivery> ChooseDelivery(const Options& options, const Clock& clock) {
  if (!options.delivery.empty()) {
    auto delivery = contract::ParseDelivery(options.delivery);
    return delivery.ok() ? delivery : delivery.status().WithContext("--delivery");
  }
  const std::string now = FormatRfc3339(clock.Now());
  if (options.contract == "v1") return contract::Delivery{contract::Version::kV1, now.substr(0, 10), ""};
  return contract::Delivery{contract::Version::kV2, now.substr(0, 10), now.substr(11, 2)};
}

Result<deliver::DeliverOptions> MakeOptions(const Options& options, const app::Settings& settings, const Clock& clock) {
  deliver::DeliverOptions run;
  TG_ASSIGN_OR_RETURN(run.delivery, ChooseDelivery(options, clock));
  run.now = clock.Now();
  run.catalog = settings.catalog;
  run.table_globs = options.choice.tables;
  run.exclude_globs = options.choice.exclude;
  run.slices = options.slices;
  run.writer.compression = options.compression;
  if (!options.at.empty()) {
    auto at = ParseRfc3339(options.at);
    if (!at.ok()) return at.status().WithContext("--at");
    run.at = *at;
  }
  for (const std::string& name : options.reseed) {
    TG_ASSIGN_OR_RETURN(const contract::TableName table, contract::ParseTableName(name));
    run.reseed.insert(table);
  }
  return run;
}

int ShowPlan(const Options& options, deliver::Source& source, store::ObjectStore& dest,
             const deliver::DeliverOptions& run) {
  auto plan = deliver::Plan(source, dest, run, &StopFlag());
  if (!plan.ok()) return Fail(plan.status());
  if (options.common.json)
    PrintJson(deliver::ToJson(*plan));
  else
    std::printf("%splan only: nothing was changed\n", deliver::PrintPlan(*plan).c_str());
  return kDone;
}

int Deliver(const Options& options) {
  ApplyVerbosity(options.common);
  auto settings = app::LoadSettings(options.common.config);
  if (!settings.ok()) return Fail(settings.status());
  auto clock = MakeClock(options.common);
  if (!clock.ok()) return Fail(clock.status());
  auto run = MakeOptions(options, *settings, **clock);
  if (!run.ok()) return Fail(run.status());
  auto source = OpenSource(options.source);
  if (!source.ok()) return Fail(source.status());
  auto dest = OpenStore(options.common, options.dest, app::OpenMode::kMayBeEmpty);
  if (!dest.ok()) return Fail(dest.status());
  if (options.plan) return ShowPlan(options, **source, **dest, *run);

  if (!app::IsS3Url(options.dest) && !(*dest)->LocalPath("v1")) {  // the folder is made only for a run that can begin
    if (const auto plan = deliver::Plan(**source, **dest, *run, &StopFlag()); !plan.ok()) return Fail(plan.status());
    dest = OpenStore(options.common, options.dest, app::OpenMode::kCreate);
    if (!dest.ok()) return Fail(dest.status());
  }
  Progress progress("deliver");
  auto report = deliver::Deliver(**source, **dest, *run, &StopFlag(), [&](const deliver::DeliverProgress& p) {
    progress.Step(p.table.ToString(), p.tables_done, p.tables_total);
  });
  if (!report.ok()) return Fail(report.status());
  if (options.common.json)
    PrintJson(deliver::ToJson(*report));
  else
    std::fputs(deliver::PrintReport(*report).c_str(), stdout);
  return report->failed() ? kFailed : kDone;
}

}  // namespace

void AddDeliver(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("deliver", "Write one delivery of the contract from a database into a bucket");
  command->add_option("SOURCE", options->source, "A DuckDB file, or a folder of Parquet: <schema>/<table>.parquet")
      ->required();
  command
      ->add_option("DEST", options->dest, "The bucket: a folder, made where it does not exist, or s3://bucket/prefix")
      ->required();
  command->add_option("--delivery", options->delivery,
                      "Which one: v2/2026-11-03/03, v1/2026-11-02 or v1/__initial__ (default: now)");
  command->add_option("--contract", options->contract, "Without --delivery: v1 (today) or v2 (this hour)")
      ->check(CLI::IsMember({"v1", "v2"}))
      ->capture_default_str();
  command
      ->add_option("--at", options->at,
                   "v1: the delivery holds the data up to this instant (default: 07:00 of its day)")
      ->type_name("RFC3339");
  command
      ->add_option("--reseed", options->reseed,
                   "Deliver this table in parts whole, flagged as rebuilt (may be repeated)")
      ->type_name("TABLE");
  command->add_option("--slices", options->slices, "Writers, and thus slices NNNN, of a table")
      ->check(CLI::Range(1, deliver::kMaxSlices))
      ->capture_default_str();
  command->add_option("--compression", options->compression)
      ->check(CLI::IsMember({"snappy", "zstd", "none"}))
      ->capture_default_str();
  command->add_flag("--plan", options->plan, "Show what would be done; change nothing");
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/true);
  command->footer(
      "Examples:\n"
      "  tidegate deliver shop.duckdb ./bucket --config tidegate.toml                 this hour, contract v2\n"
      "  tidegate deliver shop.duckdb ./bucket --delivery v1/__initial__ --at 2026-11-01T07:00:00Z\n"
      "  tidegate deliver ./exports ./bucket --delivery v2/2026-11-03/03 --plan\n"
      "Run it again after a crash: it finishes what is not sealed, and changes nothing that is.");
  OnRun(*command, exit_code, [options] { return Deliver(*options); });
}

}  // namespace tidegate::cli
