#include "tidegate/ingest/ingest.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/ingest/hold.h"
#include "tidegate/ingest/hold_back.h"
#include "tidegate/ingest/lake_tables.h"
#include "tidegate/ingest/note_listing.h"
#include "tidegate/ingest/open_points.h"
#include "tidegate/ingest/table_job.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/table/catalog_db.h"

namespace tidegate::ingest {
namespace {

using contract::TableName;

/// What other programs committed to the catalog alone is not part of the tables, and that is said.
std::vector<Warning> ForeignCommits(const std::vector<table::CatalogTable>& replaced) {
  std::vector<Warning> out;
  out.reserve(replaced.size());
  for (const table::CatalogTable& entry : replaced) {
    out.push_back({"foreign_commit", TableName{entry.schema, entry.name}.ToString(), "",
                   table::DescribeForeignCommit(entry), 0, ""});
  }
  return out;
}

/// Readers that want names find the tables in catalog.db, which is derived: a failure is said and mended by the next
/// run. `located` are the tables that this run has read or written; the others of the lake are looked up.
std::vector<Warning> RefreshCatalog(store::ObjectStore& lake, const std::vector<TableName>& in_lake,
                                    std::map<TableName, std::string> located) {
  const auto replaced = table::RefreshCatalogOf(lake, in_lake, std::move(located));
  if (replaced.ok()) return ForeignCommits(*replaced);
  Log(LogLevel::kWarning, "catalog.db of the lake was not brought up to date: " + replaced.status().message());
  return {};
}

LookOptions LookChoice(const IngestOptions& options) {
  LookOptions out;
  out.table_globs = options.table_globs;
  out.exclude_globs = options.exclude_globs;
  out.catalog = &options.catalog;
  out.now = options.clock->Now();
  out.list_all_every = options.list_all_every;
  out.list_all = options.list_all || !options.full_refresh_globs.empty();
  return out;
}

bool ToBeRefreshed(const TableName& name, const IngestOptions& options) {
  return std::any_of(options.full_refresh_globs.begin(), options.full_refresh_globs.end(),
                     [&](const std::string& glob) { return GlobMatches(glob, name.ToString()); });
}

/// A glob of --full-refresh that fits no table is a mistake of who typed it.
Status CheckRefreshGlobs(const LakeTables& tables, const IngestOptions& options) {
  for (const std::string& glob : options.full_refresh_globs) {
    const auto fits = [&](const auto& entry) { return GlobMatches(glob, entry.first.ToString()); };
    if (std::none_of(tables.states.begin(), tables.states.end(), fits) &&
        std::none_of(tables.broken.begin(), tables.broken.end(), fits)) {
      return InvalidArgument("--full-refresh: no table fits " + Quoted(glob));
    }
  }
  return Status::Ok();
}

PlanChoice ChoiceOf(const TableName& name, const Look& look, const IngestOptions& options) {
  PlanChoice out = PlainChoice(look, name, options.catalog, options.clock->Now());
  out.refresh = ToBeRefreshed(name, options);
  out.accept_loss = options.accept_loss;
  return out;
}

/// What one table's turn ended in.
struct Turn {
  JobOutcome outcome;
  Status status;
  std::optional<std::string> metadata_location;  // of the table now; absent: none, or not known
  std::optional<Checkpoint> checkpoint;          // as it is now; absent: the table does not exist, or the turn failed
};

/// What is open of a folder, as it was when the run began.
OpenPoint PointOf(const bucket::BucketView& view, const contract::Folder& folder, UtcTime now) {
  OpenPoint out;
  out.folder = folder;
  out.since = now;
  const bucket::FolderMap& folders = view.FoldersOf(folder.table, folder.mode);
  if (const auto found = folders.find(folder.delivery); found != folders.end()) {
    out.fingerprint = found->second.Fingerprint();
  }
  return out;
}

/// Of very many the oldest are enough: what waits as a whole is found again by every look.
void AddColdPoints(const bucket::BucketView& view, const Cold& cold, UtcTime now, OpenPoints& out) {
  constexpr size_t kMost = 500;
  for (size_t i = 0; i < cold.folders.size() && i < kMost; ++i) {
    OpenPoint point = PointOf(view, cold.folders[i].folder, now);
    point.cold = true;
    point.reason = cold.folders[i].thawing ? "thawing" : "frozen";
    point.objects = cold.folders[i].objects;
    point.bytes = static_cast<int64_t>(cold.folders[i].bytes);
    out.push_back(std::move(point));
  }
}

OpenPoints OpenPointsOf(const bucket::BucketView& view, const JobOutcome& outcome, UtcTime now) {
  OpenPoints out;
  for (const Problem& problem : outcome.problems) {
    const auto folder = contract::ParseFolder(problem.folder);
    if (!folder.ok()) continue;  // of the table as a whole: every look finds it again
    OpenPoint point = PointOf(view, *folder, now);
    point.reason = problem.reason;
    point.message = problem.message;
    out.push_back(std::move(point));
  }
  for (const Held& held : outcome.held) {
    const auto folder = contract::ParseFolder(held.folder);
    if (!folder.ok()) continue;
    OpenPoint point = PointOf(view, *folder, now);
    point.held = true;
    point.rows_before = held.rows_before;
    point.rows_now = held.rows_now;
    out.push_back(std::move(point));
  }
  for (const Cold& cold : outcome.cold) AddColdPoints(view, cold, now, out);
  return out;
}

class Run {
 public:
  Run(store::ObjectStore& bucket, store::ObjectStore& lake, const Look& look, const IngestOptions& options)
      : bucket_(bucket), lake_(lake), look_(look), view_(look.view), options_(options) {}

  Turn DoTable(const TableName& name, TableState state) {
    PlanChoice choice = ChoiceOf(name, look_, options_);
    Turn turn = Contend(name, std::move(state), choice);
    while (turn.status.ok() && (turn.outcome.reseed_not_taken || turn.outcome.rebuild_waits)) {
      if (turn.outcome.reseed_not_taken) choice.not_taken.Insert(*turn.outcome.reseed_not_taken);
      choice.no_rebuild = choice.no_rebuild || turn.outcome.rebuild_waits;
      auto again = LoadTableState(lake_, name);  // a person's word may have been recorded
      if (!again.ok()) {
        turn.status = again.status();
        return turn;
      }
      Turn next = Contend(name, *std::move(again), choice);
      Prepend(std::move(turn.outcome.problems), next.outcome.problems);
      Prepend(std::move(turn.outcome.held), next.outcome.held);
      PrependCold(std::move(turn.outcome.cold), next.outcome.cold);
      turn = std::move(next);
    }
    if (turn.status.ok()) Note(name, turn.outcome);
    return turn;
  }

 private:
  /// Plans and runs until no other writer comes first.
  Turn Contend(const TableName& name, TableState state, const PlanChoice& choice) {
    Turn turn;
    for (int attempt = 0; attempt < table::kMaxPlans; ++attempt) {
      turn = TryTable(name, std::move(state), choice);
      if (turn.status.code() != Code::kPreconditionFailed) return turn;
      auto again = LoadTableState(lake_, name);  // another writer committed first
      if (!again.ok()) {
        turn.status = again.status();
        return turn;
      }
      state = *std::move(again);
    }
    return turn;
  }

  Turn TryTable(const TableName& name, TableState state, const PlanChoice& choice) {
    Turn turn;
    auto planned = PlanReadable(view_, bucket_, lake_, name, state, choice);
    if (!planned.ok()) {
      turn.status = planned.status();
      return turn;
    }
    TablePlan plan = *std::move(planned);
    std::vector<Warning> warnings = plan.warnings;
    std::vector<Problem> problems = plan.problems;
    std::vector<Cold> cold = plan.cold;
    turn.outcome.result.table = name.ToString();
    turn.outcome.result.mode = plan.rules.mode;
    if (state.checkpoint) turn.outcome.result.delivered_through = DeliveredThrough(view_, name, *state.checkpoint);
    if (state.table) {  // an earlier run may have died between a commit and its hint
      if (const Status hint = state.table->MendHint(); !hint.ok()) Log(LogLevel::kWarning, hint.message());
    }
    if (plan.action != Action::kNothing) {
      // A folder that is tried in every run must not be copied in every run.
      const bool open = look_.tables.marks.with_open_points.contains(name);
      const Inspect inspect = open ? Inspect::kInBucket : Inspect::kInLake;
      TableJob job(bucket_, lake_, view_, std::move(plan), std::move(state), inspect, options_);
      turn.status = job.Run(&turn.outcome);
      if (turn.status.ok()) turn.metadata_location = job.MetadataLocation();
      if (turn.status.ok()) turn.checkpoint = job.CheckpointNow();
    } else {
      if (state.table) turn.metadata_location = state.table->MetadataLocation();
      turn.checkpoint = std::move(state.checkpoint);
    }
    Prepend(std::move(warnings), turn.outcome.warnings);
    Prepend(std::move(problems), turn.outcome.problems);
    PrependCold(std::move(cold), turn.outcome.cold);
    return turn;
  }

  /// For `status`. Derived: a failure is said, and mended by the next run.
  void Note(const TableName& name, const JobOutcome& outcome) {
    const bool had_any = look_.tables.marks.with_open_points.contains(name);
    const Status noted = NoteOpenPoints(lake_, name, had_any, OpenPointsOf(view_, outcome, options_.clock->Now()));
    if (!noted.ok())
      Log(LogLevel::kWarning, "what is open of " + name.ToString() + " was not noted: " + noted.message());
  }

  template <typename T>
  static void Prepend(std::vector<T> first, std::vector<T>& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    rest = std::move(first);
  }

  static void PrependCold(std::vector<Cold> first, std::vector<Cold>& rest) {
    for (Cold& cold : rest) AddCold(std::move(cold), first);
    rest = std::move(first);
  }

  store::ObjectStore& bucket_;
  store::ObjectStore& lake_;
  const Look& look_;
  const bucket::BucketView& view_;
  const IngestOptions& options_;
};

void Collect(Turn turn, const TableName& name, IngestReport& report) {
  const auto move_into = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  turn.outcome.result.table = name.ToString();
  report.tables.push_back(std::move(turn.outcome.result));
  move_into(turn.outcome.warnings, report.warnings);
  move_into(turn.outcome.problems, report.problems);
  move_into(turn.outcome.held, report.held);
  move_into(turn.outcome.cold, report.cold);
  if (!turn.status.ok()) report.problems.push_back({"table", name.ToString(), "", turn.status.ToString()});
}

/// Tables side by side on `jobs` threads.
std::vector<Turn> DoTables(Run& run, std::vector<std::pair<TableName, TableState>>& work,
                           const IngestOptions& options) {
  std::vector<Turn> turns(work.size());
  std::atomic<size_t> next{0};
  size_t done = 0;
  std::mutex progress;
  const auto worker = [&] {
    for (size_t i; (i = next++) < work.size();) {
      if (options.cancel != nullptr && options.cancel->cancelled())
        turns[i].status = options.cancel->Check();
      else
        turns[i] = run.DoTable(work[i].first, std::move(work[i].second));
      const std::lock_guard lock(progress);
      ++done;
      if (options.progress) options.progress(work[i].first.ToString(), done, work.size());
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.jobs; ++i) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
  return turns;
}

}  // namespace

bool IngestReport::applied_anything() const {
  return std::any_of(tables.begin(), tables.end(), [](const TableResult& t) { return ChangesRows(t.action); });
}

bool IngestReport::anything_waits() const {
  const auto on_hold = [](const Warning& warning) { return warning.kind == kOnHold; };
  return !waiting.empty() || !held.empty() || !cold.empty() || std::any_of(warnings.begin(), warnings.end(), on_hold);
}

Result<IngestPlan> PlanIngest(store::ObjectStore& bucket, store::ObjectStore& lake, const IngestOptions& options) {
  TG_ASSIGN_OR_RETURN(Look look, LookAround(bucket, lake, LookChoice(options)));
  TG_RETURN_IF_ERROR(CheckRefreshGlobs(look.tables, options));
  IngestPlan plan;
  plan.version = look.version;
  plan.warnings = BucketWarnings(look.view);
  plan.waiting = StillWaiting(look.view, plan.version);
  for (const auto& [name, state] : look.tables.states) {
    auto planned = PlanReadable(look.view, bucket, lake, name, state, ChoiceOf(name, look, options));
    if (planned.ok())
      plan.tables.push_back(*std::move(planned));
    else
      look.tables.broken[name] = planned.status();
  }
  for (const auto& [name, status] : look.tables.broken) {
    TablePlan broken;
    broken.table = name;
    broken.problems.push_back({"table", name.ToString(), "", status.ToString()});
    plan.tables.push_back(std::move(broken));
  }
  return plan;
}

Result<IngestReport> RunIngest(store::ObjectStore& bucket, store::ObjectStore& lake, const IngestOptions& options) {
  TG_ASSIGN_OR_RETURN(Look look, LookAround(bucket, lake, LookChoice(options)));
  TG_RETURN_IF_ERROR(CheckRefreshGlobs(look.tables, options));
  const bucket::BucketView& view = look.view;
  IngestReport report;
  report.listed_all = !look.note;
  report.empty_bucket = view.tables.empty() && view.manifests.empty() && !view.has_v2_manifest_key;
  report.version = look.version;
  report.warnings = BucketWarnings(view);
  report.waiting = StillWaiting(view, report.version);

  Run run(bucket, lake, look, options);
  std::vector<std::pair<TableName, TableState>> work;
  for (auto& [name, state] : look.tables.states) work.emplace_back(name, std::move(state));
  std::vector<Turn> turns = DoTables(run, work, options);
  std::map<TableName, std::string> located;
  std::map<TableName, std::optional<Checkpoint>> checkpoints;
  for (size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].metadata_location) located[work[i].first] = *turns[i].metadata_location;
    if (turns[i].status.ok()) checkpoints[work[i].first] = turns[i].checkpoint;
    Collect(std::move(turns[i]), work[i].first, report);
  }
  for (const auto& [name, status] : look.tables.broken) Collect({{}, status, {}, {}}, name, report);
  // Also after a run that did nothing: the last may have been killed.
  for (Warning& warning : RefreshCatalog(lake, look.tables.in_lake, std::move(located))) {
    report.warnings.push_back(std::move(warning));
  }
  if (options.cancel != nullptr) TG_RETURN_IF_ERROR(options.cancel->Check());
  KeepManifests(lake, bucket.url(), look.manifests);
  const bool saw_all_tables = options.table_globs.empty() && options.exclude_globs.empty();
  if (saw_all_tables && checkpoints.size() == work.size()) {
    NoteListing(lake, look, checkpoints, report, {bucket.url(), options.clock->Now(), options.recent_days});
  }
  return report;
}

}  // namespace tidegate::ingest
