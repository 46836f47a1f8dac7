// Clean-up of the runs of one partition: exact keys, after a fresh look at the catalog (C-54, C-55).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/clean_plan.h"
#include "tidegate/publish/definition.h"
#include "tidegate/publish/known_content.h"
#include "tidegate/publish/lease.h"
#include "tidegate/publish/ports.h"

namespace tidegate::publish {

struct CleanReport {
  struct Entry {
    RunId run;
    std::string folder;
    Fate fate;
    size_t objects = 0;
    uint64_t bytes = 0;
  };
  std::vector<Entry> runs;
  size_t removed_objects = 0;
  uint64_t removed_bytes = 0;
};

/// The folders that partitions of a table point to, listed at the first question: one listing for the clean-up of many
/// partitions. Make it after the last flip.
class PointedFolders {
 public:
  PointedFolders(const catalog::HiveName& table, const Ports& ports) : table_(table), ports_(ports) {}
  /// Lives as long as this. Errors: those of the catalog.
  Result<const std::set<std::string>*> Get();

 private:
  const catalog::HiveName& table_;
  const Ports& ports_;
  std::optional<std::set<std::string>> folders_;
};

/// Reads the partition and its runs anew, plans, and removes, under the lease of the partition, which is renewed before
/// each run that goes; without a lease it only plans. Errors: PreconditionFailed (the lease was lost, or the partition
/// points to the run that was to go: it stays); those of the catalog and the store.
Result<CleanReport> Clean(const Definition& definition, const catalog::PartitionValues& values,
                          const std::optional<RunId>& being_built, Lease* lease, const Ports& ports,
                          PointedFolders& pointed);

/// Mark a run as one that readers were moved away from, now.
Status Retire(const Run& run, const Ports& ports);

/// Readers were moved away from `run`: both marks, as it was published.
Status MoveAwayFrom(const Run& run, const KnownContent& content, const Ports& ports);

}  // namespace tidegate::publish
