// Rollback: point a partition to an earlier run (C-56).
#pragma once

#include <optional>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/publish/definition.h"
#include "tidegate/publish/ports.h"
#include "tidegate/publish/run_manifest.h"

namespace tidegate::publish {

struct RollbackPlan {
  std::string partition{};  // its path
  RunId from{}, to{};
  std::string from_location{}, to_location{};
  std::string rejected{};  // the signature that no publish brings back without --force; "" where it is not known
  RunManifest run{};       // what `to` holds
};

/// Which run a rollback goes to: `to`, or the newest complete one that is older than the current one. Errors: NotFound
/// (no such partition, no older run: which there are); PreconditionFailed (the partition points to no run of ours;
/// files of the run are gone); Corruption (its run file).
Result<RollbackPlan> PlanRollback(const Definition& definition, const catalog::PartitionValues& values,
                                  const std::optional<RunId>& to, const Ports& ports);

/// Takes the lease, plans, flips. Errors: those of the plan; AlreadyExists, PreconditionFailed (another was first).
Result<RollbackPlan> Rollback(const Definition& definition, const catalog::PartitionValues& values,
                              const std::optional<RunId>& to, const Ports& ports);

}  // namespace tidegate::publish
