// tidegate restore SRC [LAKE]: ask for what lies in cold storage.
#include <cstdio>
#include <fstream>
#include <optional>

#include "tidegate/app/open_store.h"
#include "tidegate/app/time_text.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/cli/signals.h"
#include "tidegate/thaw/cold_objects.h"
#include "tidegate/thaw/owner_request.h"
#include "tidegate/thaw/restore_plan.h"
#include "tidegate/thaw/restore_run.h"
#include "tidegate/upkeep/as_of.h"

namespace tidegate::cli {
namespace {

constexpr size_t kCommandsShown = 10;
constexpr size_t kFailuresShown = 100;

struct Options {
  CommonOptions common;
  TableChoice choice;
  std::string bucket, lake, since, until, tier = "bulk", wait, request_file;
  int days = 7;
  bool yes = false, plan = false, wait_given = false, manifests = false;
};

/// What came of it.
struct Outcome {
  std::optional<thaw::AskOutcome> asked;
  std::optional<thaw::WaitOutcome> waited;
};

Status TakeDelivery(const std::string& text, const char* option, std::optional<contract::Delivery>* out) {
  return TakeOption(text, option, upkeep::ParseTypedDelivery, out);
}

Result<thaw::FindOptions> FindChoice(const Options& options, const app::Settings& settings, UtcTime now) {
  thaw::FindOptions out;
  out.catalog = settings.catalog;
  out.table_globs = options.choice.tables;
  out.exclude_globs = options.choice.exclude;
  out.manifests = options.manifests;
  out.now = now;
  out.cancel = &StopFlag();
  TG_RETURN_IF_ERROR(TakeDelivery(options.since, "--since", &out.since));
  TG_RETURN_IF_ERROR(TakeDelivery(options.until, "--until", &out.until));
  return out;
}

Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return Unavailable("cannot write the request file " + Quoted(path) + ": is the folder there, and may it be written?");
}

/// For the owner: a manifest of S3 Batch Operations where the name ends in .csv, else a shell script.
Status WriteRequest(const store::ObjectStore& bucket, const thaw::RestorePlan& plan, const std::string& path) {
  if (path.ends_with(".csv")) {
    TG_ASSIGN_OR_RETURN(const std::string manifest, thaw::BatchManifest(bucket, plan));
    return WriteFile(path, manifest);
  }
  TG_ASSIGN_OR_RETURN(const auto commands, thaw::RestoreCommands(bucket, plan));
  return WriteFile(path, "#!/bin/sh\n" + Join(commands, "\n") + "\n");
}

std::string RightNeeded(const store::ObjectStore& bucket) {
  const auto resource = thaw::ResourceOf(bucket);
  return std::string(thaw::kRestoreAction) + (resource.ok() ? " on " + *resource : "");
}

/// To stderr: what a person sends to the bucket's owner.
void PrintRequest(const Options& options, const store::ObjectStore& bucket, const thaw::RestorePlan& plan) {
  Log(LogLevel::kError, "the bucket's owner does not let you restore objects. Ask them for " + RightNeeded(bucket) +
                            ", or to run this for you:");
  const auto commands = thaw::RestoreCommands(bucket, plan);
  if (!commands.ok()) return;
  for (size_t i = 0; i < commands->size() && i < kCommandsShown; ++i)
    std::fprintf(stderr, "%s\n", (*commands)[i].c_str());
  const size_t more = commands->size() - std::min(commands->size(), kCommandsShown);
  if (!options.request_file.empty())
    std::fprintf(stderr, "all of it stands in %s\n", Quoted(options.request_file).c_str());
  else if (more > 0)
    std::fprintf(stderr,
                 "and %s more: --request-file FILE writes all of them (FILE.csv: a manifest of S3 Batch Operations)\n",
                 HumanCount(static_cast<int64_t>(more)).c_str());
}

OrderedJson ToJson(const thaw::Cost& cost) {
  return OrderedJson{{"retrieval", cost.retrieval},
                     {"requests", cost.requests},
                     {"temporary_copy", cost.temporary_copy},
                     {"total", cost.total()}};
}

OrderedJson ToJson(const thaw::AskOutcome& asked, const store::ObjectStore& bucket) {
  OrderedJson failed = OrderedJson::array();
  for (const auto& failure : asked.failed) {
    failed.push_back(OrderedJson{{"key", failure.key}, {"message", failure.why.message()}});
  }
  OrderedJson out{{"asked", asked.asked},
                  {"failed", std::move(failed)},
                  {"not_tried", asked.not_tried},
                  {"denied", asked.denied()}};
  if (!asked.denied()) return out;
  out["action"] = thaw::kRestoreAction;
  if (const auto resource = thaw::ResourceOf(bucket); resource.ok()) out["resource"] = *resource;
  return out;
}

std::string_view WaitedName(thaw::Waited end) {
  switch (end) {
    case thaw::Waited::kAllReadable:
      return "readable";
    case thaw::Waited::kTimedOut:
      return "timed_out";
    case thaw::Waited::kStopped:
      return "stopped";
  }
  return "stopped";
}

OrderedJson ToJson(const thaw::RestorePlan& plan, const Outcome& outcome, const store::ObjectStore& bucket) {
  OrderedJson tables = OrderedJson::array();
  for (const auto& t : plan.tables) {
    tables.push_back(OrderedJson{
        {"table", t.table}, {"objects", t.objects}, {"bytes", t.bytes}, {"thawing", t.thawing}, {"thawed", t.thawed}});
  }
  OrderedJson out{{"tier", thaw::TierName(plan.tier)},
                  {"days", plan.days},
                  {"tables", std::move(tables)},
                  {"objects", plan.ask.size()},
                  {"bytes", plan.bytes()},
                  {"thawing", plan.thawing.size()},
                  {"cost_usd", ToJson(plan.cost)},
                  {"usually_takes", plan.usually_takes}};
  if (outcome.asked) out["restore"] = ToJson(*outcome.asked, bucket);
  if (outcome.waited) {
    out["wait"] = OrderedJson{{"end", WaitedName(outcome.waited->end)}, {"readable", outcome.waited->readable}};
  }
  return out;
}

void PrintAsked(const thaw::AskOutcome& asked) {
  for (size_t i = 0; i < asked.failed.size() && i < kFailuresShown; ++i) {
    Log(LogLevel::kError, asked.failed[i].why.message());
  }
  if (asked.failed.size() > kFailuresShown) {
    Log(LogLevel::kError, HumanCount(int64_t(asked.failed.size() - kFailuresShown)) + " more failed; --json names all");
  }
  if (asked.not_tried > 0) {
    Log(LogLevel::kError,
        Plural(asked.not_tried, "object was", "objects were") + " not asked for after so many denials");
  }
}

/// The line of a text report that says what was asked for.
std::string AskedLine(const thaw::AskOutcome& asked, const Options& options) {
  std::string out = "asked for " + Plural(asked.asked, "object", "objects");
  if (!asked.failed.empty()) return out + ", " + Plural(std::ssize(asked.failed), "one", "ones") + " failed: see above";
  return out + (options.wait_given ? "" : "; --wait waits until they can be read, or run `tidegate ingest` later");
}

Result<thaw::WaitOutcome> Wait(const Options& options, store::ObjectStore& bucket, const thaw::RestorePlan& plan) {
  std::optional<std::chrono::milliseconds> at_most;
  TG_RETURN_IF_ERROR(TakeOption(options.wait, "--wait", app::ParseDuration, &at_most));
  SignalWaiter waiter;
  SystemClock clock;
  thaw::WaitPorts ports;
  ports.now = [&] { return clock.Now(); };
  ports.sleep = [&](std::chrono::milliseconds pause) {
    return waiter.Wait(pause) != app::Wake::kStop && !StopFlag().cancelled();
  };
  ports.tell = [](size_t readable, size_t all, std::chrono::milliseconds pause) {
    Log(LogLevel::kInfo, std::to_string(readable) + " of " + std::to_string(all) +
                             " objects can be read, looking again in " + app::HumanDuration(pause));
  };
  std::vector<thaw::ColdObject> objects = plan.ask;
  objects.insert(objects.end(), plan.thawing.begin(), plan.thawing.end());
  return thaw::WaitUntilReadable(bucket, std::move(objects), at_most, ports);
}

void PrintWaited(const thaw::WaitOutcome& waited) {
  if (waited.end == thaw::Waited::kAllReadable) {
    std::printf("all can be read: run `tidegate ingest` now\n");
    return;
  }
  Log(LogLevel::kError, std::string(waited.end == thaw::Waited::kTimedOut ? "not all can be read yet" : "stopped") +
                            ": the first that cannot is " + Quoted(waited.first_unreadable, 1200) +
                            "; run again to go on waiting");
}

int ExitCode(const Outcome& outcome) {
  if (outcome.asked && (!outcome.asked->failed.empty() || outcome.asked->not_tried > 0)) return kFailed;
  if (outcome.waited && outcome.waited->end == thaw::Waited::kTimedOut) return kFailed;
  return kDone;
}

/// What a plan without --yes ends with.
void PrintHowToGoOn(const Options& options, const thaw::RestorePlan& plan) {
  if (plan.ask.empty()) return;
  std::printf("nothing was asked for: %s\n", options.plan ? "plan only" : "add --yes to ask for it");
}

Status CarryOut(const Options& options, store::ObjectStore& bucket, const thaw::RestorePlan& plan, Outcome& out) {
  const bool text = !options.common.json;
  if (text) std::printf("%s", thaw::Describe(plan).c_str());
  if (!options.request_file.empty()) TG_RETURN_IF_ERROR(WriteRequest(bucket, plan, options.request_file));
  if (options.yes) {
    TG_ASSIGN_OR_RETURN(out.asked, thaw::AskForAll(bucket, plan, &StopFlag()));
    PrintAsked(*out.asked);
    if (out.asked->denied()) PrintRequest(options, bucket, plan);
    if (text && !plan.ask.empty()) std::printf("%s\n", AskedLine(*out.asked, options).c_str());
  } else if (text) {
    PrintHowToGoOn(options, plan);
  }
  std::fflush(stdout);
  if (!options.wait_given || ExitCode(out) != kDone) return {};
  TG_ASSIGN_OR_RETURN(out.waited, Wait(options, bucket, plan));
  if (text || out.waited->end != thaw::Waited::kAllReadable) PrintWaited(*out.waited);
  return {};
}

int Restore(const Options& options) {
  ApplyVerbosity(options.common);
  const auto settings = app::LoadSettings(options.common.config);
  if (!settings.ok()) return Fail(settings.status());
  const auto clock = MakeClock(options.common);
  if (!clock.ok()) return Fail(clock.status());
  const auto tier = thaw::ParseTier(options.tier);
  if (!tier.ok()) return Fail(tier.status().WithContext("--tier"));
  const auto find = FindChoice(options, *settings, (*clock)->Now());
  if (!find.ok()) return Fail(find.status());
  const auto bucket = OpenStore(options.common, options.bucket, app::OpenMode::kMustExist);
  if (!bucket.ok()) return Fail(bucket.status());
  std::unique_ptr<store::ObjectStore> lake;
  if (!options.lake.empty()) {
    auto opened = OpenLake(options.common, options.lake, app::OpenMode::kMayBeEmpty);
    if (!opened.ok()) return Fail(opened.status());
    lake = *std::move(opened);
  }
  const auto cold = thaw::FindCold(**bucket, lake.get(), *find);
  if (!cold.ok()) return Fail(cold.status());
  const thaw::RestorePlan plan = thaw::PlanRestore(*cold, *tier, options.days);
  Outcome outcome;
  if (const Status done = CarryOut(options, **bucket, plan, outcome); !done.ok()) return Fail(done);
  if (options.common.json) PrintJson(ToJson(plan, outcome, **bucket));
  return ExitCode(outcome);
}

}  // namespace

void AddRestore(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("restore", "Ask for what lies in cold storage, after a look at what it costs");
  command->add_option("SRC", options->bucket, "The delivery bucket")->required();
  command->add_option("LAKE", options->lake, "Only what the next ingest into this lake needs");
  command->add_option("--since", options->since, "Only this delivery and later ones")->type_name("DELIVERY");
  command->add_option("--until", options->until, "Only this delivery and earlier ones")->type_name("DELIVERY");
  command
      ->add_option("--tier", options->tier,
                   "bulk (default: the cheapest, free of charge for GLACIER), standard or expedited")
      ->type_name("TIER");
  command->add_option("--days", options->days, "How long the objects stay readable (default: 7)")
      ->check(CLI::Range(1, 365));
  command->add_flag("--manifests", options->manifests, "Manifests in cold storage, too");
  auto* plan =
      command->add_flag("--plan", options->plan, "Show what would be asked for; ask for nothing (as without --yes)");
  command->add_flag("--yes", options->yes, "Ask for it")->excludes(plan);
  auto* wait =
      command->add_option("--wait", options->wait, "Wait until all can be read; with a DURATION at most so long")
          ->type_name("[DURATION]")
          ->expected(0, 1);
  command
      ->add_option("--request-file", options->request_file,
                   "Write the requests for the bucket's owner: a shell script, or FILE.csv for S3 Batch Operations")
      ->type_name("FILE");
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/true);
  command->footer(
      "Examples:\n"
      "  tidegate restore s3://vendor-bucket ./lake\n"
      "  tidegate restore s3://vendor-bucket ./lake --yes --wait\n"
      "  tidegate restore s3://vendor-bucket --table shop.orders --until 2026-03-01 --tier standard\n"
      "  tidegate restore s3://vendor-bucket ./lake --request-file for-the-owner.csv\n"
      "Asking twice is harmless: what is being restored is left alone.");
  OnRun(*command, exit_code, [options, wait] {
    options->wait_given = wait->count() > 0;
    return Restore(*options);
  });
}

}  // namespace tidegate::cli
