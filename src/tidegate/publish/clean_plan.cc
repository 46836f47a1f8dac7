#include "tidegate/publish/clean_plan.h"

#include <algorithm>

#include "tidegate/publish/layout.h"

namespace tidegate::publish {
namespace {

/// A location above a run reads it, too: the partition's own folder, where somebody pointed back to it.
bool IsReferenced(const Run& run, const CleanFacts& facts) {
  return std::any_of(facts.referenced.begin(), facts.referenced.end(), [&](const std::string& location) {
    return Covers(location, run.folder) || Covers(run.folder, location);
  });
}

/// The newest runs before the current one that readers have seen.
std::set<std::string> PreviousRuns(const CleanFacts& facts, int keep) {
  std::set<std::string> out;
  const Run* current = facts.current ? FindRun(facts.runs, *facts.current) : nullptr;
  if (current == nullptr) return out;
  for (auto run = facts.runs.rbegin(); run != facts.runs.rend() && std::ssize(out) < std::max(keep, 1); ++run) {
    const bool seen = run->complete && run->published && run->id < current->id;
    if (seen && !facts.turned_away.contains(run->folder)) out.insert(run->folder);
  }
  return out;
}

Fate FateOf(const Run& run, const CleanFacts& facts, const CleanRules& rules, const std::set<std::string>& previous) {
  if (!facts.current) return Fate::kNoPartition;
  if (IsReferenced(run, facts)) return Fate::kCurrent;
  if (!run.foreign.empty()) return Fate::kForeign;
  if (facts.being_built == run.id) return Fate::kBuilding;
  if (previous.contains(run.folder)) return Fate::kPrevious;
  if (!run.complete) {
    if (run.failed && *run.failed + rules.failed_age > facts.now) return Fate::kFailed;
    return Fate::kRemove;
  }
  const auto retired = facts.retired.find(run.folder);
  if (retired == facts.retired.end()) return Fate::kUnmarked;
  return retired->second + rules.min_age > facts.now ? Fate::kYoung : Fate::kRemove;
}

}  // namespace

std::vector<CleanDecision> PlanClean(const CleanFacts& facts, const CleanRules& rules) {
  const std::set<std::string> previous = PreviousRuns(facts, rules.keep_runs);
  std::vector<CleanDecision> out;
  out.reserve(facts.runs.size());
  for (const Run& run : facts.runs) out.push_back({&run, FateOf(run, facts, rules, previous)});
  return out;
}

std::string_view FateName(Fate fate) {
  switch (fate) {
    case Fate::kCurrent:
      return "current";
    case Fate::kPrevious:
      return "kept for a rollback";
    case Fate::kYoung:
      return "kept: a query may still read it";
    case Fate::kUnmarked:
      return "kept: seen unused for the first time";
    case Fate::kFailed:
      return "kept for inspection: it failed an audit";
    case Fate::kBuilding:
      return "being built";
    case Fate::kForeign:
      return "kept: it holds what tidegate did not write";
    case Fate::kNoPartition:
      return "kept: the catalog does not have this partition";
    case Fate::kRemove:
      return "remove";
  }
  return "";
}

}  // namespace tidegate::publish
