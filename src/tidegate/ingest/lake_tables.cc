#include "tidegate/ingest/lake_tables.h"

#include "tidegate/base/text.h"
#include "tidegate/ingest/full_refresh.h"
#include "tidegate/ingest/hold.h"
#include "tidegate/ingest/settlement.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::ingest {
namespace {

using contract::TableName;

/// The plan of a table that a person put on hold.
TablePlan PlanOfHeld(const bucket::BucketView& view, const TableName& name, const TableState& state,
                     const PlanChoice& choice, const std::string& hold) {
  TablePlan plan;
  plan.table = name;
  plan.version = choice.version;
  plan.rules = DecideRules(view, name, choice.entry, state.checkpoint ? &*state.checkpoint : nullptr);
  plan.before = state.checkpoint;
  plan.warnings.push_back({kOnHold, name.ToString(), "",
                           "on hold since " + Quoted(hold) + ": left as it is until `tidegate lake release`", 0, ""});
  return plan;
}

}  // namespace

std::vector<Checkpoint> LakeTables::Checkpoints() const {
  std::vector<Checkpoint> out;
  for (const auto& [name, state] : states) {
    if (state.checkpoint) out.push_back(*state.checkpoint);
  }
  return out;
}

Result<LakeTables> LoadLakeTables(const bucket::BucketView& view, store::ObjectStore& lake,
                                  const bucket::ScanOptions& choice) {
  LakeTables out;
  TG_ASSIGN_OR_RETURN(out.in_lake, table::ListTables(lake));
  TG_ASSIGN_OR_RETURN(out.marks, ListMarks(lake));
  std::set<TableName> names;
  for (const auto& [name, folders] : view.tables) names.insert(name);
  for (const TableName& name : out.in_lake) {
    if (bucket::Chosen(name, choice)) names.insert(name);
  }
  for (const TableName& name : names) {
    auto state = LoadTableState(lake, name);
    if (state.ok())
      out.states[name] = *std::move(state);
    else
      out.broken[name] = state.status();
  }
  return out;
}

Result<TablePlan> PlanOf(const bucket::BucketView& view, store::ObjectStore& lake, const TableName& name,
                         const TableState& state, const PlanChoice& choice) {
  const auto hold = state.table ? HoldOf(state.table->metadata()) : std::nullopt;
  if (hold) return PlanOfHeld(view, name, state, choice, *hold);
  Circumstances circumstances;
  if (choice.settled) {
    TG_ASSIGN_OR_RETURN(circumstances.settlements, LoadSettlements(lake, name));
  }
  circumstances.now = choice.now;
  circumstances.refresh = choice.refresh;
  circumstances.not_taken = choice.not_taken;
  circumstances.no_rebuild = choice.no_rebuild;
  TablePlan plan = PlanTable(view, name, choice.entry, state.checkpoint, choice.version, circumstances);
  if (plan.refresh) RefuseLoss(view, choice.accept_loss, plan);
  return plan;
}

}  // namespace tidegate::ingest
