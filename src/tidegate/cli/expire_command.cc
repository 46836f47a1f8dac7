// tidegate expire LAKE
#include <cstdio>

#include "tidegate/app/open_store.h"
#include "tidegate/app/time_text.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/upkeep/expire.h"

namespace tidegate::cli {
namespace {

/// A run that is at work has files that nothing names yet; they must not look like orphans.
constexpr std::chrono::hours kLeastOrphanAge{1};

struct Options {
  CommonOptions common;
  TableChoice choice;
  std::string lake, older_than, orphans_older_than;
  int keep_last = 0;  // 0: not said
  int keep_metadata = 100;
  bool plan = false;
};

Result<upkeep::ExpirePolicy> MakePolicy(const Options& options, const app::Settings& settings) {
  upkeep::ExpirePolicy out;
  out.keep_last = size_t(options.keep_last > 0 ? options.keep_last : settings.keep_snapshots.value_or(1));
  if (settings.keep_for) out.keep_for = *settings.keep_for;
  out.keep_versions = options.keep_metadata;
  TG_RETURN_IF_ERROR(TakeOption(options.older_than, "--older-than", app::ParseDuration, &out.keep_for));
  TG_RETURN_IF_ERROR(
      TakeOption(options.orphans_older_than, "--orphans-older-than", app::ParseDuration, &out.orphans_older_than));
  if (out.orphans_older_than < kLeastOrphanAge) {
    return InvalidArgument("--orphans-older-than: at least 1h, as a run at work has files that nothing names yet");
  }
  return out;
}

OrderedJson Keys(const std::vector<store::ObjectInfo>& objects) {
  OrderedJson out = OrderedJson::array();
  for (const auto& object : objects) out.push_back(object.key);
  return out;
}

OrderedJson ToJson(const upkeep::TableExpiry& done) {
  OrderedJson out{{"table", done.table.ToString()},
                  {"snapshots", done.plan.snapshots},
                  {"snapshots_left", done.plan.snapshots_left},
                  {"files", Keys(done.plan.unreferenced)},
                  {"orphans", Keys(done.plan.orphans)},
                  {"old_metadata", Keys(done.plan.versions)},
                  {"bytes", done.plan.bytes()}};
  if (!done.status.ok()) out["error"] = done.status.message();
  return out;
}

void Print(const upkeep::TableExpiry& done, bool with_files) {
  if (!done.status.ok()) {
    Log(LogLevel::kError, done.table.ToString() + ": " + done.status.message());
    return;
  }
  std::printf("%s\n", upkeep::Describe(done.plan).c_str());
  if (!with_files) return;
  for (const auto* list : {&done.plan.unreferenced, &done.plan.orphans, &done.plan.versions}) {
    for (const auto& object : *list) {
      std::printf("    %s  %s\n", Quoted(object.key, 1024).c_str(), HumanBytes(object.size_bytes).c_str());
    }
  }
}

int Report(const std::vector<upkeep::TableExpiry>& tables, const Options& options) {
  bool failed = false;
  OrderedJson out = OrderedJson::array();
  for (const auto& table : tables) {
    failed = failed || !table.status.ok();
    if (options.common.json)
      out.push_back(ToJson(table));
    else
      Print(table, options.common.verbose);
  }
  if (options.common.json)
    PrintJson(OrderedJson{{"plan_only", options.plan}, {"tables", std::move(out)}});
  else if (tables.empty())
    std::printf("there is no such table in this lake\n");
  else if (options.plan)
    std::printf("plan only: nothing was changed\n");
  return failed ? kFailed : kDone;
}

int Expire(const Options& options) {
  ApplyVerbosity(options.common);
  auto settings = app::LoadSettings(options.common.config);
  if (!settings.ok()) return Fail(settings.status());
  auto policy = MakePolicy(options, *settings);
  if (!policy.ok()) return Fail(policy.status());
  auto clock = MakeClock(options.common);
  if (!clock.ok()) return Fail(clock.status());
  auto lake = OpenLake(options.common, options.lake, app::OpenMode::kMustExist);
  if (!lake.ok()) return Fail(lake.status());
  upkeep::ExpireOptions run;
  run.policy = *policy;
  run.table_globs = options.choice.tables;
  run.exclude_globs = options.choice.exclude;
  run.plan_only = options.plan;
  run.clock = clock->get();
  run.cancel = &StopFlag();
  const auto done = upkeep::ExpireLake(**lake, run);
  return done.ok() ? Report(*done, options) : Fail(done.status());
}

}  // namespace

void AddExpire(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("expire", "Forget old states of a lake's tables and remove what nobody needs");
  command->add_option("LAKE", options->lake, "The lake: a path or s3://bucket/prefix")->required();
  command->add_option("--keep-last", options->keep_last, "Keep the newest N states of each table (default: 1)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  command
      ->add_option("--older-than", options->older_than, "Keep states that were current within this time (default: 7d)")
      ->type_name("DURATION");
  command
      ->add_option("--orphans-older-than", options->orphans_older_than,
                   "Files that no state names go once they are older (default: 3d)")
      ->type_name("DURATION");
  command->add_option("--keep-metadata", options->keep_metadata, "Keep so many vN.metadata.json beside the newest")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--plan", options->plan, "Show what would be removed; change nothing");
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/true);
  command->footer(
      "Examples:\n"
      "  tidegate expire ./lake --plan\n"
      "  tidegate expire ./lake --keep-last 24 --older-than 30d\n"
      "  tidegate expire ./lake --table 'shop.*' --older-than 0s\n"
      "The current state of a table always stays. -v names each file.");
  OnRun(*command, exit_code, [options] { return Expire(*options); });
}

}  // namespace tidegate::cli
