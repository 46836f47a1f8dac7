// The flip: move partitions to runs in the catalog, and find out what came of it (C-52, C-53).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/lease.h"
#include "tidegate/publish/ports.h"
#include "tidegate/publish/run_manifest.h"

namespace tidegate::publish {

struct FlipRequest {
  std::optional<catalog::HivePartition> seen{};  // as it was planned from; nothing: there was none
  RunManifest run{};                             // where to
  std::string location{};
  std::string signature{};  // of the run's content; "" is unknown
  std::string rejected{};   // the signature to turn away from now on; "" where none is
  Lease* lease = nullptr;
};

/// One result for each, in their order: ok once a read shows the new location; PreconditionFailed where another was
/// first (nothing was changed); UnknownOutcome where the catalog answered neither to the change nor to the read after
/// it (the lease then runs out by itself: the change may still come); any other failure means that the partition points
/// where it did. At most two calls of the catalog that change something, however many there are.
/// `guard`: a lease besides those of the partitions, without which nothing is flipped; may be null.
/// Requires: a StopGrace, so that no change is cut off and comes after the lease has ended; each `seen` was read after
/// its lease was taken, and the lease has outnumbered it (LeaseNumberOf).
std::vector<Status> Flip(const catalog::HiveName& table, const std::vector<FlipRequest>& requests, Lease* guard,
                         const Ports& ports);

/// Of the publisher that moved a partition last; 0 where none is known.
int64_t LeaseNumberOf(const catalog::HivePartition& partition);

}  // namespace tidegate::publish
