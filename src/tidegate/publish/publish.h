// Publish: build a partition aside, audit it, flip one pointer. The entry point of this folder.
//
// The order of effects, on which everything rests (docs/formats/partition-runs.md):
//   1. the lease of the partition
//   2. the files of the run, in a folder that nobody reads; removed again where they hold what readers have already and
//      the engine could not tell before
//   3. `_tidegate_run.json`: the run is complete
//   4. the flip: location, columns and parameters in one change of the catalog, if it still is what was planned from
//   5. the signature beside the new run, and the mark of retirement in the one that was current
//   6. clean-up
//
// Guarantees
// - Readers see the old run or the new one, whole, at every moment; a death after any step leaves them one of the two,
//   and the next publish ends the work.
// - Of several publishers of one partition one wins; the others get a conflict and have changed nothing for readers.
// - A file that a partition of the table points to is never deleted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/builder.h"
#include "tidegate/publish/clean.h"
#include "tidegate/publish/definition.h"
#include "tidegate/publish/lease.h"
#include "tidegate/publish/partition_plan.h"
#include "tidegate/publish/ports.h"

namespace tidegate::publish {

enum class PublishEnd {
  kPublished,
  kUnchanged,    // the same content is there already
  kRejected,     // a rollback turned this content away
  kAuditFailed,  // readers stay where they are; the build is kept for inspection
  kConflict,     // another publisher, or another program, was first
  kFailed,       // `status` says why
};

std::string_view EndName(PublishEnd end);

struct PublishOutcome {
  std::string partition{};  // its path
  PublishEnd end = PublishEnd::kFailed;
  Status status{};  // of kFailed and kConflict
  PartitionPlan plan{};
  RunManifest run{};       // where one was built and kept
  bool withdrawn = false;  // kUnchanged, kRejected: known only after a build, which was removed
  CleanReport cleaned{};
};

struct PublishOptions {
  bool force = false;  // build and flip, whatever the signatures say
  bool clean = true;
  Lease* guard = nullptr;  // held by the caller, who flips nothing without it; may be null
  std::string tool{};      // "tidegate 0.1.0", for the run file
};

/// What publishing one partition would do now; nothing is written. Errors: those of the SELECT, the catalog, the store;
/// the refusals of CheckTable.
Result<PartitionPlan> PlanOnly(const Definition& definition, const catalog::PartitionValues& values,
                               const PublishOptions& options, Builder& builder, const Ports& ports);

/// One outcome for each, in their order; one that fails does not hold up the others. `tell` hears of each step. Where
/// the user asks to stop, the last outcome says so, and those after it are missing.
std::vector<PublishOutcome> Publish(const Definition& definition,
                                    const std::vector<catalog::PartitionValues>& partitions,
                                    const PublishOptions& options, Builder& builder, const Ports& ports,
                                    const std::function<void(const std::string&)>& tell = nullptr);

}  // namespace tidegate::publish
