// tidegate ingest SRC LAKE
#include "tidegate/cli/ingest_command.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "tidegate/app/memory.h"
#include "tidegate/app/open_store.h"
#include "tidegate/app/request_cost.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/version.h"
#include "tidegate/ingest/ingest.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::cli {
namespace {

using cli::ToJson;  // those of the header; the ones below would hide them

struct Options {
  CommonOptions common;
  TableChoice choice;
  WatchOptions watch;
  std::string bucket, lake;
  bool plan = false;
  bool detailed = false;
  std::vector<std::string> full_refresh;
  bool accept_loss = false;
  bool list_all = false;
  int jobs = 0;
  std::string memory;  // empty: as the settings say
};

OrderedJson ToJson(const std::vector<ingest::Warning>& warnings) {
  OrderedJson out = OrderedJson::array();
  for (const auto& w : warnings) {
    OrderedJson entry{{"kind", w.kind}, {"table", w.table}, {"folder", w.folder}, {"message", w.message}};
    if (w.count > 0) entry["count"] = w.count;
    if (!w.name.empty()) entry["name"] = w.name;
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

OrderedJson ToJson(const std::vector<ingest::Problem>& problems) {
  OrderedJson out = OrderedJson::array();
  for (const auto& p : problems) {
    out.push_back(OrderedJson{{"reason", p.reason}, {"table", p.table}, {"folder", p.folder}, {"message", p.message}});
  }
  return out;
}

OrderedJson ToJson(const std::vector<ingest::Waiting>& waiting) {
  OrderedJson out = OrderedJson::array();
  for (const auto& w : waiting) {
    out.push_back(OrderedJson{{"table", w.table},
                              {"delivery", w.delivery.ToString()},
                              {"state", w.pending ? "pending" : "missing"},
                              {"reason", w.reason}});
  }
  return out;
}

OrderedJson ToJson(const std::vector<ingest::Held>& held) {
  OrderedJson out = OrderedJson::array();
  for (const auto& h : held) {
    out.push_back(OrderedJson{
        {"table", h.table}, {"folder", h.folder}, {"rows_before", h.rows_before}, {"rows_now", h.rows_now}});
  }
  return out;
}

OrderedJson ToJson(const std::vector<ingest::Cold>& cold) {
  OrderedJson out = OrderedJson::array();
  for (const auto& c : cold) {
    OrderedJson folders = OrderedJson::array();
    for (const auto& f : c.folders) {
      folders.push_back(OrderedJson{{"folder", f.folder.Path()},
                                    {"state", f.thawing ? "thawing" : "frozen"},
                                    {"objects", f.objects},
                                    {"bytes", f.bytes}});
    }
    out.push_back(OrderedJson{{"table", c.table},
                              {"waits", ingest::ColdScopeName(c.scope)},
                              {"reason", c.state()},
                              {"folders", std::move(folders)},
                              {"of_folders", c.of_folders},
                              {"objects", c.objects()},
                              {"bytes", c.bytes()},
                              {"message", ingest::Describe(c)}});
  }
  return out;
}

namespace {

OrderedJson ToJson(const ingest::TableResult& t) {
  OrderedJson out{{"table", t.table},
                  {"mode", contract::ModeName(t.mode)},
                  {"action", ingest::ActionName(t.action)},
                  {"folders", t.folders},
                  {"files", t.files},
                  {"files_rewritten", t.files_rewritten},
                  {"rows_in", t.rows_in},
                  {"rows_superseded", t.superseded},
                  {"rows_rejected", t.rejected},
                  {"bytes_in", t.bytes_in}};
  if (t.snapshot_id != 0) out["snapshot_id"] = t.snapshot_id;
  if (t.delivered_through) out["delivered_through"] = FormatRfc3339(*t.delivered_through);
  return out;
}

std::string Outcome(const ingest::IngestReport& report) {
  if (report.failed()) return "failed";
  return report.applied_anything() ? "done" : "nothing_new";
}

OrderedJson ToJson(const ingest::IngestReport& report, const store::StoreCounters& bucket,
                   const store::StoreCounters& lake) {
  OrderedJson tables = OrderedJson::array();
  for (const auto& table : report.tables) tables.push_back(ToJson(table));
  OrderedJson out{{"outcome", Outcome(report)},          {"contract_version", contract::VersionName(report.version)},
                  {"tables", std::move(tables)},         {"warnings", ToJson(report.warnings)},
                  {"problems", ToJson(report.problems)}, {"waiting", ToJson(report.waiting)},
                  {"held", ToJson(report.held)},         {"cold", ToJson(report.cold)}};
  AddRequests("bucket", bucket, out);
  AddRequests("lake", lake, out);
  out["listed_all"] = report.listed_all;
  out["lake_bytes_written"] = lake.all.bytes_written;
  out["lake_bytes_adopted"] = lake.all.bytes_adopted;
  return out;
}

OrderedJson ToJson(const ingest::IngestPlan& plan) {
  OrderedJson tables = OrderedJson::array();
  for (const auto& t : plan.tables) {
    OrderedJson folders = OrderedJson::array();
    for (const auto& f : t.folders) {
      folders.push_back(OrderedJson{{"folder", f.folder.Path()}, {"files", f.files.size()}, {"bytes", f.bytes()}});
    }
    tables.push_back(OrderedJson{{"table", t.table.ToString()},
                                 {"mode", contract::ModeName(t.rules.mode)},
                                 {"mode_from", t.rules.mode_source},
                                 {"key", t.rules.key},
                                 {"action", ingest::ActionName(t.action)},
                                 {"folders", std::move(folders)},
                                 {"warnings", ToJson(t.warnings)},
                                 {"problems", ToJson(t.problems)},
                                 {"cold", ToJson(t.cold)}});
  }
  return OrderedJson{{"contract_version", contract::VersionName(plan.version)},
                     {"tables", std::move(tables)},
                     {"warnings", ToJson(plan.warnings)},
                     {"waiting", ToJson(plan.waiting)}};
}

}  // namespace

void LogWarnings(const std::vector<ingest::Warning>& warnings) {
  for (const auto& w : warnings) {
    std::string line = w.table.empty() ? "" : w.table + ": ";
    if (!w.folder.empty()) line += w.folder + ": ";
    Log(LogLevel::kWarning, line + w.message);
  }
}

void LogProblems(const std::vector<ingest::Problem>& problems) {
  for (const auto& p : problems) {
    Log(LogLevel::kError, p.table + ": " + (p.folder.empty() ? "" : p.folder + ": ") + p.message);
  }
}

std::string Summary(const ingest::IngestReport& report) {
  const std::string contract = " (contract " + std::string(contract::VersionName(report.version)) + ")";
  const auto& tables = report.tables;
  const auto changed =
      std::count_if(tables.begin(), tables.end(), [](const auto& t) { return ingest::ChangesRows(t.action); });
  if (report.empty_bucket) {
    return "nothing delivered: there is neither v1/<schema>/<table>/… nor v2/… in the bucket. Is the path right?";
  }
  if (changed == 0 && !report.failed()) {
    const std::string state = report.cold.empty() ? " tables up to date" : " tables, some of it in cold storage";
    return "nothing new: " + std::to_string(tables.size()) + state + contract;
  }
  return std::to_string(changed) + " of " + std::to_string(tables.size()) + " tables updated" + contract +
         (report.failed() ? "; some could not be: see the errors above" : "");
}

namespace {

void PrintTable(const ingest::TableResult& t) {
  if (t.action == ingest::Action::kNothing) return;
  if (t.action == ingest::Action::kSettle) {
    std::printf("%s: recorded what was decided; no rows changed\n", t.table.c_str());
    return;
  }
  std::string line = t.table + ": " + std::string(ingest::ActionName(t.action)) + " " +
                     Plural(t.folders.size(), "folder", "folders") + ", " + HumanCount(t.rows_in) + " rows in " +
                     Plural(t.files, "file", "files") + " (" + HumanBytes(t.bytes_in) + ")";
  if (t.superseded > 0) line += ", " + HumanCount(t.superseded) + " superseded";
  if (t.rejected > 0) line += ", " + HumanCount(t.rejected) + " with a null key set aside";
  if (t.files_rewritten > 0) line += ", " + HumanCount(t.files_rewritten) + " rewritten";
  if (t.delivered_through) line += ", through " + FormatRfc3339(*t.delivered_through);
  std::printf("%s\n", line.c_str());
}

void PrintReport(const ingest::IngestReport& report) {
  for (const auto& table : report.tables) PrintTable(table);
  for (const auto& w : report.waiting) {
    std::printf("%s: %s since %s%s\n", w.table.c_str(), w.pending ? "pending" : "missing",
                w.delivery.ToString().c_str(), w.reason.empty() ? "" : (", reason given: " + Quoted(w.reason)).c_str());
  }
  for (const auto& h : report.held) {
    std::printf("%s: held: %s has %s rows, the table %s: readers keep them; `tidegate accept` lets it in\n",
                h.table.c_str(), h.folder.c_str(), HumanCount(h.rows_now).c_str(), HumanCount(h.rows_before).c_str());
  }
  for (const auto& c : report.cold) std::printf("%s: %s\n", c.table.c_str(), ingest::Describe(c).c_str());
  std::printf("%s%s\n", Summary(report).c_str(), report.failed() ? ", and run again once they are mended" : "");
}

int ExitCode(const ingest::IngestReport& report, bool detailed) {
  if (report.failed()) return kFailed;
  if (!detailed) return kDone;
  if (report.anything_waits()) return kSomethingWaits;
  return report.applied_anything() ? kDone : kNothingNew;
}

int ShowPlan(const Options& options, store::ObjectStore& bucket, store::ObjectStore& lake,
             const ingest::IngestOptions& run) {
  auto plan = ingest::PlanIngest(bucket, lake, run);
  if (!plan.ok()) return Fail(plan.status());
  if (options.common.json) {
    PrintJson(ToJson(*plan));
    return kDone;
  }
  LogWarnings(plan->warnings);
  for (const auto& table : plan->tables) {
    LogWarnings(table.warnings);
    LogProblems(table.problems);
    std::printf("%s\n", ingest::Describe(table).c_str());
  }
  std::printf("plan only: nothing was changed (contract %s)\n",
              std::string(contract::VersionName(plan->version)).c_str());
  return kDone;
}

int Ingest(const Options& options) {
  ApplyVerbosity(options.common);
  auto settings = app::LoadSettings(options.common.config);
  if (!settings.ok()) return Fail(settings.status());
  auto clock = MakeClock(options.common);
  if (!clock.ok()) return Fail(clock.status());
  auto bucket = OpenStore(options.common, options.bucket, app::OpenMode::kMustExist);
  if (!bucket.ok()) return Fail(bucket.status());
  auto lake =
      OpenLake(options.common, options.lake, options.plan ? app::OpenMode::kMayBeEmpty : app::OpenMode::kCreate);
  if (!lake.ok()) return Fail(lake.status());
  store::MeteredObjectStore metered_bucket(*std::move(bucket));
  store::MeteredObjectStore metered_lake(*std::move(lake));

  std::optional<int64_t> memory;
  if (const Status bad = TakeOption(options.memory, "--memory", app::ParseMemory, &memory); !bad.ok()) return Fail(bad);

  Progress progress("ingest");
  ingest::IngestOptions run;
  const auto take_settings = [&](const app::Settings& taken) {
    run.catalog = taken.catalog;
    run.guard = taken.shrink_guard;
    run.list_all_every = taken.list_all_every;
    const int usual = taken.ingest_jobs.value_or(int(std::max(1U, std::thread::hardware_concurrency())));
    run.jobs = options.jobs > 0 ? options.jobs : usual;
    run.memory_bytes = memory.value_or(taken.ingest_memory.value_or(app::UsualMemory()));
  };
  take_settings(*settings);
  run.table_globs = options.choice.tables;
  run.exclude_globs = options.choice.exclude;
  run.full_refresh_globs = options.full_refresh;
  run.accept_loss = options.accept_loss;
  run.list_all = options.list_all;
  run.cancel = &StopFlag();
  run.clock = clock->get();
  run.tool_version = kVersion;
  run.progress = [&](const std::string& table, size_t done, size_t total) { progress.Step(table, done, total); };
  if (options.plan) return ShowPlan(options, metered_bucket, metered_lake, run);
  if (options.watch.on) {
    return WatchIngest({options.common, options.watch, metered_bucket, metered_lake, run, take_settings}, *settings);
  }

  auto report = ingest::RunIngest(metered_bucket, metered_lake, run);
  if (!report.ok()) return Fail(report.status());
  LogRequests("bucket", app::RequestsOf(metered_bucket));
  LogRequests("lake", app::RequestsOf(metered_lake));
  if (options.common.json) {
    PrintJson(ToJson(*report, app::RequestsOf(metered_bucket), app::RequestsOf(metered_lake)));
  } else {
    LogWarnings(report->warnings);
    LogProblems(report->problems);
    PrintReport(*report);
  }
  return ExitCode(*report, options.detailed);
}

}  // namespace

void AddIngest(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("ingest", "Bring every table of a lake up to date with a delivery bucket");
  command->add_option("SRC", options->bucket, "The delivery bucket: a path, s3://bucket/prefix or gs://bucket/prefix")
      ->required();
  command->add_option("LAKE", options->lake, "The lake: a folder, made where it does not exist, or s3://bucket/prefix")
      ->required();
  auto* plan = command->add_flag("--plan", options->plan, "Show what would be done; change nothing");
  command->add_option("--jobs", options->jobs, "Tables at a time (default: one per core)")->check(CLI::Range(1, 256));
  command
      ->add_option("--memory", options->memory,
                   "Memory for the keys of all tables at work (default: half of the machine's)")
      ->type_name("SIZE");
  auto* detailed = command->add_flag("--detailed-exitcode", options->detailed,
                                     "Exit 3 when nothing was new, 4 when something waits");
  auto* refresh = command->add_option("--full-refresh", options->full_refresh,
                                      "Build tables that match anew from all sealed folders (may be repeated)");
  refresh->type_name("TABLE")->allow_extra_args(false);
  command
      ->add_flag("--accept-loss", options->accept_loss,
                 "With --full-refresh: also without folders that are no longer in the bucket")
      ->needs(refresh);
  command->add_flag("--list-all", options->list_all,
                    "List the whole bucket, also where a look at the recent days would do");
  AddWatch(*command, options->watch);
  command->get_option("--watch")->excludes(plan)->excludes(detailed)->excludes(refresh);
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/true);
  command->footer(
      "Examples:\n"
      "  tidegate ingest ./bucket ./lake\n"
      "  tidegate ingest ./bucket ./lake --plan\n"
      "  tidegate ingest ./bucket ./lake --table 'shop.*' --exclude '*.tmp_*'\n"
      "  tidegate ingest ./bucket ./lake --full-refresh shop.orders --plan\n"
      "  tidegate ingest ./bucket ./lake --watch\n"
      "Run it as often as you like: a folder is applied exactly once.");
  OnRun(*command, exit_code, [options] { return Ingest(*options); });
}

}  // namespace tidegate::cli
