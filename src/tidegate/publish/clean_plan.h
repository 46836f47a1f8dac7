// Which runs of a partition go, and why the others stay (C-54, C-55; docs/formats/partition-runs.md). Pure.
//
// Guarantees: a run that a partition points to stays, whatever else is true; so does one that was never known to be
// retired, and one that holds what tidegate did not write.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/time.h"
#include "tidegate/publish/runs.h"

namespace tidegate::publish {

struct CleanRules {
  int keep_runs = 1;                        // complete ones before the current one, at least 1
  std::chrono::seconds min_age{24 * 3600};  // since readers were moved away: longer than the longest query
  std::chrono::seconds failed_age{7 * 24 * 3600};
};

/// What a plan rests on. All of it was read after the lease was taken.
struct CleanFacts {
  std::vector<Run> runs{};             // the oldest first
  std::set<std::string> referenced{};  // folders that partitions of this table point to
  std::optional<std::string>
      current{};                        // the folder of this partition; nothing where the catalog has no such partition
  std::set<std::string> turned_away{};  // folders of runs that a rollback turned away: nobody goes back to them
  std::map<std::string, UtcTime> retired{};  // by folder: when readers were moved away, of runs with that mark
  std::optional<RunId> being_built{};        // by the caller
  UtcTime now{};
};

enum class Fate {
  kCurrent,      // a partition points to it
  kPrevious,     // kept for a rollback
  kYoung,        // a query may still read it
  kUnmarked,     // complete, and never known to be retired: marked now, removed later
  kFailed,       // failed an audit, not long ago
  kBuilding,     // by the caller
  kForeign,      // holds what tidegate did not write
  kNoPartition,  // the catalog does not have the partition: nothing is judged
  kRemove,
};

struct CleanDecision {
  const Run* run;  // of the facts
  Fate fate;
};

/// One for each run, in their order. Requires: facts outlive the result.
std::vector<CleanDecision> PlanClean(const CleanFacts& facts, const CleanRules& rules);

std::string_view FateName(Fate fate);

}  // namespace tidegate::publish
