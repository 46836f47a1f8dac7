#include "tidegate/ingest/ingest.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/ingest/hold.h"
#include "tidegate/ingest/lake_tables.h"
#include "tidegate/ingest/open_points.h"
#include "tidegate/ingest/table_job.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/table/catalog_db.h"

namespace tidegate::ingest {
namespace {

using contract::TableName;

std::vector<Warning> BucketWarnings(const bucket::BucketView& view) {
  std::vector<Warning> out;
  for (const bucket::Finding& finding : view.findings) {
    out.push_back(
        {std::string(bucket::FindingName(finding.kind)), "", finding.subject, finding.detail, 0, finding.name});
  }
  return out;
}

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

bucket::ScanOptions Choice(const IngestOptions& options) {
  return {options.table_globs, options.exclude_globs, std::nullopt};
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

PlanChoice ChoiceOf(const TableName& name, const LakeTables& tables, contract::Version version,
                    const IngestOptions& options) {
  PlanChoice out;
  out.entry = options.catalog.Find(name);
  out.version = version;
  out.settled = tables.settled.contains(name);
  out.now = options.clock->Now();
  out.refresh = ToBeRefreshed(name, options);
  out.accept_loss = options.accept_loss;
  return out;
}

/// What one table's turn ended in.
struct Turn {
  JobOutcome outcome;
  Status status;
  std::optional<std::string> metadata_location;  // of the table now; absent: none, or not known
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
  return out;
}

class Run {
 public:
  Run(store::ObjectStore& bucket, store::ObjectStore& lake, const bucket::BucketView& view, const LakeTables& tables,
      contract::Version version, const IngestOptions& options)
      : bucket_(bucket), lake_(lake), view_(view), tables_(tables), version_(version), options_(options) {}

  Turn DoTable(const TableName& name, TableState state) {
    PlanChoice choice = ChoiceOf(name, tables_, version_, options_);
    Turn turn = Contend(name, std::move(state), choice);
    while (turn.status.ok() && turn.outcome.reseed_not_taken) {  // the others need not wait with it
      choice.not_taken.Insert(*turn.outcome.reseed_not_taken);
      auto again = LoadTableState(lake_, name);  // a person's word may have been recorded
      if (!again.ok()) {
        turn.status = again.status();
        return turn;
      }
      Turn next = Contend(name, *std::move(again), choice);
      Prepend(std::move(turn.outcome.problems), next.outcome.problems);
      Prepend(std::move(turn.outcome.held), next.outcome.held);
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
    auto planned = PlanOf(view_, lake_, name, state, choice);
    if (!planned.ok()) {
      turn.status = planned.status();
      return turn;
    }
    TablePlan plan = *std::move(planned);
    std::vector<Warning> warnings = plan.warnings;
    std::vector<Problem> problems = plan.problems;
    turn.outcome.result.table = name.ToString();
    turn.outcome.result.mode = plan.rules.mode;
    if (state.checkpoint) turn.outcome.result.delivered_through = DeliveredThrough(view_, name, *state.checkpoint);
    if (state.table) {  // an earlier run may have died between a commit and its hint
      if (const Status hint = state.table->MendHint(); !hint.ok()) Log(LogLevel::kWarning, hint.message());
    }
    if (plan.action != Action::kNothing) {
      TableJob job(bucket_, lake_, view_, std::move(plan), std::move(state), options_);
      turn.status = job.Run(&turn.outcome);
      if (turn.status.ok()) turn.metadata_location = job.MetadataLocation();
    } else if (state.table) {
      turn.metadata_location = state.table->MetadataLocation();
    }
    Prepend(std::move(warnings), turn.outcome.warnings);
    Prepend(std::move(problems), turn.outcome.problems);
    return turn;
  }

  /// For `status`. Derived: a failure is said, and mended by the next run.
  void Note(const TableName& name, const JobOutcome& outcome) {
    const bool had_any = tables_.with_open_points.contains(name);
    const Status noted = NoteOpenPoints(lake_, name, had_any, OpenPointsOf(view_, outcome, options_.clock->Now()));
    if (!noted.ok())
      Log(LogLevel::kWarning, "what is open of " + name.ToString() + " was not noted: " + noted.message());
  }

  template <typename T>
  static void Prepend(std::vector<T> first, std::vector<T>& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    rest = std::move(first);
  }

  store::ObjectStore& bucket_;
  store::ObjectStore& lake_;
  const bucket::BucketView& view_;
  const LakeTables& tables_;
  contract::Version version_;
  const IngestOptions& options_;
};

void Collect(Turn turn, const TableName& name, IngestReport& report) {
  const auto move_into = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  turn.outcome.result.table = name.ToString();
  report.tables.push_back(std::move(turn.outcome.result));
  move_into(turn.outcome.warnings, report.warnings);
  move_into(turn.outcome.problems, report.problems);
  move_into(turn.outcome.held, report.held);
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
  return !waiting.empty() || !held.empty() || std::any_of(warnings.begin(), warnings.end(), on_hold);
}

Result<IngestPlan> PlanIngest(store::ObjectStore& bucket, store::ObjectStore& lake, const IngestOptions& options) {
  TG_ASSIGN_OR_RETURN(const bucket::BucketView view, bucket::ScanBucket(bucket, Choice(options)));
  TG_ASSIGN_OR_RETURN(LakeTables tables, LoadLakeTables(view, lake, Choice(options)));
  TG_RETURN_IF_ERROR(CheckRefreshGlobs(tables, options));
  IngestPlan plan;
  plan.version = VersionInUse(view, tables.Checkpoints());
  plan.warnings = BucketWarnings(view);
  plan.waiting = StillWaiting(view, plan.version);
  for (auto& [name, state] : tables.states) {
    auto planned = PlanOf(view, lake, name, state, ChoiceOf(name, tables, plan.version, options));
    if (planned.ok())
      plan.tables.push_back(*std::move(planned));
    else
      tables.broken[name] = planned.status();
  }
  for (const auto& [name, status] : tables.broken) {
    TablePlan broken;
    broken.table = name;
    broken.problems.push_back({"table", name.ToString(), "", status.ToString()});
    plan.tables.push_back(std::move(broken));
  }
  return plan;
}

Result<IngestReport> RunIngest(store::ObjectStore& bucket, store::ObjectStore& lake, const IngestOptions& options) {
  TG_ASSIGN_OR_RETURN(const bucket::BucketView view, bucket::ScanBucket(bucket, Choice(options)));
  TG_ASSIGN_OR_RETURN(LakeTables tables, LoadLakeTables(view, lake, Choice(options)));
  TG_RETURN_IF_ERROR(CheckRefreshGlobs(tables, options));
  IngestReport report;
  report.empty_bucket = view.tables.empty() && view.manifests.empty() && !view.has_v2_manifest_key;
  report.version = VersionInUse(view, tables.Checkpoints());
  report.warnings = BucketWarnings(view);
  report.waiting = StillWaiting(view, report.version);

  Run run(bucket, lake, view, tables, report.version, options);
  std::vector<std::pair<TableName, TableState>> work;
  for (auto& [name, state] : tables.states) work.emplace_back(name, std::move(state));
  std::vector<Turn> turns = DoTables(run, work, options);
  std::map<TableName, std::string> located;
  for (size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].metadata_location) located[work[i].first] = *turns[i].metadata_location;
    Collect(std::move(turns[i]), work[i].first, report);
  }
  for (const auto& [name, status] : tables.broken) Collect({{}, status, {}}, name, report);
  // Also after a run that did nothing: the last may have been killed.
  for (Warning& warning : RefreshCatalog(lake, tables.in_lake, std::move(located))) {
    report.warnings.push_back(std::move(warning));
  }
  if (options.cancel != nullptr) TG_RETURN_IF_ERROR(options.cancel->Check());
  return report;
}

}  // namespace tidegate::ingest
