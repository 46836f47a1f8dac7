#include "tidegate/upkeep/expire.h"

#include "tidegate/base/log.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/ingest/staged_folder.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/table/references.h"
#include "tidegate/upkeep/lake_catalog.h"

namespace tidegate::upkeep {
namespace {

Status ListInto(store::ObjectStore& lake, const std::string& prefix, std::vector<store::ObjectInfo>& out) {
  store::ListRequest request;
  request.prefix = prefix;
  TG_ASSIGN_OR_RETURN(const store::Listing listing, lake.List(request));
  out.insert(out.end(), listing.objects.begin(), listing.objects.end());
  return Status::Ok();
}

/// Fills `needed` and `needed_by_expired`.
Status FindReferences(store::ObjectStore& lake, const table::LakeTable& table, TableFacts& facts) {
  table::References references(lake, table.folder(), table.metadata());
  for (const table::Snapshot& snapshot : table.metadata().snapshots) {
    if (facts.expired.contains(snapshot.snapshot_id)) continue;
    TG_RETURN_IF_ERROR(references.Add(snapshot, facts.needed).WithContext("nothing was removed"));
  }
  for (const table::Snapshot& snapshot : table.metadata().snapshots) {
    if (!facts.expired.contains(snapshot.snapshot_id)) continue;
    Status added = references.Add(snapshot, facts.needed_by_expired);
    if (added.ok()) continue;
    if (added.code() == Code::kCancelled || added.code() == Code::kInternal || added.code() == Code::kUnavailable) {
      return added;
    }
    Log(LogLevel::kWarning,
        facts.name.ToString() +
            ": files of an expired snapshot cannot be told, they go as orphans: " + added.message());
  }
  return Status::Ok();
}

struct Prepared {
  table::LakeTable table;
  ExpirePlan plan;
};

Result<Prepared> Prepare(store::ObjectStore& lake, const contract::TableName& name, const ExpirePolicy& policy,
                         UtcTime now) {
  TableFacts facts;
  facts.name = name;
  // Listed before the table is loaded: a file of a commit in between is not looked at.
  TG_RETURN_IF_ERROR(ListInto(lake, table::FolderOf(name) + "/metadata/", facts.objects));
  TG_RETURN_IF_ERROR(ListInto(lake, table::FolderOf(name) + "/data/", facts.objects));
  TG_ASSIGN_OR_RETURN(ingest::TableState state, ingest::LoadTableState(lake, name));
  if (!state.table) return NotFound("there is no such table in the lake");
  facts.version = state.table->version();
  if (state.checkpoint) facts.checkpoint = *state.checkpoint;
  const table::TableMetadata& metadata = state.table->metadata();
  facts.expired = ChooseExpired(metadata, policy, now);
  TG_RETURN_IF_ERROR(FindReferences(lake, *state.table, facts));
  ExpirePlan plan = PlanExpire(facts, policy, now);
  plan.snapshots_left = metadata.snapshots.size() - plan.snapshots.size();
  return Prepared{*std::move(state.table), std::move(plan)};
}

Status CommitPlan(table::LakeTable& table, const ExpirePlan& plan, UtcTime now) {
  if (!plan.commits()) return Status::Ok();
  table::MetadataChange change;
  change.drop_snapshots = plan.snapshots;
  if (plan.takes_data()) {
    // Past the one that a full refresh which died may have used.
    const int64_t next = ingest::FileGenerationOf(table.metadata()) + 2;
    change.set_properties[ingest::kFileGenerationKey] = std::to_string(next);
  }
  return table.CommitMetadata(change, now);
}

Status Remove(store::ObjectStore& lake, const std::vector<store::ObjectInfo>& objects) {
  std::vector<std::string> keys;
  keys.reserve(objects.size());
  for (const store::ObjectInfo& object : objects) keys.push_back(object.key);
  return keys.empty() ? Status::Ok() : lake.Delete(keys);
}

Status RemoveFiles(store::ObjectStore& lake, const table::LakeTable& table, const ExpirePlan& plan) {
  TG_RETURN_IF_ERROR(Remove(lake, plan.unreferenced));
  TG_RETURN_IF_ERROR(Remove(lake, plan.orphans));
  if (!plan.versions.empty()) {
    // The hint must not name a version from which the newest cannot be reached.
    TG_RETURN_IF_ERROR(table.MendHint());
    TG_RETURN_IF_ERROR(lake.Sync());
    TG_RETURN_IF_ERROR(Remove(lake, plan.versions));
  }
  return lake.Sync();
}

/// One table, planned or carried out.
Result<ExpirePlan> DoTable(store::ObjectStore& lake, const contract::TableName& name, const ExpireOptions& options) {
  const UtcTime now = options.clock->Now();
  if (options.cancel != nullptr) TG_RETURN_IF_ERROR(options.cancel->Check());
  return options.plan_only ? PlanTableExpiry(lake, name, options.policy, now)
                           : ExpireTable(lake, name, options.policy, now);
}

}  // namespace

Result<ExpirePlan> PlanTableExpiry(store::ObjectStore& lake, const contract::TableName& name,
                                   const ExpirePolicy& policy, UtcTime now) {
  TG_ASSIGN_OR_RETURN(Prepared prepared, Prepare(lake, name, policy, now));
  return std::move(prepared.plan);
}

Result<ExpirePlan> ExpireTable(store::ObjectStore& lake, const contract::TableName& name, const ExpirePolicy& policy,
                               UtcTime now) {
  for (int attempt = 1;; ++attempt) {
    TG_ASSIGN_OR_RETURN(Prepared prepared, Prepare(lake, name, policy, now));
    if (prepared.plan.nothing()) return std::move(prepared.plan);
    const Status committed = CommitPlan(prepared.table, prepared.plan, now);
    if (committed.code() == Code::kPreconditionFailed && attempt < table::kMaxPlans) continue;
    TG_RETURN_IF_ERROR(committed);
    TG_RETURN_IF_ERROR(RemoveFiles(lake, prepared.table, prepared.plan));
    return std::move(prepared.plan);
  }
}

Result<std::vector<TableExpiry>> ExpireLake(store::ObjectStore& lake, const ExpireOptions& options) {
  TG_ASSIGN_OR_RETURN(const std::vector<contract::TableName> tables, table::ListTables(lake));
  std::vector<TableExpiry> out;
  bool committed = false;
  for (const contract::TableName& name : tables) {
    if (!bucket::Chosen(name, {options.table_globs, options.exclude_globs, std::nullopt})) continue;
    auto done = DoTable(lake, name, options);
    if (done.status().code() == Code::kCancelled) return done.status();
    committed = committed || (done.ok() && done->commits());
    const Status status = done.status();
    out.push_back({name, status.ok() ? *std::move(done) : ExpirePlan(), status});
  }
  if (committed && !options.plan_only) RefreshCatalog(lake);
  return out;
}

}  // namespace tidegate::upkeep
