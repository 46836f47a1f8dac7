#include "tidegate/publish/rollback.h"

#include <algorithm>
#include <set>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/publish/clean.h"
#include "tidegate/publish/flip.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/partition_plan.h"
#include "tidegate/publish/runs.h"

namespace tidegate::publish {
namespace {

/// Everything a rollback looks at.
struct Sight {
  catalog::HivePartition partition;
  std::vector<Run> runs;
  const Run* current = nullptr;
  KnownContent known;                 // of the current run
  std::set<std::string> turned_away;  // folders of runs with the content that a rollback turned away last
};

Status Look(const Definition& definition, const catalog::PartitionValues& values, const std::string& path,
            const Ports& ports, Sight& out) {
  TG_ASSIGN_OR_RETURN(const catalog::HiveTable table, ports.catalog.GetTable(definition.table));
  TG_RETURN_IF_ERROR(CheckTable(definition, table, ports.root.url()));
  TG_ASSIGN_OR_RETURN(out.partition, ports.catalog.GetPartition(definition.table, values));
  TG_ASSIGN_OR_RETURN(out.runs, ListRuns(ports.root, path));
  out.current = RunAt(out.runs, ports.root.url(), out.partition.location);
  if (out.current != nullptr) {
    out.known = ContentOf(out.partition, out.current, ports.root);
    out.turned_away = TurnedAway(out.runs, out.known, ports.root);
    return {};
  }
  return NotFound("the partition " + Quoted(path) + " points to " + Quoted(out.partition.location, 1200) +
                  ", which is no run of tidegate: nothing older is known; publish it first");
}

std::string CompleteRuns(const std::vector<Run>& runs) {
  std::vector<std::string> out;
  for (const Run& run : runs) {
    if (run.complete) out.push_back(run.id);
  }
  return out.empty() ? "none" : Join(out, ", ");
}

Result<const Run*> Choose(const Sight& sight, const std::optional<RunId>& to, const std::string& path) {
  const auto fits = [&](const Run& run) {
    if (!run.complete || &run == sight.current) return false;
    if (to) return run.id == *to;
    return run.published && run.id < sight.current->id && !sight.turned_away.contains(run.folder);
  };
  const auto found = std::find_if(sight.runs.rbegin(), sight.runs.rend(), fits);
  if (found != sight.runs.rend()) return &*found;
  const std::string wanted = to ? "no complete run " + Quoted(*to) + " beside the current one"
                                : "no complete run older than the current one, " + sight.current->id +
                                      (sight.turned_away.empty() ? "" : ", beside one that was turned away");
  return NotFound("cannot roll back " + Quoted(path) + ": there is " + wanted +
                  " (complete runs: " + CompleteRuns(sight.runs) + ")");
}

Result<RollbackPlan> PlanFrom(const Sight& sight, const std::optional<RunId>& to, const std::string& path,
                              const Ports& ports, const Run** target) {
  TG_ASSIGN_OR_RETURN(*target, Choose(sight, to, path));
  const Run& run = **target;
  RollbackPlan out{.partition = path, .from = sight.current->id, .to = run.id};
  out.from_location = sight.partition.location;
  out.to_location = ports.root.Location(run.folder);
  out.rejected = sight.known.signature;
  TG_ASSIGN_OR_RETURN(out.run, ReadRun(ports.root, run));
  const Status whole = CheckWhole(run, out.run);
  if (!whole.ok()) return Corruption(whole.message() + ": roll back to another one with --to");
  return out;
}

}  // namespace

Result<RollbackPlan> PlanRollback(const Definition& definition, const catalog::PartitionValues& values,
                                  const std::optional<RunId>& to, const Ports& ports) {
  TG_ASSIGN_OR_RETURN(const std::string path, catalog::PartitionPath(definition.partition_columns, values));
  Sight sight;
  TG_RETURN_IF_ERROR(Look(definition, values, path, ports, sight));
  const Run* target = nullptr;
  return PlanFrom(sight, to, path, ports, &target);
}

Result<RollbackPlan> Rollback(const Definition& definition, const catalog::PartitionValues& values,
                              const std::optional<RunId>& to, const Ports& ports) {
  TG_ASSIGN_OR_RETURN(const std::string path, catalog::PartitionPath(definition.partition_columns, values));
  TG_ASSIGN_OR_RETURN(const auto lease, Lease::Take(ports.root, LeaseKey(path), ports.ClockOfLeases(), ports.who));
  Sight sight;
  TG_RETURN_IF_ERROR(Look(definition, values, path, ports, sight));
  TG_RETURN_IF_ERROR(lease->Outnumber(LeaseNumberOf(sight.partition)));
  const Run* target = nullptr;
  TG_ASSIGN_OR_RETURN(RollbackPlan plan, PlanFrom(sight, to, path, ports, &target));
  if (ports.cancel != nullptr) TG_RETURN_IF_ERROR(ports.cancel->Check());
  const StopGrace grace;  // as for a publish: what is begun is carried to its end
  if (target->retired) TG_RETURN_IF_ERROR(ports.root.Delete({KeyIn(target->folder, kRetiredFile)}));
  FlipRequest request{.seen = sight.partition, .run = plan.run, .location = plan.to_location};
  request.run.partition = values;
  request.signature = plan.run.signature;
  request.rejected = plan.rejected;
  request.lease = lease.get();
  const KnownContent content{.signature = plan.run.signature, .rejected = plan.rejected};
  // Where only this mark says what is turned away, a death after the flip must not lose it.
  if (target->published) TG_RETURN_IF_ERROR(MarkPublished(target->folder, content, ports));
  const auto flipped = Flip(definition.table, {request}, nullptr, ports);
  TG_RETURN_IF_ERROR(flipped.at(0));
  Status noted = target->published ? Status() : MarkPublished(target->folder, content, ports);
  if (noted.ok()) noted = MoveAwayFrom(*sight.current, sight.known, ports);
  if (!noted.ok()) Log(LogLevel::kWarning, "readers see the earlier run, but not all was noted: " + noted.message());
  return plan;
}

}  // namespace tidegate::publish
