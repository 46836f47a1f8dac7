// A table that follows a lake table: how far it has come, and what is left to publish
// (docs/formats/partition-runs.md#a-table-that-follows-a-lake).
//
// The state lies beside the partitions. It moves on after the partitions were published, so a death in between costs a
// second look at them, and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/publish/definition.h"
#include "tidegate/publish/publish.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

struct FollowState {
  std::string table_uuid;                         // of the lake table
  int64_t snapshot = 0;                           // up to which its changes are published
  std::string definition;                         // FingerprintOf the definition then
  std::vector<catalog::PartitionValues> pending;  // partitions that changed up to there, and failed
  UtcTime written{};
};

std::string WriteFollowState(const FollowState& state);
/// Errors: Corruption; Unsupported (a newer format).
Result<FollowState> ReadFollowState(std::string_view text);

/// Keys below the root of the table: of the state, and of the lease of who publishes the table.
std::string FollowKey(const catalog::HiveName& table);
std::string FollowLeaseKey(const catalog::HiveName& table);

/// Of what decides which rows a partition has. Another one: all partitions are to be published again.
std::string FingerprintOf(const Definition& definition, const std::string& catalog);

/// The lake table as it is now.
struct FollowedNow {
  std::string table_uuid;
  int64_t snapshot = 0;
  std::string definition;
  bool knows_snapshot_of_state = false;  // it did not expire
  bool same_columns = false;             // as at the snapshot of the state
};

/// Why all partitions are to be looked at, as the end of a sentence; "" where the changes since the state suffice.
std::string WhyAll(const std::optional<FollowState>& state, const FollowedNow& now);

/// What is still to be published after these outcomes of `partitions`: those that failed.
std::vector<catalog::PartitionValues> PendingAfter(const std::vector<catalog::PartitionValues>& partitions,
                                                   const std::vector<PublishOutcome>& outcomes);

/// The state that is there, and its ETag; nullopt where there is none. Errors: Corruption, saying what to remove.
Result<std::optional<std::pair<FollowState, std::string>>> LoadFollowState(store::ObjectStore& root,
                                                                           const catalog::HiveName& table);

/// Over the state with this ETag; "" where there was none. Errors: PreconditionFailed, AlreadyExists (another one was
/// written meanwhile).
Status SaveFollowState(store::ObjectStore& root, const catalog::HiveName& table, const FollowState& state,
                       const std::string& etag);

}  // namespace tidegate::publish
