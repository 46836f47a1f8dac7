#include "tidegate/upkeep/rollback.h"

#include <algorithm>
#include <functional>

#include "tidegate/base/text.h"
#include "tidegate/ingest/hold.h"
#include "tidegate/ingest/schema_fit.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/upkeep/as_of.h"
#include "tidegate/upkeep/lake_catalog.h"

namespace tidegate::upkeep {
namespace {

using contract::TableName;

/// The tables to work on: those that were named, each of which must be there, or all.
Result<std::vector<TableName>> TablesOf(store::ObjectStore& lake, const std::vector<TableName>& named) {
  TG_ASSIGN_OR_RETURN(std::vector<TableName> all, table::ListTables(lake));
  if (named.empty()) return all;
  for (const TableName& name : named) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      return NotFound("the lake " + lake.url() + " has no table " + Quoted(name.ToString()));
    }
  }
  std::vector<TableName> out = named;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Columns are found by name: the mapping must lead to the schema that is current after the rollback.
Result<std::optional<std::string>> MappingFor(const table::TableMetadata& metadata, int64_t snapshot_id) {
  const auto property = metadata.properties.find(table::kNameMappingProperty);
  const schema::Schema* schema = metadata.SchemaOf(snapshot_id);
  if (property == metadata.properties.end() || schema == nullptr) return std::optional<std::string>();
  TG_ASSIGN_OR_RETURN(const auto earlier, table::ParseNameMapping(property->second));
  return std::optional(table::WriteNameMapping(ingest::MappingOf(*schema, earlier)));
}

Result<table::MetadataChange> ChangeOf(const table::TableMetadata& metadata, const TableRollback& plan,
                                       const RollbackOptions& options) {
  table::MetadataChange change;
  if (plan.step == Step::kBack) {
    change.current_snapshot = plan.to;
    TG_ASSIGN_OR_RETURN(const auto mapping, MappingFor(metadata, plan.to));
    if (mapping) change.set_properties[table::kNameMappingProperty] = *mapping;
  }
  if (plan.hold) {
    change.set_properties[ingest::kHoldKey] = FormatRfc3339(options.clock->Now()) + " at " + options.to.ToString() +
                                              (options.hold->empty() ? "" : ": " + *options.hold);
  }
  return change;
}

/// Load, decide and commit until no other writer came first. `change_of` returns nullopt where nothing is to be done.
Status ChangeTable(
    store::ObjectStore& lake, const TableName& name, UtcTime now,
    const std::function<Result<std::optional<table::MetadataChange>>(const table::TableMetadata&)>& change_of) {
  for (int attempt = 1;; ++attempt) {
    TG_ASSIGN_OR_RETURN(table::LakeTable table, table::LakeTable::Load(lake, table::FolderOf(name)));
    TG_ASSIGN_OR_RETURN(const std::optional<table::MetadataChange> change, change_of(table.metadata()));
    if (!change) return Status::Ok();
    Status committed = table.CommitMetadata(*change, now);
    if (committed.code() != Code::kPreconditionFailed || attempt == table::kMaxPlans) return committed;
  }
}

Result<std::vector<TableRollback>> PlanAll(store::ObjectStore& lake, const RollbackOptions& options) {
  TG_ASSIGN_OR_RETURN(const std::vector<TableName> names, TablesOf(lake, options.tables));
  std::vector<TableRollback> out;
  for (const TableName& name : names) {
    const std::string context = "table " + Quoted(name.ToString());
    const auto table = table::LakeTable::Load(lake, table::FolderOf(name));
    if (!table.ok()) return table.status().WithContext(context);
    auto plan = PlanTableRollback(name, table->metadata(), options);
    if (!plan.ok()) return plan.status().WithContext(context + ": nothing was rolled back");
    out.push_back(*std::move(plan));
  }
  return out;
}

}  // namespace

std::string_view StepName(Step step) {
  switch (step) {
    case Step::kNothing:
      return "nothing";
    case Step::kBack:
      return "back";
    case Step::kNotYet:
      return "not_yet";
  }
  return "nothing";
}

Result<TableRollback> PlanTableRollback(const TableName& name, const table::TableMetadata& metadata,
                                        const RollbackOptions& options) {
  TableRollback out;
  out.table = name;
  out.from = metadata.current_snapshot_id.value_or(0);
  TG_ASSIGN_OR_RETURN(const std::optional<int64_t> as_of, SnapshotAsOf(metadata, options.to));
  if (!as_of) {
    if (!options.tables.empty()) return NotFound("it was not there yet as of " + options.to.ToString());
    out.step = Step::kNotYet;
    return out;
  }
  out.to = *as_of;
  out.step = out.to == out.from ? Step::kNothing : Step::kBack;
  out.hold = options.hold.has_value();
  return out;
}

Result<std::vector<TableRollback>> RollBack(store::ObjectStore& lake, const RollbackOptions& options) {
  TG_ASSIGN_OR_RETURN(std::vector<TableRollback> plans, PlanAll(lake, options));
  if (options.plan_only) return plans;
  for (TableRollback& plan : plans) {
    if (options.cancel != nullptr) TG_RETURN_IF_ERROR(options.cancel->Check());
    using Decision = std::optional<table::MetadataChange>;
    const auto decide = [&](const table::TableMetadata& metadata) -> Result<Decision> {
      TG_ASSIGN_OR_RETURN(plan, PlanTableRollback(plan.table, metadata, options));
      const bool held = plan.hold && ingest::HoldOf(metadata).has_value();
      if (plan.step != Step::kBack && (!plan.hold || held)) return Decision();
      TG_ASSIGN_OR_RETURN(table::MetadataChange change, ChangeOf(metadata, plan, options));
      return Decision(std::move(change));
    };
    TG_RETURN_IF_ERROR(ChangeTable(lake, plan.table, options.clock->Now(), decide)
                           .WithContext("table " + Quoted(plan.table.ToString())));
  }
  RefreshCatalog(lake);
  return plans;
}

Result<std::vector<TableName>> Release(store::ObjectStore& lake, const std::vector<TableName>& tables, UtcTime now) {
  TG_ASSIGN_OR_RETURN(const std::vector<TableName> names, TablesOf(lake, tables));
  std::vector<TableName> released;
  for (const TableName& name : names) {
    using Decision = std::optional<table::MetadataChange>;
    bool held = false;
    const auto decide = [&](const table::TableMetadata& metadata) -> Result<Decision> {
      if (!ingest::HoldOf(metadata)) return Decision();
      held = true;
      table::MetadataChange change;
      change.remove_properties = {ingest::kHoldKey};
      return Decision(std::move(change));
    };
    TG_RETURN_IF_ERROR(ChangeTable(lake, name, now, decide).WithContext("table " + Quoted(name.ToString())));
    if (held) released.push_back(name);
  }
  RefreshCatalog(lake);
  return released;
}

}  // namespace tidegate::upkeep
