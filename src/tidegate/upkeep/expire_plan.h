// What an expiry will take from one table: snapshots that nobody needs to go back to, and files that no other snapshot
// needs. Pure: no I/O, printable.
//
// Guarantees
// - The current snapshot stays, the newest of its ancestors that has a checkpoint, whatever a branch or tag names, and
//   every file that one of these needs.
// - The snapshots that stay of a branch are its newest, without a hole.
// - A data file that no snapshot needs is taken only once its delivery is settled: a run may be about to commit a file
//   of any other, and a hard link shows the age of the vendor's file, not its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/ingest/checkpoint.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/metadata.h"

namespace tidegate::upkeep {

struct ExpirePolicy {
  size_t keep_last = 1;                                             // snapshots of each branch, from its newest on
  std::chrono::milliseconds keep_for = std::chrono::hours(7 * 24);  // and those that were current within this time
  std::chrono::milliseconds orphans_older_than = std::chrono::hours(3 * 24);  // also for old vN.metadata.json
  int64_t keep_versions = 100;                                                // vN.metadata.json beside the newest
};

/// The snapshots to forget. A snapshot's age counts from when another one took its place: until then readers began on
/// it.
std::set<int64_t> ChooseExpired(const table::TableMetadata& metadata, const ExpirePolicy& policy, UtcTime now);

/// Will no run that follows on this checkpoint, or conflicts with it, take the folder up? Applied, of an older copy, or
/// from before a reseed.
bool IsSettled(const ingest::Checkpoint& checkpoint, const contract::Delivery& delivery);

/// What is known of a table when its expiry is planned.
struct TableFacts {
  contract::TableName name;
  int64_t version = 0;  // of the newest metadata
  ingest::Checkpoint checkpoint;
  std::set<int64_t> expired;
  std::set<std::string> needed;             // keys that a snapshot which stays needs
  std::set<std::string> needed_by_expired;  // keys that an expired one needs
  std::vector<store::ObjectInfo> objects;   // all below metadata/ and data/
};

struct ExpirePlan {
  contract::TableName table;
  int64_t version = 0;          // that this was planned on
  std::set<int64_t> snapshots;  // to forget
  size_t snapshots_left = 0;
  std::vector<store::ObjectInfo> unreferenced;  // files that only they need
  std::vector<store::ObjectInfo> orphans;       // files that no snapshot needs, left by runs that died
  std::vector<store::ObjectInfo> versions;      // old vN.metadata.json, in rising order

  /// Does it take a data file, whose name a run could take up again?
  bool takes_data() const;
  /// Does it need a new version of the metadata?
  bool commits() const { return !snapshots.empty() || takes_data(); }
  bool nothing() const { return snapshots.empty() && unreferenced.empty() && orphans.empty() && versions.empty(); }
  uint64_t bytes() const;
};

ExpirePlan PlanExpire(const TableFacts& facts, const ExpirePolicy& policy, UtcTime now);

/// "shop.orders: forget 3 snapshots of 10, remove 12 files (1.2 MB), 2 orphans and 1 old version of the metadata".
std::string Describe(const ExpirePlan& plan);

}  // namespace tidegate::upkeep
