// What publishing a partition will do, and what it refuses to do. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/definition.h"
#include "tidegate/publish/known_content.h"
#include "tidegate/publish/run_id.h"

namespace tidegate::publish {

/// What a plan rests on.
struct PartitionFacts {
  std::string partition_path{};
  std::string root_url{};
  std::optional<catalog::HivePartition> partition{};  // as the catalog has it
  KnownContent known{};                               // of what it points to
  std::optional<RunId> newest_run{};                  // in the store
  std::string signature{};                            // of what would be built; "" is not known yet
  UtcTime now{};
  uint64_t random = 0;
  bool force = false;
};

enum class PlanStep { kBuild, kUnchanged, kRejected };

struct PartitionPlan {
  PlanStep step = PlanStep::kBuild;
  RunId run{};
  std::string folder{};     // of the run, below the root
  bool aside = false;       // outside of the partition's own folder, whose readers would see the build
  std::string current{};    // the location that the catalog has now; "" where it has no such partition
  std::string signature{};  // "": known after the build
};

/// Build content with this signature, or leave it, as readers have it or a rollback turned it away (C-57)? Where the
/// signature is not known yet: build.
PlanStep StepFor(const KnownContent& known, const std::string& signature, bool force);

/// Errors: PreconditionFailed (the current location lies outside of the root).
Result<PartitionPlan> PlanPartition(const PartitionFacts& facts);

/// Can partitions of this table be published? Errors: Unsupported with the reason: partition projection (C-60), a view,
/// an Iceberg table, a managed table, another format than Parquet; PreconditionFailed: other partition columns than the
/// definition's, another location.
Status CheckTable(const Definition& definition, const catalog::HiveTable& table, const std::string& root_url);

/// "string", "date", "int", "decimal(10,2)", …: what a partition column may be.
bool IsPartitionType(const std::string& type);

/// Are values of a new partition spelled as readers spell them? Errors: InvalidArgument: 07 of an int, 2026-11-1 of a
/// date: another folder and another partition than 7, and rows that are counted twice.
Status CheckSpelling(const Definition& definition, const catalog::PartitionValues& values);

/// The partition columns stay out of the files (C-51). Errors: InvalidArgument naming one that the SELECT has.
Status CheckSelected(const Definition& definition, const std::vector<std::string>& columns);

/// For people: what will be done, a line or a few.
std::string Describe(const PartitionPlan& plan, const std::string& partition_path);

}  // namespace tidegate::publish
