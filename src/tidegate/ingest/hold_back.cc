#include "tidegate/ingest/hold_back.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace tidegate::ingest {
namespace {

using bucket::FolderState;
using contract::Delivery;
using contract::TableMode;
using store::ArchiveState;

/// So many copies of a full table are asked for; of older ones the listing is believed.
constexpr int64_t kMostCopiesAsked = 10;

/// Looks at folders, one after the other, and asks for the truth until one object is certain to be frozen.
class Survey {
 public:
  explicit Survey(ArchiveTruth& truth, bool ask = true) : truth_(truth), ask_(ask) {}

  /// Absent: all of it can be read.
  std::optional<ColdFolder> Look(const FolderState& state) {
    ColdFolder out{.folder = state.folder, .thawing = true};
    for (const store::ObjectInfo& file : state.files) {
      const ArchiveState now = StateOf(file);
      if (store::CanBeRead(now)) continue;
      ++out.objects;
      out.bytes += file.size_bytes;
      if (now != ArchiveState::kFrozen) continue;
      out.thawing = false;
      ask_ = false;
    }
    return out.objects == 0 ? std::nullopt : std::optional(std::move(out));
  }

 private:
  ArchiveState StateOf(const store::ObjectInfo& file) {
    return ask_ && file.archive == ArchiveState::kFrozen ? truth_.Of(file) : file.archive;
  }

  ArchiveTruth& truth_;
  bool ask_;
};

/// Of the folders that `wanted` picks, as one.
Cold ColdAsOne(const TablePlan& plan, ColdScope scope, ArchiveTruth& truth,
               const std::function<bool(const Delivery&)>& wanted) {
  Cold out{.table = plan.table.ToString(), .scope = scope};
  Survey survey(truth);
  for (const FolderState& state : plan.folders) {
    if (!wanted(state.folder.delivery)) continue;
    ++out.of_folders;
    if (auto cold = survey.Look(state)) out.folders.push_back(*std::move(cold));
  }
  return out;
}

void DoNothing(TablePlan& plan) {
  plan.folders.clear();
  plan.takes_reseed = false;
  plan.action = plan.before && !plan.settled.empty() ? Action::kSettle : Action::kNothing;
}

/// Each folder waits for itself.
void HoldBackFolders(ArchiveTruth& truth, TablePlan& plan) {
  Cold cold{.table = plan.table.ToString(), .scope = ColdScope::kFolders};
  cold.of_folders = std::ssize(plan.folders);
  std::erase_if(plan.folders, [&](const FolderState& state) {
    auto found = Survey(truth).Look(state);
    if (!found) return false;
    cold.folders.push_back(*std::move(found));
    return true;
  });
  if (cold.folders.empty()) return;
  plan.cold.push_back(std::move(cold));
  if (plan.folders.empty()) DoNothing(plan);
}

/// the newest copy that can be read.
void HoldBackCopies(ArchiveTruth& truth, TablePlan& plan) {
  Cold cold{.table = plan.table.ToString(), .scope = ColdScope::kCopy};
  size_t unreadable = 0;
  for (; unreadable < plan.folders.size(); ++unreadable) {
    auto found = Survey(truth, /*ask=*/cold.of_folders < kMostCopiesAsked).Look(plan.folders[unreadable]);
    if (!found) break;
    if (cold.folders.empty()) cold.folders.push_back(*std::move(found));
    ++cold.of_folders;
  }
  if (unreadable == 0) return;
  plan.folders.erase(plan.folders.begin(), plan.folders.begin() + static_cast<ptrdiff_t>(unreadable));
  plan.cold.push_back(std::move(cold));
  if (plan.folders.empty()) DoNothing(plan);
}

enum class Again { kNo, kWithoutReseed, kWithoutRebuild };

/// Returns whether the plan has to be made anew, without what waits as a whole.
Again HoldBackParts(ArchiveTruth& truth, TablePlan& plan) {
  const bool first = !plan.before;
  const ColdScope scope = first                             ? ColdScope::kFirstBuild
                          : plan.action == Action::kRebuild ? ColdScope::kRebuild
                                                            : ColdScope::kReseed;
  Cold cold = ColdAsOne(plan, scope, truth, [&](const Delivery& d) { return NeedsAtOnce(plan, d); });
  if (cold.folders.empty()) {
    HoldBackFolders(truth, plan);
    return Again::kNo;
  }
  plan.cold.push_back(std::move(cold));
  if (!first) return scope == ColdScope::kRebuild ? Again::kWithoutRebuild : Again::kWithoutReseed;
  DoNothing(plan);
  return Again::kNo;
}

Again HoldBack(ArchiveTruth& truth, TablePlan& plan) {
  if (plan.folders.empty()) return Again::kNo;
  if (plan.rules.mode == TableMode::kParts) return HoldBackParts(truth, plan);
  HoldBackCopies(truth, plan);
  return Again::kNo;
}

}  // namespace

ArchiveState ArchiveTruth::Of(const store::ObjectInfo& listed) {
  const auto [known, is_new] = known_.emplace(listed.key, listed.archive);
  if (!is_new) return known->second;
  const auto now = bucket_.Head(listed.key);
  if (now.ok()) known->second = now->archive;
  if (now.status().code() == Code::kNotFound)
    known->second = ArchiveState::kReadable;  // reading it says what became of it
  return known->second;
}

bool NeedsAtOnce(const TablePlan& plan, const Delivery& delivery) {
  if (plan.rules.mode == TableMode::kFull) return false;
  if (!plan.before || plan.action == Action::kRebuild) return true;
  return plan.takes_reseed && (delivery <= plan.reseed->at || plan.before->applied.Contains(delivery));
}

Result<TablePlan> PlanReadable(const bucket::BucketView& view, store::ObjectStore& bucket, store::ObjectStore& lake,
                               const contract::TableName& name, const TableState& state, PlanChoice choice) {
  ArchiveTruth truth(bucket);
  std::vector<Cold> cold;
  for (;;) {
    TG_ASSIGN_OR_RETURN(TablePlan plan, PlanOf(view, lake, name, state, choice));
    const Again again = HoldBack(truth, plan);
    for (Cold& more : plan.cold) AddCold(std::move(more), cold);
    if (again == Again::kNo) {
      plan.cold = std::move(cold);
      return plan;
    }
    if (again == Again::kWithoutReseed) choice.not_taken.Insert(plan.reseed->at);
    if (again == Again::kWithoutRebuild) choice.no_rebuild = true;
  }
}

}  // namespace tidegate::ingest
