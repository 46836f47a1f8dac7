#include "tidegate/ingest/full_refresh.h"

#include <string>
#include <vector>

#include "tidegate/base/text.h"

namespace tidegate::ingest {
namespace {

constexpr size_t kNamed = 3;

void Refuse(TablePlan& plan, const std::string& message) {
  plan.action = Action::kNothing;
  plan.folders.clear();
  plan.problems.push_back({"loss", plan.table.ToString(), "", message});
}

}  // namespace

void RefuseLoss(const bucket::BucketView& view, bool accept_loss, TablePlan& plan) {
  if (plan.action == Action::kReseed || !plan.problems.empty()) return;  // the vendor's new copy; or nothing is done
  if (plan.folders.empty()) {
    return Refuse(plan, "full refresh: there is no sealed folder to build it from: the table stays as it is");
  }
  if (plan.rules.mode == contract::TableMode::kFull) return;
  const bucket::FolderMap& folders = view.FoldersOf(plan.table, contract::TableMode::kParts);
  const auto is_gone = [&](const contract::Delivery& delivery) {
    const auto folder = folders.find(delivery);
    return folder == folders.end() || !folder->second.sealed();
  };
  const std::vector<contract::Delivery> gone = plan.before->applied.FirstWhere(is_gone, kNamed + 1);
  if (gone.empty()) return;
  std::vector<std::string> names;
  for (size_t i = 0; i < gone.size() && i < kNamed; ++i) names.push_back(gone[i].ToString());
  const std::string which = Join(names, ", ") + (gone.size() > kNamed ? ", …" : "");
  if (accept_loss) {
    plan.warnings.push_back(
        {"rows_gone", plan.table.ToString(), "",
         "built anew without folders that were applied and are no longer sealed in the bucket: " + which, 0, ""});
    return;
  }
  Refuse(plan, "full refresh: rows would be lost: folders that were applied are no longer sealed in the bucket: " +
                   which + ": the table stays as it is; --accept-loss builds it without them");
}

}  // namespace tidegate::ingest
