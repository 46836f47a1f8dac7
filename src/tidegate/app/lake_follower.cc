#include "tidegate/app/lake_follower.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/contract/folder.h"
#include "tidegate/query/changed_rows.h"

namespace tidegate::app {

using catalog::PartitionValues;

Result<std::unique_ptr<LakeFollower>> LakeFollower::Open(const publish::Definition& definition,
                                                         const publish::Ports& ports,
                                                         std::unique_ptr<store::ObjectStore> lake, bool writes) {
  std::unique_ptr<publish::Lease> lease;
  if (writes) {  // first: what is read from here on is newer than what the publisher before has published
    TG_ASSIGN_OR_RETURN(lease, publish::Lease::Take(ports.root, publish::FollowLeaseKey(definition.table),
                                                    ports.ClockOfLeases(), ports.who));
  }
  TG_ASSIGN_OR_RETURN(const contract::TableName name, contract::ParseTableName(definition.follow));
  auto table = table::LakeTable::Load(*lake, table::FolderOf(name));
  if (!table.ok()) return table.status().WithContext("the table to follow, " + Quoted(definition.follow));
  if (table->metadata().current_snapshot() == nullptr) {
    return NotFound("the table to follow, " + Quoted(definition.follow) + ", has no snapshot yet: ingest first");
  }
  std::unique_ptr<LakeFollower> out(new LakeFollower(definition, ports, std::move(lake), *std::move(table)));
  out->lease_ = std::move(lease);
  TG_ASSIGN_OR_RETURN(auto loaded, publish::LoadFollowState(ports.root, definition.table));
  if (loaded) {
    out->state_ = std::move(loaded->first);
    out->etag_ = std::move(loaded->second);
  }
  out->now_ = out->LookAtTable();
  out->why_all_ = publish::WhyAll(out->state_, out->now_);
  return out;
}

query::SnapshotChoice LakeFollower::Choice() const {
  const auto choose = [uuid = now_.table_uuid,
                       id = now_.snapshot](const table::TableMetadata& metadata) -> Result<std::optional<int64_t>> {
    if (metadata.table_uuid == uuid) return std::optional<int64_t>(id);
    return metadata.current_snapshot_id;
  };
  return {.as_of = "now: it has no snapshot", .choose = choose};
}

publish::FollowedNow LakeFollower::LookAtTable() const {
  const table::TableMetadata& metadata = table_.metadata();
  publish::FollowedNow now{.table_uuid = metadata.table_uuid,
                           .snapshot = metadata.current_snapshot()->snapshot_id,
                           .definition = publish::FingerprintOf(definition_, ports_.catalog.Describe())};
  if (!state_) return now;
  now.knows_snapshot_of_state = metadata.FindSnapshot(state_->snapshot) != nullptr;
  const schema::Schema* then = metadata.SchemaOf(state_->snapshot);
  now.same_columns = then != nullptr && then == metadata.SchemaOf(now.snapshot);
  return now;
}

std::string LakeFollower::PartitionsOf(const std::string& rows) const {
  std::vector<std::string> columns;
  columns.reserve(definition_.partition_of.size());
  for (const std::string& expression : definition_.partition_of) {
    columns.push_back("CAST((" + expression + "\n) AS VARCHAR)");
  }
  const std::string alias = engine::SqlName(definition_.follow.substr(definition_.follow.find('.') + 1));
  return "SELECT DISTINCT " + Join(columns, ", ") + " FROM (\n" + rows + "\n) AS " + alias;
}

Result<std::vector<PartitionValues>> LakeFollower::InCatalog() const {
  const auto all = ports_.catalog.ListPartitions(definition_.table);
  std::vector<PartitionValues> out;
  if (all.status().code() == Code::kNotFound) return out;
  TG_RETURN_IF_ERROR(all.status());
  out.reserve(all->size());
  for (const catalog::HivePartition& partition : *all) out.push_back(partition.values);
  return out;
}

Result<std::vector<PartitionValues>> LakeFollower::ChangedPartitions(engine::DuckDb& db) const {
  std::vector<PartitionValues> out;
  std::string rows;
  if (!why_all_.empty()) {
    rows = "SELECT * FROM " + publish::FollowedRelation(definition_);
    TG_ASSIGN_OR_RETURN(out, InCatalog());
  } else {
    out = state_->pending;
    if (state_->snapshot != now_.snapshot) {
      TG_ASSIGN_OR_RETURN(rows, query::ChangedRowsSql(table_, state_->snapshot, now_.snapshot));
    }
  }
  if (!rows.empty()) {
    auto found = db.QueryAll(PartitionsOf(rows));
    if (!found.ok()) return found.status().WithContext("partition_of of " + Quoted(definition_.table.ToString()));
    std::move(found->begin(), found->end(), std::back_inserter(out));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Status LakeFollower::Done(const std::vector<PartitionValues>& partitions,
                          const std::vector<publish::PublishOutcome>& outcomes) const {
  const publish::FollowState next{.table_uuid = now_.table_uuid,
                                  .snapshot = now_.snapshot,
                                  .definition = now_.definition,
                                  .pending = publish::PendingAfter(partitions, outcomes),
                                  .written = ports_.clock.Now()};
  const bool same = state_ && why_all_.empty() && state_->snapshot == now_.snapshot && state_->pending == next.pending;
  if (same) return {};
  const StopGrace grace;
  return publish::SaveFollowState(ports_.root, definition_.table, next, etag_);
}

}  // namespace tidegate::app
