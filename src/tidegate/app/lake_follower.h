// A table to publish that follows a table of a lake (`follow` of its [[publish]] section), during one publish: which
// snapshot is shown, which partitions changed since the last time, and the note of how far it has come.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/publish/definition.h"
#include "tidegate/publish/follow.h"
#include "tidegate/publish/lease.h"
#include "tidegate/publish/ports.h"
#include "tidegate/query/lake_views.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::app {

class LakeFollower {
 public:
  /// `writes`: this publish will change something, so it keeps others from the whole table until the follower goes:
  /// an older state of the lake must not be published over a newer one.
  /// Errors: NotFound (the lake table; it has no snapshot); AlreadyExists (another publisher is at work); those of the
  /// stores.
  static Result<std::unique_ptr<LakeFollower>> Open(const publish::Definition& definition, const publish::Ports& ports,
                                                    std::unique_ptr<store::ObjectStore> lake, bool writes);

  store::ObjectStore& lake() { return *lake_; }

  /// The followed table at the snapshot that was seen first, the others as they are.
  query::SnapshotChoice Choice() const;

  /// The partitions whose rows may have changed, in their order, from a database with the lake's views. Errors: the
  /// engine's (an expression of partition_of that is wrong); those of the catalog.
  Result<std::vector<catalog::PartitionValues>> ChangedPartitions(engine::DuckDb& db) const;

  /// Null where this publish writes nothing. Whoever lost it must flip nothing more.
  publish::Lease* lease() const { return lease_.get(); }

  /// Why all partitions are looked at; "" where those do that changed. Filled by Open.
  const std::string& why_all() const { return why_all_; }

  /// Notes that `partitions`, as ChangedPartitions gave them, came to these ends.
  Status Done(const std::vector<catalog::PartitionValues>& partitions,
              const std::vector<publish::PublishOutcome>& outcomes) const;

 private:
  LakeFollower(const publish::Definition& definition, const publish::Ports& ports,
               std::unique_ptr<store::ObjectStore> lake, table::LakeTable table)
      : definition_(definition), ports_(ports), lake_(std::move(lake)), table_(std::move(table)) {}

  publish::FollowedNow LookAtTable() const;
  std::string PartitionsOf(const std::string& rows) const;
  Result<std::vector<catalog::PartitionValues>> InCatalog() const;

  const publish::Definition definition_;
  const publish::Ports ports_;
  std::unique_ptr<store::ObjectStore> lake_;
  table::LakeTable table_;
  std::unique_ptr<publish::Lease> lease_;
  std::optional<publish::FollowState> state_;
  std::string etag_;  // of the state; "" where there is none
  publish::FollowedNow now_;
  std::string why_all_;
};

}  // namespace tidegate::app
