#include "tidegate/upkeep/expire_plan.h"

#include <algorithm>
#include <map>

#include "tidegate/base/text.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/table/metadata_files.h"

namespace tidegate::upkeep {
namespace {

using contract::Delivery;
using contract::TableMode;

/// Times of foreign metadata may be anything: those out of range count as the nearest that is not.
UtcTime OfMilliseconds(int64_t ms) {
  constexpr int64_t kEndOf9999 = 253'402'300'799'999;
  return UtcTime(std::chrono::milliseconds(std::clamp<int64_t>(ms, 0, kEndOf9999)));
}

/// When each snapshot was last current, by the log and by what was built on it.
std::map<int64_t, UtcTime> LastCurrent(const table::TableMetadata& metadata) {
  std::map<int64_t, UtcTime> out;
  for (const table::Snapshot& snapshot : metadata.snapshots) {
    out[snapshot.snapshot_id] = OfMilliseconds(snapshot.timestamp_ms);
  }
  const auto raise = [&](int64_t id, int64_t ms) {
    const auto found = out.find(id);
    if (found != out.end()) found->second = std::max(found->second, OfMilliseconds(ms));
  };
  for (const table::Snapshot& snapshot : metadata.snapshots) {
    if (snapshot.parent_id) raise(*snapshot.parent_id, snapshot.timestamp_ms);
  }
  const auto& log = metadata.snapshot_log;
  for (size_t i = 0; i + 1 < log.size(); ++i) raise(log[i].snapshot_id, log[i + 1].timestamp_ms);
  return out;
}

bool HasCheckpoint(const table::Snapshot& snapshot) {
  const auto checkpoint = ingest::FromSummary(snapshot.summary);
  return checkpoint.ok() && *checkpoint;
}

/// The delivery that a key below "data/" is of: its second part on.
std::optional<Delivery> DeliveryOf(std::string_view key, const std::string& data) {
  const auto parts = Split(key.substr(data.size()), '/');
  const size_t length = parts[0] == "v1" ? 2 : 3;
  if (parts.size() <= length) return std::nullopt;
  std::string text(parts[0]);
  for (size_t i = 1; i < length; ++i) text += "/" + std::string(parts[i]);
  const auto delivery = contract::ParseDelivery(text);
  return delivery.ok() ? std::optional(*delivery) : std::nullopt;
}

uint64_t Sum(const std::vector<store::ObjectInfo>& objects) {
  uint64_t bytes = 0;
  for (const auto& object : objects) bytes += object.size_bytes;
  return bytes;
}

class Planner {
 public:
  Planner(const TableFacts& facts, const ExpirePolicy& policy, UtcTime now)
      : facts_(facts), policy_(policy), now_(now), folder_(table::FolderOf(facts.name)) {
    plan_.table = facts.name;
    plan_.version = facts.version;
    plan_.snapshots = facts.expired;
  }

  ExpirePlan Plan() {
    std::map<int64_t, const store::ObjectInfo*> versions;
    for (const store::ObjectInfo& object : facts_.objects) {
      if (const auto version = VersionOf(object.key))
        versions[*version] = &object;
      else if (!facts_.needed.contains(object.key) && IsOfTheTable(object.key))
        Place(object);
    }
    // In rising order, without a hole: what stays must lead from any version to the newest.
    const int64_t newest = facts_.version + (plan_.commits() ? 1 : 0);
    for (const auto& [version, object] : versions) {
      if (version >= newest - policy_.keep_versions || version >= facts_.version || !IsOld(*object)) break;
      plan_.versions.push_back(*object);
    }
    return std::move(plan_);
  }

 private:
  std::string Below(const char* name) const { return folder_ + "/" + name + "/"; }

  std::optional<int64_t> VersionOf(std::string_view key) const {
    const std::string metadata = Below("metadata");
    return key.starts_with(metadata) ? table::ParseVersionName(key.substr(metadata.size())) : std::nullopt;
  }

  /// What may be a file of a snapshot. Other metadata documents and the hint are never one.
  bool IsOfTheTable(std::string_view key) const {
    if (key.starts_with(Below("data"))) return true;
    return key.starts_with(Below("metadata")) && !key.ends_with(".json") && !key.ends_with(".text");
  }

  bool IsOld(const store::ObjectInfo& object) const { return now_ - object.modified > policy_.orphans_older_than; }

  void Place(const store::ObjectInfo& object) {
    const std::string data = Below("data");
    const bool is_data = object.key.starts_with(data);
    const std::optional<Delivery> delivery = is_data ? DeliveryOf(object.key, data) : std::nullopt;
    if (delivery && !IsSettled(facts_.checkpoint, *delivery)) return;
    if (facts_.needed_by_expired.contains(object.key))
      plan_.unreferenced.push_back(object);
    else if (IsOld(object))
      plan_.orphans.push_back(object);
  }

  const TableFacts& facts_;
  const ExpirePolicy& policy_;
  const UtcTime now_;
  const std::string folder_;
  ExpirePlan plan_;
};

}  // namespace

std::set<int64_t> ChooseExpired(const table::TableMetadata& metadata, const ExpirePolicy& policy, UtcTime now) {
  const std::map<int64_t, UtcTime> last_current = LastCurrent(metadata);
  const auto is_young = [&](int64_t id) { return now - last_current.at(id) < policy.keep_for; };
  std::set<int64_t> kept;
  const auto keep_branch = [&](const std::vector<const table::Snapshot*>& ancestry, bool to_checkpoint) {
    size_t count = std::min(std::max<size_t>(policy.keep_last, 1), ancestry.size());
    for (size_t i = count; i < ancestry.size(); ++i) {
      if (is_young(ancestry[i]->snapshot_id)) count = i + 1;
    }
    const auto explained =
        std::find_if(ancestry.begin(), ancestry.end(), [](const auto* s) { return HasCheckpoint(*s); });
    const auto needed = static_cast<size_t>(explained - ancestry.begin()) + 1;
    if (to_checkpoint) count = std::min(std::max(count, needed), ancestry.size());
    for (size_t i = 0; i < count; ++i) kept.insert(ancestry[i]->snapshot_id);
  };
  if (metadata.current_snapshot_id) keep_branch(metadata.Ancestry(), /*to_checkpoint=*/true);
  for (const table::Ref& ref : metadata.Refs()) {
    if (ref.is_tag)
      kept.insert(ref.snapshot_id);
    else
      keep_branch(metadata.Ancestry(ref.snapshot_id), /*to_checkpoint=*/false);
  }
  std::set<int64_t> out;
  for (const table::Snapshot& snapshot : metadata.snapshots) {
    const int64_t id = snapshot.snapshot_id;
    if (!kept.contains(id) && !is_young(id)) out.insert(id);
  }
  return out;
}

bool IsSettled(const ingest::Checkpoint& checkpoint, const Delivery& delivery) {
  if (checkpoint.mode == TableMode::kFull) {
    return !checkpoint.applied.empty() && delivery <= checkpoint.applied.Max();
  }
  const bool of_old_copy = checkpoint.reseed && !checkpoint.reseed->Holds(delivery);
  return of_old_copy || checkpoint.applied.Contains(delivery) || checkpoint.fenced.Contains(delivery);
}

bool ExpirePlan::takes_data() const {
  const std::string data = table::FolderOf(table) + "/data/";
  const auto is_data = [&](const store::ObjectInfo& object) { return object.key.starts_with(data); };
  return std::any_of(unreferenced.begin(), unreferenced.end(), is_data) ||
         std::any_of(orphans.begin(), orphans.end(), is_data);
}

uint64_t ExpirePlan::bytes() const { return Sum(unreferenced) + Sum(orphans) + Sum(versions); }

ExpirePlan PlanExpire(const TableFacts& facts, const ExpirePolicy& policy, UtcTime now) {
  return Planner(facts, policy, now).Plan();
}

std::string Describe(const ExpirePlan& plan) {
  const std::string name = plan.table.ToString() + ": ";
  if (plan.nothing()) return name + "nothing to expire";
  return name + "forget " + Plural(plan.snapshots.size(), "snapshot", "snapshots") + " of " +
         HumanCount(static_cast<int64_t>(plan.snapshots.size() + plan.snapshots_left)) + "; remove " +
         Plural(plan.unreferenced.size(), "file", "files") + " of theirs, " +
         Plural(plan.orphans.size(), "orphan", "orphans") + ", " +
         Plural(plan.versions.size(), "old version", "old versions") + " of the metadata (" + HumanBytes(plan.bytes()) +
         ")";
}

}  // namespace tidegate::upkeep
