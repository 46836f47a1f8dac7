#include "tidegate/ingest/plan.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "tidegate/base/text.h"

namespace tidegate::ingest {
namespace {

using bucket::BucketView;
using bucket::FolderMap;
using bucket::FolderState;
using contract::Delivery;
using contract::TableMode;
using contract::TableName;
using contract::Version;

bool NamedByManifest(const BucketView& view, const TableName& table, const Delivery& delivery) {
  const auto it = view.manifests.find(delivery);
  return it != view.manifests.end() && it->second.FindDelivered(table) != nullptr;
}

/// One that counts as absent because it lies in cold storage, which is said once for all of them.
bool ManifestIsFrozen(const BucketView& view, const Delivery& delivery) {
  const auto before = [](const store::ObjectInfo& object, const std::string& key) { return object.key < key; };
  const auto& frozen = view.frozen_manifests;  // sorted by key
  const std::string key = contract::ManifestKey(delivery);
  const auto at = std::lower_bound(frozen.begin(), frozen.end(), key, before);
  return at != frozen.end() && at->key == key;
}

void Warn(TablePlan& plan, std::string kind, std::string folder, std::string message) {
  plan.warnings.push_back({std::move(kind), plan.table.ToString(), std::move(folder), std::move(message), 0, ""});
}

/// C-34: a sealed folder that no manifest names yet is read, and said.
void WarnIfUnnamed(const BucketView& view, TablePlan& plan, const FolderState& folder) {
  const Delivery& delivery = folder.folder.delivery;
  if (delivery.is_initial() || !view.CoversManifest(delivery) || NamedByManifest(view, plan.table, delivery)) return;
  if (ManifestIsFrozen(view, delivery)) return;
  Warn(plan, "not_in_manifest", folder.folder.Path(), "sealed, but no manifest names it: read all the same");
}

/// The copy of a full table that readers see after the plan.
std::optional<Delivery> NewestCopy(const TablePlan& plan) {
  if (plan.rules.mode != TableMode::kFull) return std::nullopt;
  if (plan.action == Action::kReplace) return plan.folders.front().folder.delivery;
  if (plan.before && !plan.before->applied.empty()) return plan.before->applied.Max();
  return std::nullopt;
}

/// C-34: a table delivered by the manifest but not sealed is not read.
void WarnDeliveredNotSealed(const BucketView& view, TablePlan& plan) {
  const FolderMap& folders = view.FoldersOf(plan.table, plan.rules.mode);
  for (const auto& [delivery, manifest] : view.manifests) {
    if (delivery.version > plan.version || manifest.FindDelivered(plan.table) == nullptr) continue;
    const auto it = folders.find(delivery);
    if (it != folders.end() && it->second.sealed()) continue;
    if (plan.before && plan.before->applied.Contains(delivery)) continue;
    if (plan.reseed && !plan.reseed->Holds(delivery)) continue;
    const std::optional<Delivery> newest = NewestCopy(plan);
    if (newest && delivery < *newest) continue;  // a newer copy has overtaken it, or retention took it
    // The first daily delivery of a parts table may be its __initial__ folder.
    const bool initial_stands_in = plan.rules.mode == TableMode::kParts && delivery.version == Version::kV1 &&
                                   folders.count({Version::kV1, std::string(contract::kInitial), ""}) == 1 &&
                                   folders.begin()->second.sealed() && it == folders.end();
    if (initial_stands_in) continue;
    const contract::Folder folder{plan.table, plan.rules.mode, delivery};
    const bool past = delivery.version < plan.version;  // v1 is history: its folders may still come (C-14)
    Warn(plan, past ? "v1_not_sealed" : "delivered_not_sealed", folder.Path(),
         "the manifest says delivered, but there is no _SUCCESS: not read");
  }
}

std::vector<std::string> OrderColumns(const contract::TableEntry* entry) {
  std::vector<std::string> out;
  if (entry == nullptr) return out;
  if (entry->version_column) out.push_back(*entry->version_column);
  if (entry->event_time) out.push_back(*entry->event_time);
  return out;
}

/// A person's word on a folder as it stands there now. An `accept` of something else is passed over, and said.
const Settlement* AcceptOf(TablePlan& plan, const Circumstances& now, const FolderState& folder) {
  const auto found = now.settlements.find(folder.folder.delivery);
  if (found == now.settlements.end() || found->second.verdict != Verdict::kAccept) return nullptr;
  if (found->second.fingerprint == folder.Fingerprint()) return &found->second;
  Warn(plan, "settlement_outdated", folder.folder.Path(),
       "it changed after it was accepted: look at it, and accept it again");
  return nullptr;
}

const Settlement* SkipOf(const Circumstances& now, const Delivery& delivery) {
  const auto found = now.settlements.find(delivery);
  const bool skip = found != now.settlements.end() && found->second.verdict == Verdict::kSkip;
  return skip ? &found->second : nullptr;
}

/// Is a folder that is not applied left out on a person's word?
bool IsSkipped(TablePlan& plan, const Circumstances& now, const Delivery& delivery) {
  if (const Settlement* skip = SkipOf(now, delivery)) {
    if (!plan.skipped.Contains(delivery)) plan.settled.push_back(*skip);
    plan.skipped.Insert(delivery);
    return true;
  }
  return !now.settlements.contains(delivery) && plan.skipped.Contains(delivery);
}

/// An accept of a folder that this plan applies.
void TakeAccepted(TablePlan& plan, const Circumstances& now, const FolderState& folder) {
  if (const Settlement* accept = AcceptOf(plan, now, folder)) {
    plan.accepted.Insert(folder.folder.delivery);
    plan.settled.push_back(*accept);
  }
}

/// C-14: some days after the switch v1 is taken as closed.
bool IsClosed(const TablePlan& plan, const Circumstances& now, const Delivery& delivery) {
  return delivery.version == Version::kV1 && plan.version == Version::kV2 && now.now && plan.before &&
         plan.before->switched_at && *now.now >= *plan.before->switched_at + kV1StaysOpen;
}

/// A changed folder that must not change: the applied version stays until a person decides. Returns true where they
/// accepted what stands there now: the table has to be rebuilt.
bool ChangeIsAccepted(TablePlan& plan, const Circumstances& now, const FolderState& folder) {
  const Settlement* skip = SkipOf(now, folder.folder.delivery);
  if (skip != nullptr && skip->fingerprint == folder.Fingerprint()) {
    plan.acknowledged[folder.folder.delivery] = skip->fingerprint;
    plan.settled.push_back(*skip);
    return false;
  }
  if (AcceptOf(plan, now, folder) != nullptr) return true;
  const std::string path = folder.folder.Path();
  const std::string message =
      "it changed after it was applied, which the contract forbids: the applied version stays. Ask the vendor why; "
      "then "
      "`tidegate accept` takes what stands there now, `tidegate skip` keeps what was applied. (A file that was edited "
      "in place shows its new rows already: a lake on the same disk shares the file's bytes. Replace files, never edit "
      "them)";
  Warn(plan, folder.folder.delivery.version == Version::kV1 ? "v1_folder_changed" : "v2_folder_changed", path, message);
  if (plan.rules.mode == TableMode::kParts) {
    plan.problems.push_back({"changed", plan.table.ToString(), path, message});
  }
  return false;
}

/// Compares an applied folder with what stands there now (C-14). Returns true where the table has to be rebuilt.
bool CheckApplied(TablePlan& plan, const Circumstances& now, const FolderMap& folders, const Delivery& delivery,
                  const std::string& print) {
  if (IsClosed(plan, now, delivery)) return false;
  const contract::Folder folder{plan.table, plan.rules.mode, delivery};
  const auto it = folders.find(delivery);
  if (it == folders.end() || !it->second.sealed()) {
    if (plan.rules.mode == TableMode::kParts) {
      Warn(plan, "parts_folder_gone", folder.Path(), "it was applied and is no longer there; its rows stay");
    }
    return false;
  }
  if (it->second.Fingerprint() == print) return false;
  if (delivery.version == Version::kV1 && plan.version == Version::kV1) {
    Warn(plan, "v1_folder_changed", folder.Path(),
         "it changed after it was applied: the table is built anew from all folders");
    return true;
  }
  return ChangeIsAccepted(plan, now, it->second);
}

bool AnyAppliedChanged(const BucketView& view, const Circumstances& now, const FolderMap& folders, TablePlan& plan) {
  bool rebuild = false;
  if (!plan.before) return false;
  for (const auto& [delivery, print] : plan.before->fingerprints) {
    if (!view.Covers(contract::Folder{plan.table, plan.rules.mode, delivery})) continue;
    rebuild = CheckApplied(plan, now, folders, delivery, print) || rebuild;
  }
  return rebuild;
}

/// The new copy of a rebuilt table, and the fence around it.
void PlanReseed(const BucketView& view, const Circumstances& now, const FolderMap& folders, const Reseed& reseed,
                const std::vector<Reseed>& waiting, TablePlan& plan) {
  plan.reseed = reseed;
  plan.takes_reseed = true;
  plan.fenced = DeliverySet();
  for (const auto& [delivery, state] : folders) {
    if (!state.sealed() || delivery.version > plan.version) continue;
    if (!reseed.Holds(delivery)) {
      plan.fenced.Insert(delivery);
      continue;
    }
    if (WaitsWith(waiting, delivery) || IsSkipped(plan, now, delivery)) continue;
    if (!plan.before || !plan.before->applied.Contains(delivery)) WarnIfUnnamed(view, plan, state);
    TakeAccepted(plan, now, state);
    plan.folders.push_back(state);
  }
  plan.action = plan.before ? Action::kReseed : Action::kAppend;
}

/// The reseed that was taken, as manifests tell it now. An __initial__ that belongs to it stays with it.
Reseed AsKnownNow(const Reseed& taken, Reseed announced) {
  if (announced.from == announced.at) announced.with_initial |= taken.with_initial;
  return announced;
}

/// It may begin earlier than it was known to: a manifest before it is read only now, or __initial__ is sealed
/// only now (C-35). The fence moves, and what is no longer outside is applied.
void MoveFence(const Reseed& reseed, TablePlan& plan) {
  plan.reseed = reseed;
  plan.fenced = plan.fenced.Where([&](const Delivery& delivery) { return !reseed.Holds(delivery); });
}

/// C-35: a folder of the old copy. One that was sealed after the reseed was taken is said in every run.
void WarnLateFenced(TablePlan& plan, const FolderState& state) {
  if (plan.fenced.Contains(state.folder.delivery)) return;
  Warn(plan, "late_fenced", state.folder.Path(),
       "sealed after the reseed at " + plan.reseed->at.ToString() + " that replaced its copy: it is not applied");
}

/// Is a folder that is not applied yet to be applied now?
bool IsDue(TablePlan& plan, const Circumstances& now, const FolderState& state) {
  const Delivery& delivery = state.folder.delivery;
  if (plan.reseed && !plan.reseed->Holds(delivery)) {
    WarnLateFenced(plan, state);
    return false;
  }
  if (IsSkipped(plan, now, delivery)) return false;
  const bool open = !IsClosed(plan, now, delivery) || plan.before->gaps.Contains(delivery);
  if (open || AcceptOf(plan, now, state) != nullptr) return true;
  Warn(plan, "v1_closed", state.folder.Path(),
       "sealed more than seven days after the switch to v2, when v1 was taken as closed: it is not applied. `tidegate "
       "accept` takes it in, `tidegate skip` ends this message");
  return false;
}

/// Folders to add, given the reseed in force and those that wait to be taken.
void PlanAppend(const BucketView& view, const Circumstances& now, const FolderMap& folders,
                const std::vector<Reseed>& waiting, TablePlan& plan) {
  const bool anew = plan.refresh || AnyAppliedChanged(view, now, folders, plan);
  const bool rebuild = anew && !now.no_rebuild;
  for (const auto& [delivery, state] : folders) {
    if (!state.sealed() || delivery.version > plan.version) continue;  // C-10, C-12
    const bool applied = plan.before && plan.before->applied.Contains(delivery);
    if (applied && !rebuild) continue;
    if (!applied && WaitsWith(waiting, delivery)) continue;
    if (!applied && !IsDue(plan, now, state)) continue;
    if (!applied) WarnIfUnnamed(view, plan, state);
    TakeAccepted(plan, now, state);
    plan.folders.push_back(state);
  }
  if (!plan.folders.empty()) plan.action = rebuild ? Action::kRebuild : Action::kAppend;
}

void PlanParts(const BucketView& view, const Circumstances& now, TablePlan& plan) {
  const FolderMap& folders = view.FoldersOf(plan.table, TableMode::kParts);
  if (plan.before) {
    plan.reseed = plan.before->reseed;
    plan.fenced = plan.before->fenced;
  }
  const std::vector<AnnouncedReseed> announced = AnnouncedReseeds(view, plan.table, folders, plan.version);
  std::vector<Reseed> waiting;
  for (auto it = announced.rbegin(); it != announced.rend(); ++it) {  // the latest wins (C-35)
    Reseed reseed = it->reseed;
    const bool taken = plan.reseed && reseed.at <= plan.reseed->at;
    if (taken) {
      if (!it->Covers(plan.reseed->at)) break;
      reseed = AsKnownNow(*plan.reseed, reseed);
      if (reseed.HoldsAllOf(*plan.reseed)) {
        MoveFence(reseed, plan);
        break;
      }
    } else if (IsSkipped(plan, now, reseed.at)) {
      continue;  // a person wants the old copy to stay
    }
    if (!now.not_taken.Contains(reseed.at) && CanBeTaken(reseed, folders, waiting))
      return PlanReseed(view, now, folders, reseed, waiting, plan);
    if (taken) break;
    waiting.push_back(reseed);
  }
  PlanAppend(view, now, folders, waiting, plan);
}

void PlanFull(const BucketView& view, const Circumstances& now, TablePlan& plan) {
  const FolderMap& folders = view.FoldersOf(plan.table, TableMode::kFull);
  const bool rebuild = plan.refresh || AnyAppliedChanged(view, now, folders, plan);
  const auto usable = [&](Version version) {
    std::vector<const FolderState*> out;
    for (auto it = folders.rbegin(); it != folders.rend(); ++it) {
      if (it->first.version == version && it->second.sealed()) out.push_back(&it->second);
    }
    return out;
  };
  std::vector<const FolderState*> copies = usable(plan.version);
  const bool v2_taken =
      plan.before && !plan.before->applied.empty() && plan.before->applied.Max().version == Version::kV2;
  if (copies.empty() && plan.version == Version::kV2 && !v2_taken) {  // C-13: the latest v1 copy stays
    copies = usable(Version::kV1);
    if (!copies.empty() || plan.before) {
      Warn(plan, "full_table_from_v1", copies.empty() ? "" : copies.front()->folder.Path(),
           "no copy of it has arrived in v2 yet: the latest v1 copy is used");
    }
  }
  for (const FolderState* copy : copies) {
    const Delivery& delivery = copy->folder.delivery;
    if (plan.before && !plan.before->applied.empty()) {
      const Delivery& current = plan.before->applied.Max();
      if (delivery < current || (delivery == current && !rebuild)) break;
    }
    if (IsSkipped(plan, now, delivery)) continue;
    TakeAccepted(plan, now, *copy);
    plan.folders.push_back(*copy);
  }
  if (plan.folders.empty()) return;
  plan.action = Action::kReplace;
  WarnIfUnnamed(view, plan, plan.folders.front());
}

std::string ShapeConflict(const BucketView& view, const TableName& table, TableMode mode) {
  const TableMode other = mode == TableMode::kFull ? TableMode::kParts : TableMode::kFull;
  if (!view.FoldersOf(table, mode).empty() || view.FoldersOf(table, other).empty()) return "";
  return mode == TableMode::kFull ? "it is a full table, but its folders are named etl_date=…"
                                  : "it is delivered in parts, but its folders are named snapshot_date=…";
}

}  // namespace

std::string_view ActionName(Action action) {
  switch (action) {
    case Action::kNothing:
      return "nothing";
    case Action::kAppend:
      return "append";
    case Action::kReplace:
      return "replace";
    case Action::kRebuild:
      return "rebuild";
    case Action::kReseed:
      return "reseed";
    case Action::kSettle:
      return "settle";
  }
  return "nothing";
}

Version VersionInUse(const BucketView& view, const std::vector<Checkpoint>& lake) {
  const bool seen =
      std::any_of(lake.begin(), lake.end(), [](const Checkpoint& c) { return c.version == Version::kV2; });
  return view.has_v2_manifest_key || seen ? Version::kV2 : Version::kV1;
}

TableRules DecideRules(const BucketView& view, const TableName& table, const contract::TableEntry* entry,
                       const Checkpoint* before) {
  TableRules rules;
  const contract::DeliveredTable* mention = view.NewestMention(table);
  const bool has_parts = !view.FoldersOf(table, TableMode::kParts).empty();
  if (mention != nullptr && mention->mode) {
    rules.mode = *mention->mode;
    rules.mode_source = "manifest";
  } else if (entry != nullptr) {
    rules.mode = entry->mode;
    rules.mode_source = "catalog";
  } else if (before != nullptr) {
    rules.mode = before->mode;
    rules.mode_source = "lake";
  } else {
    rules.mode = has_parts ? TableMode::kParts : TableMode::kFull;
    rules.mode_source = "folder names";
  }
  if (rules.mode == TableMode::kParts && entry != nullptr && !entry->append_only) rules.key = entry->key;
  if (!rules.key.empty()) rules.order_columns = OrderColumns(entry);
  return rules;
}

TablePlan PlanTable(const BucketView& view, const TableName& table, const contract::TableEntry* entry,
                    std::optional<Checkpoint> before, Version in_use, const Circumstances& circumstances) {
  TablePlan plan;
  plan.refresh = circumstances.refresh && before && !circumstances.no_rebuild;
  plan.table = table;
  plan.version = in_use;
  plan.rules = DecideRules(view, table, entry, before ? &*before : nullptr);
  plan.before = std::move(before);
  if (plan.before) plan.skipped = plan.before->skipped;
  if (const std::string conflict = ShapeConflict(view, table, plan.rules.mode); !conflict.empty()) {
    Warn(plan, "shape_conflict", "", conflict + ": nothing is read (mode from the " + plan.rules.mode_source + ")");
  }
  if (plan.before && plan.before->mode != plan.rules.mode) {
    plan.problems.push_back({"mode", table.ToString(), "",
                             "it is " + std::string(contract::ModeName(plan.before->mode)) + " in the lake, but the " +
                                 plan.rules.mode_source + " now says " +
                                 std::string(contract::ModeName(plan.rules.mode)) +
                                 ": the table stays as it is; ingest into a new lake to take it in the new mode"});
    return plan;
  }
  if (plan.rules.mode == TableMode::kParts)
    PlanParts(view, circumstances, plan);
  else
    PlanFull(view, circumstances, plan);
  if (plan.action == Action::kNothing && plan.before && !plan.settled.empty()) plan.action = Action::kSettle;
  WarnDeliveredNotSealed(view, plan);
  return plan;
}

std::vector<Warning> BucketWarnings(const bucket::BucketView& view) {
  std::vector<Warning> out;
  for (const bucket::Finding& finding : view.findings) {
    out.push_back(
        {std::string(bucket::FindingName(finding.kind)), "", finding.subject, finding.detail, 0, finding.name});
  }
  return out;
}

std::vector<Waiting> StillWaiting(const BucketView& view, Version in_use) {
  std::vector<Waiting> out;
  const auto answered = [&](const TableName& table, const Delivery& delivery) {
    for (const TableMode mode : {TableMode::kFull, TableMode::kParts}) {
      const FolderMap& folders = view.FoldersOf(table, mode);
      const auto later = std::any_of(folders.lower_bound(delivery), folders.end(),
                                     [](const auto& entry) { return entry.second.sealed(); });
      if (later) return true;
    }
    return false;
  };
  for (const auto& [delivery, manifest] : view.manifests) {
    if (delivery.version > in_use) continue;
    for (const bool pending : {false, true}) {
      for (const contract::AbsentTable& absent : pending ? manifest.pending : manifest.missing) {
        if (!answered(absent.table, delivery))
          out.push_back({absent.table.ToString(), delivery, absent.reason, pending});
      }
    }
  }
  return out;
}

std::optional<UtcTime> DeliveredThrough(const BucketView& view, const TableName& table, const Checkpoint& checkpoint) {
  std::optional<UtcTime> out = checkpoint.delivered_through;
  for (const auto& [delivery, manifest] : view.manifests) {
    const contract::DeliveredTable* delivered = manifest.FindDelivered(table);
    if (delivered == nullptr || !delivered->delivered_through || !checkpoint.applied.Contains(delivery)) continue;
    if (!out || *out < *delivered->delivered_through) out = delivered->delivered_through;
  }
  return out;
}

namespace {

std::string DescribeAction(const TablePlan& plan) {
  std::string out = plan.table.ToString() + " (" + std::string(contract::ModeName(plan.rules.mode)) + ", " +
                    (plan.rules.key.empty() ? "no key" : "key " + Join(plan.rules.key, ", ")) + "): ";
  if (plan.action == Action::kNothing)
    return out + (plan.cold.empty() ? "up to date" : "nothing that can be read is new");
  if (plan.action == Action::kSettle) return out + "record what a person decided; no rows change";
  const size_t shown = plan.action == Action::kReplace ? 1 : plan.folders.size();
  size_t files = 0;
  int64_t bytes = 0;
  for (size_t i = 0; i < shown; ++i) {
    files += plan.folders[i].files.size();
    bytes += plan.folders[i].bytes();
  }
  out += std::string(ActionName(plan.action)) + " " + Plural(shown, "folder", "folders") + ", " +
         Plural(files, "file", "files") + ", " + HumanBytes(uint64_t(bytes));
  for (size_t i = 0; i < shown; ++i) out += "\n    " + plan.folders[i].folder.Path();
  return out;
}

}  // namespace

std::string Describe(const TablePlan& plan) {
  std::string out = DescribeAction(plan);
  for (const Cold& cold : plan.cold) out += "\n    " + Describe(cold);
  return out;
}

}  // namespace tidegate::ingest
