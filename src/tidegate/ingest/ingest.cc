#include "tidegate/ingest/ingest.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/ingest/full_refresh.h"
#include "tidegate/ingest/hold.h"
#include "tidegate/ingest/table_job.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/table/catalog_db.h"

namespace tidegate::ingest {
namespace {

using contract::TableName;

struct LakeTables {
  std::map<TableName, TableState> states;
  std::map<TableName, Status> broken;  // tables whose metadata or checkpoint cannot be read
  std::set<TableName> settled;         // tables of which a person settled folders
};

/// The state of every chosen table that the bucket or the lake knows.
LakeTables LoadLake(const bucket::BucketView& view, store::ObjectStore& lake, const std::vector<TableName>& in_lake,
                    const bucket::ScanOptions& choice) {
  std::set<TableName> names;
  for (const auto& [name, folders] : view.tables) names.insert(name);
  for (const TableName& name : in_lake) {
    if (bucket::Chosen(name, choice)) names.insert(name);
  }
  LakeTables out;
  for (const TableName& name : names) {
    auto state = LoadTableState(lake, name);
    if (state.ok())
      out.states[name] = *std::move(state);
    else
      out.broken[name] = state.status();
  }
  return out;
}

std::vector<Checkpoint> Checkpoints(const LakeTables& lake) {
  std::vector<Checkpoint> out;
  for (const auto& [name, state] : lake.states) {
    if (state.checkpoint) out.push_back(*state.checkpoint);
  }
  return out;
}

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

Result<Circumstances> CircumstancesOf(store::ObjectStore& lake, const TableName& name, bool settled,
                                      const IngestOptions& options) {
  Circumstances out;
  if (settled) {
    TG_ASSIGN_OR_RETURN(out.settlements, LoadSettlements(lake, name));
  }
  out.now = options.clock->Now();
  out.refresh = ToBeRefreshed(name, options);
  return out;
}

/// The plan of a table that a person put on hold.
TablePlan PlanOfHeld(const bucket::BucketView& view, const TableName& name, const contract::TableEntry* entry,
                     const TableState& state, contract::Version version, const std::string& hold) {
  TablePlan plan;
  plan.table = name;
  plan.version = version;
  plan.rules = DecideRules(view, name, entry, state.checkpoint ? &*state.checkpoint : nullptr);
  plan.before = state.checkpoint;
  plan.warnings.push_back({kOnHold, name.ToString(), "",
                           "on hold since " + Quoted(hold) + ": left as it is until `tidegate lake release`", 0, ""});
  return plan;
}

/// The plan of one table, as the options and a person's word want it.
Result<TablePlan> PlanOf(const bucket::BucketView& view, store::ObjectStore& lake, const TableName& name,
                         const TableState& state, bool settled, contract::Version version,
                         const IngestOptions& options) {
  const contract::TableEntry* entry = options.catalog.Find(name);
  const auto hold = state.table ? HoldOf(state.table->metadata()) : std::nullopt;
  if (hold) return PlanOfHeld(view, name, entry, state, version, *hold);
  TG_ASSIGN_OR_RETURN(const Circumstances circumstances, CircumstancesOf(lake, name, settled, options));
  TablePlan plan = PlanTable(view, name, entry, state.checkpoint, version, circumstances);
  if (plan.refresh) RefuseLoss(view, options.accept_loss, plan);
  return plan;
}

/// What one table's turn ended in.
struct Turn {
  JobOutcome outcome;
  Status status;
  std::optional<std::string> metadata_location;  // of the table now; absent: none, or not known
};

class Run {
 public:
  Run(store::ObjectStore& bucket, store::ObjectStore& lake, const bucket::BucketView& view,
      const std::set<TableName>& settled, contract::Version version, const IngestOptions& options)
      : bucket_(bucket), lake_(lake), view_(view), settled_(settled), version_(version), options_(options) {}

  Turn DoTable(const TableName& name, TableState state) {
    Turn turn;
    for (int attempt = 0; attempt < table::kMaxPlans; ++attempt) {
      turn = TryTable(name, std::move(state));
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

 private:
  Turn TryTable(const TableName& name, TableState state) {
    Turn turn;
    auto planned = PlanOf(view_, lake_, name, state, settled_.contains(name), version_, options_);
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

  template <typename T>
  static void Prepend(std::vector<T> first, std::vector<T>& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    rest = std::move(first);
  }

  store::ObjectStore& bucket_;
  store::ObjectStore& lake_;
  const bucket::BucketView& view_;
  const std::set<TableName>& settled_;
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
  TG_ASSIGN_OR_RETURN(const auto in_lake, table::ListTables(lake));
  LakeTables tables = LoadLake(view, lake, in_lake, Choice(options));
  TG_ASSIGN_OR_RETURN(tables.settled, TablesWithSettlements(lake));
  TG_RETURN_IF_ERROR(CheckRefreshGlobs(tables, options));
  IngestPlan plan;
  plan.version = VersionInUse(view, Checkpoints(tables));
  plan.warnings = BucketWarnings(view);
  plan.waiting = StillWaiting(view, plan.version);
  for (auto& [name, state] : tables.states) {
    auto planned = PlanOf(view, lake, name, state, tables.settled.contains(name), plan.version, options);
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
  TG_ASSIGN_OR_RETURN(const auto in_lake, table::ListTables(lake));
  LakeTables tables = LoadLake(view, lake, in_lake, Choice(options));
  TG_ASSIGN_OR_RETURN(tables.settled, TablesWithSettlements(lake));
  TG_RETURN_IF_ERROR(CheckRefreshGlobs(tables, options));
  IngestReport report;
  report.empty_bucket = view.tables.empty() && view.manifests.empty() && !view.has_v2_manifest_key;
  report.version = VersionInUse(view, Checkpoints(tables));
  report.warnings = BucketWarnings(view);
  report.waiting = StillWaiting(view, report.version);

  Run run(bucket, lake, view, tables.settled, report.version, options);
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
  for (Warning& warning : RefreshCatalog(lake, in_lake, std::move(located))) {
    report.warnings.push_back(std::move(warning));
  }
  if (options.cancel != nullptr) TG_RETURN_IF_ERROR(options.cancel->Check());
  return report;
}

}  // namespace tidegate::ingest
