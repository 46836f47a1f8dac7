// What the functions of this folder work with.
#pragma once

#include <string>

#include "tidegate/base/cancel.h"
#include "tidegate/base/time.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

struct Ports {
  catalog::HiveCatalog& catalog;
  store::ObjectStore& root;  // opened at the table's location
  const Clock& clock;
  std::string who;  // "host:pid", for leases
  const CancelFlag* cancel = nullptr;
  const Clock* lease_clock = nullptr;  // null: `clock`, which a user may set

  const Clock& ClockOfLeases() const { return lease_clock == nullptr ? clock : *lease_clock; }
};

// Parameters of a partition (docs/formats/partition-runs.md).
inline constexpr const char* kRunParameter = "tidegate.run";
inline constexpr const char* kSignatureParameter = "tidegate.signature";
inline constexpr const char* kRejectedParameter = "tidegate.rejected";
inline constexpr const char* kLeaseParameter = "tidegate.lease";

/// "" where the partition does not have it.
inline std::string ParameterOf(const catalog::HivePartition& partition, const char* name) {
  const auto found = partition.parameters.find(name);
  return found == partition.parameters.end() ? "" : found->second;
}

}  // namespace tidegate::publish
