#include "tidegate/status/status_report.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "tidegate/base/text.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::status {
namespace {

using contract::Delivery;
using contract::TableMode;
using contract::TableName;
using contract::Version;

struct LakeSide {
  std::map<TableName, ingest::TableState> states;
  std::map<TableName, Status> broken;
};

Result<LakeSide> LoadLake(store::ObjectStore* lake, std::set<TableName>& names, const bucket::ScanOptions& choice) {
  LakeSide out;
  if (lake == nullptr) return out;
  TG_ASSIGN_OR_RETURN(const auto in_lake, table::ListTables(*lake));
  for (const TableName& name : in_lake) {
    if (bucket::Chosen(name, choice)) names.insert(name);
  }
  for (const TableName& name : names) {
    auto state = ingest::LoadTableState(*lake, name);
    if (state.ok())
      out.states.emplace(name, *std::move(state));
    else
      out.broken[name] = state.status();
  }
  return out;
}

int64_t Number(const table::Summary& summary, const char* key) {
  const auto it = summary.find(key);
  int64_t value = 0;
  if (it != summary.end()) std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
  return value;
}

void TakeLakeFacts(const ingest::TableState& state, TableStatus& out) {
  if (!state.table) return;
  out.in_lake = true;
  const table::TableMetadata& metadata = state.table->metadata();
  out.snapshots = static_cast<int64_t>(metadata.snapshots.size());
  const table::Snapshot* snapshot = metadata.current_snapshot();
  if (snapshot == nullptr) return;
  out.data_files = Number(snapshot->summary, "total-data-files");
  out.delete_files = Number(snapshot->summary, "total-delete-files");
  out.deleted_rows = Number(snapshot->summary, "total-position-deletes");
  out.rows = Number(snapshot->summary, "total-records") - out.deleted_rows;
  out.bytes = Number(snapshot->summary, "total-files-size");
  out.last_commit = UtcTime(std::chrono::milliseconds(snapshot->timestamp_ms));
  if (state.checkpoint && !state.checkpoint->applied.empty()) {
    out.newest_applied = state.checkpoint->applied.Max().ToString();
  }
}

const contract::AbsentTable* FindAbsent(const std::vector<contract::AbsentTable>& absent, const TableName& name) {
  const auto it = std::find_if(absent.begin(), absent.end(), [&](const auto& a) { return a.table == name; });
  return it == absent.end() ? nullptr : &*it;
}

Cell CellOf(const bucket::BucketView& view, const TableName& name, TableMode mode, const Delivery& delivery,
            const ingest::Checkpoint* checkpoint) {
  const bucket::FolderMap& folders = view.FoldersOf(name, mode);
  const auto folder = folders.find(delivery);
  const bool there = folder != folders.end();
  if (checkpoint != nullptr && checkpoint->applied.Contains(delivery)) return {CellState::kApplied, ""};
  if (there && folder->second.sealed()) {
    const bool overtaken = mode == TableMode::kFull && checkpoint != nullptr && !checkpoint->applied.empty() &&
                           delivery < checkpoint->applied.Max();
    return {overtaken ? CellState::kOvertaken : CellState::kSealed, ""};
  }
  if (const auto manifest = view.manifests.find(delivery); manifest != view.manifests.end()) {
    if (const auto* pending = FindAbsent(manifest->second.pending, name)) return {CellState::kPending, pending->reason};
    if (const auto* missing = FindAbsent(manifest->second.missing, name)) return {CellState::kMissing, missing->reason};
  }
  return {there ? CellState::kInProgress : CellState::kNone, ""};
}

std::set<Delivery> AllDeliveries(const bucket::BucketView& view) {
  std::set<Delivery> out;
  for (const auto& [delivery, manifest] : view.manifests) out.insert(delivery);
  for (const auto& [name, table] : view.tables) {
    for (const bucket::FolderMap* folders : {&table.full, &table.parts}) {
      for (const auto& [delivery, state] : *folders) out.insert(delivery);
    }
  }
  return out;
}

/// A table may be known from manifests alone: missing since its first day.
void AddNamedByManifests(const bucket::BucketView& view, const bucket::ScanOptions& choice,
                         std::set<TableName>& names) {
  const auto add = [&](const TableName& name) {
    if (bucket::Chosen(name, choice)) names.insert(name);
  };
  for (const auto& [delivery, manifest] : view.manifests) {
    for (const auto& table : manifest.delivered) add(table.table);
    for (const auto& table : manifest.missing) add(table.table);
    for (const auto& table : manifest.pending) add(table.table);
  }
}

std::string Summarize(const StatusReport& report) {
  const auto count = [&](auto test) {
    return static_cast<size_t>(std::count_if(report.tables.begin(), report.tables.end(), test));
  };
  const size_t waiting = count([](const TableStatus& t) { return !t.waiting.empty(); });
  const size_t open = count([](const TableStatus& t) { return !t.open_folders.empty(); });
  const size_t broken = count([](const TableStatus& t) { return !t.error.empty(); });
  std::string out = Plural(report.tables.size(), "table", "tables") + ", " +
                    Plural(report.deliveries_in_all, "delivery", "deliveries") + ", contract " +
                    std::string(contract::VersionName(report.version)) + " in use: ";
  std::vector<std::string> parts;
  if (broken > 0) parts.push_back(Plural(broken, "table cannot be read", "tables cannot be read"));
  if (open > 0 && report.has_lake) parts.push_back(Plural(open, "table has", "tables have") + " folders to ingest");
  if (waiting > 0) parts.push_back(Plural(waiting, "table is", "tables are") + " missing or pending");
  if (!parts.empty()) return out + Join(parts, ", ");
  return out + (report.has_lake ? "everything delivered is in the lake" : "nothing is missing");
}

TableStatus StatusOfTable(const bucket::BucketView& view, const TableName& name, const LakeSide& lake,
                          const StatusOptions& options, Version version, std::vector<ingest::Warning>& warnings) {
  TableStatus out;
  out.table = name.ToString();
  std::optional<ingest::Checkpoint> checkpoint;
  if (const auto state = lake.states.find(name); state != lake.states.end()) {
    checkpoint = state->second.checkpoint;
    TakeLakeFacts(state->second, out);
  }
  if (const auto broken = lake.broken.find(name); broken != lake.broken.end()) out.error = broken->second.ToString();
  const ingest::TablePlan plan = ingest::PlanTable(view, name, options.catalog.Find(name), checkpoint, version);
  out.mode = plan.rules.mode;
  out.mode_source = plan.rules.mode_source;
  for (const auto& folder : plan.folders) out.open_folders.push_back(folder.folder.Path());
  if (plan.action == ingest::Action::kReplace) out.open_folders.resize(1);
  if (checkpoint) out.delivered_through = ingest::DeliveredThrough(view, name, *checkpoint);
  for (const ingest::Warning& warning : plan.warnings) {
    if (warning.kind != "not_in_manifest") warnings.push_back(warning);
  }
  return out;
}

void AddDeliveries(const bucket::BucketView& view, const std::set<TableName>& names, const LakeSide& lake, size_t most,
                   StatusReport& report) {
  const std::set<Delivery> all = AllDeliveries(view);
  report.deliveries_in_all = all.size();
  for (auto it = all.rbegin(); it != all.rend() && report.deliveries.size() < most; ++it) {
    DeliveryRow row;
    row.delivery = *it;
    if (const auto manifest = view.manifests.find(*it); manifest != view.manifests.end()) {
      row.has_manifest = true;
      row.complete = manifest->second.complete;
    }
    size_t column = 0;
    for (const TableName& name : names) {
      const auto state = lake.states.find(name);
      const ingest::Checkpoint* checkpoint =
          state != lake.states.end() && state->second.checkpoint ? &*state->second.checkpoint : nullptr;
      row.cells.push_back(CellOf(view, name, report.tables[column++].mode, *it, checkpoint));
    }
    report.deliveries.push_back(std::move(row));
  }
}

}  // namespace

std::string_view CellName(CellState state) {
  switch (state) {
    case CellState::kNone:
      return "none";
    case CellState::kSealed:
      return "sealed";
    case CellState::kApplied:
      return "applied";
    case CellState::kOvertaken:
      return "overtaken";
    case CellState::kInProgress:
      return "in progress";
    case CellState::kMissing:
      return "missing";
    case CellState::kPending:
      return "pending";
  }
  return "none";
}

Result<StatusReport> BuildStatus(store::ObjectStore& bucket, store::ObjectStore* lake, const StatusOptions& options) {
  const bucket::ScanOptions choice{options.table_globs, options.exclude_globs, std::nullopt};
  TG_ASSIGN_OR_RETURN(const bucket::BucketView view, bucket::ScanBucket(bucket, choice));
  std::set<TableName> names;
  for (const auto& [name, folders] : view.tables) names.insert(name);
  AddNamedByManifests(view, choice, names);
  TG_ASSIGN_OR_RETURN(const LakeSide side, LoadLake(lake, names, choice));

  StatusReport report;
  report.has_lake = lake != nullptr;
  std::vector<ingest::Checkpoint> checkpoints;
  for (const auto& [name, state] : side.states) {
    if (state.checkpoint) checkpoints.push_back(*state.checkpoint);
  }
  report.version = ingest::VersionInUse(view, checkpoints);
  for (const bucket::Finding& finding : view.findings) {
    report.warnings.push_back(
        {std::string(bucket::FindingName(finding.kind)), "", finding.subject, finding.detail, 0, finding.name});
  }
  const auto waiting = ingest::StillWaiting(view, report.version);
  for (const TableName& name : names) {
    report.tables.push_back(StatusOfTable(view, name, side, options, report.version, report.warnings));
    for (const ingest::Waiting& entry : waiting) {
      if (entry.table == name.ToString()) report.tables.back().waiting.push_back(entry);
    }
  }
  AddDeliveries(view, names, side, options.max_deliveries, report);
  report.summary = Summarize(report);
  return report;
}

}  // namespace tidegate::status
