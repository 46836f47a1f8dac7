#include "tidegate/status/status_report.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "tidegate/base/text.h"
#include "tidegate/ingest/hold.h"
#include "tidegate/ingest/hold_back.h"
#include "tidegate/ingest/lake_tables.h"
#include "tidegate/ingest/look.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::status {
namespace {

using contract::Delivery;
using contract::TableMode;
using contract::TableName;
using contract::Version;

void TakeLakeFacts(const ingest::TableState& state, TableStatus& out) {
  if (!state.table) return;
  out.in_lake = true;
  out.on_hold = ingest::HoldOf(state.table->metadata()).value_or("");
  const table::TableMetadata& metadata = state.table->metadata();
  out.snapshots = static_cast<int64_t>(metadata.snapshots.size());
  const table::Snapshot* snapshot = metadata.current_snapshot();
  if (snapshot == nullptr) return;
  const auto count = [&](const char* key) { return table::CountIn(snapshot->summary, key).value_or(0); };
  out.data_files = count("total-data-files");
  out.delete_files = count("total-delete-files");
  out.deleted_rows = count("total-position-deletes");
  out.rows = count("total-records") - out.deleted_rows;
  out.bytes = count("total-files-size");
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

/// "next is v2/2026-11-03/06, usually there by 06:40", or that it is late.
std::string DescribeNext(const NextDelivery& next) {
  const std::string name = next.delivery.ToString();
  if (next.late) return name + " is late: usually there by " + FormatRfc3339(next.there_by);
  return "next is " + name + ", usually there by " + FormatRfc3339(next.there_by);
}

std::string Summarize(const StatusReport& report) {
  std::vector<std::string> parts;
  const auto add = [&](std::initializer_list<Health> any, const char* one, const char* many) {
    const auto count = std::count_if(report.tables.begin(), report.tables.end(), [&](const TableStatus& table) {
      return std::find(any.begin(), any.end(), table.health) != any.end();
    });
    if (count > 0) parts.push_back(Plural(static_cast<size_t>(count), one, many));
  };
  add({Health::kUnreadable}, "table cannot be read", "tables cannot be read");
  add({Health::kGap}, "table has a gap", "tables have gaps");
  add({Health::kHeld}, "table is held, it shrank", "tables are held, they shrank");
  add({Health::kOnHold}, "table is on hold", "tables are on hold");
  add({Health::kFrozen, Health::kThawing}, "table waits for cold storage", "tables wait for cold storage");
  if (report.has_lake) add({Health::kToIngest}, "table has folders to ingest", "tables have folders to ingest");
  add({Health::kMissing, Health::kPending}, "table is missing or pending", "tables are missing or pending");
  if (parts.empty()) parts.push_back(report.has_lake ? "everything delivered is in the lake" : "nothing is missing");
  return Plural(report.tables.size(), "table", "tables") + ", " +
         Plural(report.deliveries_in_all, "delivery", "deliveries") + ", contract " +
         std::string(contract::VersionName(report.version)) + " in use: " + Join(parts, ", ") +
         (report.next ? "; " + DescribeNext(*report.next) : "");
}

std::optional<NextDelivery> NextAfter(const bucket::BucketView& view, Version version, const StatusOptions& options) {
  const auto newest = std::find_if(view.manifests.rbegin(), view.manifests.rend(), [&](const auto& entry) {
    return entry.first.version == version && !entry.first.is_initial();
  });
  if (newest == view.manifests.rend()) return std::nullopt;
  NextDelivery out;
  out.delivery = contract::Next(newest->first);
  out.due = contract::DueAt(out.delivery, options.daily_at);
  out.there_by = out.due + std::chrono::duration_cast<UtcTime::duration>(options.expect_within);
  out.late = options.now > out.there_by;
  return out;
}

/// What was tried and could not be applied, as far as it still stands there so.
void TakeOpenPoints(const ingest::TablePlan& plan, const ingest::OpenPoints& points, UtcTime now, TableStatus& out) {
  for (const ingest::Problem& problem : plan.problems) {
    const auto folder = contract::ParseFolder(problem.folder);
    ingest::OpenPoint gap;
    if (folder.ok()) gap.folder = *folder;
    gap.reason = problem.reason;
    gap.message = problem.message;
    gap.since = now;
    for (const ingest::OpenPoint& old : points) {
      if (folder.ok() && old.folder == *folder && old.reason == gap.reason) gap.since = old.since;
    }
    out.gaps.push_back(std::move(gap));
  }
  for (const bucket::FolderState& state : plan.folders) {
    const auto point = std::find_if(points.begin(), points.end(), [&](const ingest::OpenPoint& old) {
      return old.folder == state.folder && old.fingerprint == state.Fingerprint();
    });
    if (point == points.end() || point->cold)
      out.to_ingest.push_back(state.folder.Path());
    else
      (point->held ? out.held : out.gaps).push_back(*point);
  }
  if (plan.action == ingest::Action::kReplace && out.to_ingest.size() > 1) out.to_ingest.resize(1);
  out.cold = plan.cold;
  for (const ingest::OpenPoint& point : points) {
    if (out.cold.empty() || !point.cold) continue;
    out.cold_since = out.cold_since ? std::min(*out.cold_since, point.since) : point.since;
  }
}

/// The first seal of the folders to ingest.
std::optional<UtcTime> FirstSeal(const ingest::TablePlan& plan, const std::vector<std::string>& to_ingest) {
  std::optional<UtcTime> out;
  for (const bucket::FolderState& state : plan.folders) {
    const bool open = std::find(to_ingest.begin(), to_ingest.end(), state.folder.Path()) != to_ingest.end();
    if (open && state.seal && (!out || state.seal->modified < *out)) out = state.seal->modified;
  }
  return out;
}

UtcTime FirstSince(const std::vector<ingest::OpenPoint>& points) {
  return std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.since < b.since; })
      ->since;
}

void TakeHealth(const ingest::TablePlan& plan, const StatusOptions& options, bool has_lake, TableStatus& out) {
  if (!out.error.empty()) {
    out.health = Health::kUnreadable;
  } else if (!out.on_hold.empty()) {
    out.health = Health::kOnHold;
  } else if (!out.gaps.empty()) {
    out.health = Health::kGap;
    out.since = FirstSince(out.gaps);
  } else if (!out.held.empty()) {
    out.health = Health::kHeld;
    out.since = FirstSince(out.held);
  } else if (!out.cold.empty()) {
    const bool asked = std::all_of(out.cold.begin(), out.cold.end(),
                                   [](const ingest::Cold& cold) { return cold.state() == "thawing"; });
    out.health = asked ? Health::kThawing : Health::kFrozen;
    out.since = out.cold_since;
  } else if (has_lake && !out.to_ingest.empty()) {
    out.health = Health::kToIngest;
    out.since = FirstSeal(plan, out.to_ingest);
  } else if (!out.waiting.empty()) {
    const ingest::Waiting& first = out.waiting.front();
    out.health = first.pending ? Health::kPending : Health::kMissing;
    if (!first.delivery.is_initial()) out.since = contract::DueAt(first.delivery, options.daily_at);
  } else if (out.in_lake || !out.to_ingest.empty()) {
    out.health = Health::kCurrent;
    out.since = out.last_commit;
  }
}

bucket::ScanOptions ChoiceOf(const StatusOptions& options) {
  return {options.table_globs, options.exclude_globs, std::nullopt};
}

/// The recent days, where they hold as many deliveries as were asked for; else everything.
Result<ingest::Look> LookAt(store::ObjectStore& bucket, store::ObjectStore* lake, const StatusOptions& options) {
  ingest::Look out;
  if (lake == nullptr) {
    TG_ASSIGN_OR_RETURN(out.view, bucket::ScanBucket(bucket, ChoiceOf(options)));
    out.version = ingest::VersionInUse(out.view, {});
    return out;
  }
  ingest::LookOptions look;
  look.table_globs = options.table_globs;
  look.exclude_globs = options.exclude_globs;
  look.catalog = &options.catalog;
  look.now = options.now;
  TG_ASSIGN_OR_RETURN(out, ingest::LookAround(bucket, *lake, look));
  if (!out.note || out.view.Deliveries().size() >= options.max_deliveries) return out;
  look.list_all = true;
  return ingest::LookAround(bucket, *lake, look);
}

/// What the lake has of a table; nothing where there is no lake.
const ingest::TableState& StateOf(const ingest::Look& look, const TableName& name) {
  static const ingest::TableState kNone;
  const auto found = look.tables.states.find(name);
  return found == look.tables.states.end() ? kNone : found->second;
}

Result<ingest::TablePlan> PlanOf(store::ObjectStore& bucket, const ingest::Look& look, store::ObjectStore* lake,
                                 const TableName& name, const StatusOptions& options) {
  const ingest::PlanChoice choice = ingest::PlainChoice(look, name, options.catalog, options.now);
  if (lake == nullptr) return ingest::PlanTable(look.view, name, choice.entry, std::nullopt, look.version);
  return ingest::PlanReadable(look.view, bucket, *lake, name, StateOf(look, name), choice);
}

/// What freezes before long has to be in the lake by then.
void WarnOfFreeze(const ingest::TablePlan& plan, const StatusOptions& options, StatusReport& report) {
  if (options.freezes_after.count() == 0 || plan.folders.empty()) return;
  std::vector<bucket::FolderState> needed = plan.folders;
  if (plan.action == ingest::Action::kReplace) needed.resize(1);
  const auto soon = WhatFreezesSoon(needed, options.now, options.freezes_after);
  if (!soon) return;
  report.warnings.push_back({"freezes_soon", plan.table.ToString(), "",
                             Plural(soon->objects, "object", "objects") + ", " + HumanBytes(uint64_t(soon->bytes)) +
                                 ", not in the lake yet, go into cold storage by " +
                                 FormatRfc3339(options.now + kFreezeNotice).substr(0, 10) + ", the first on " +
                                 FormatRfc3339(soon->first).substr(0, 10) + ": run `tidegate ingest` before",
                             soon->objects, ""});
}

TableStatus StatusOfTable(store::ObjectStore& bucket, const ingest::Look& look, store::ObjectStore* lake,
                          const TableName& name, const StatusOptions& options,
                          const std::vector<ingest::Waiting>& waiting, StatusReport& report) {
  TableStatus out;
  out.table = name.ToString();
  const ingest::TableState& state = StateOf(look, name);
  TakeLakeFacts(state, out);
  if (const auto broken = look.tables.broken.find(name); broken != look.tables.broken.end()) {
    out.error = broken->second.ToString();
  }
  ingest::TablePlan plan;
  if (auto planned = PlanOf(bucket, look, lake, name, options); planned.ok())
    plan = *std::move(planned);
  else
    out.error = planned.status().ToString();
  ingest::OpenPoints points;
  if (look.tables.marks.with_open_points.contains(name)) {
    auto loaded = ingest::LoadOpenPoints(*lake, name);
    if (loaded.ok())
      points = *std::move(loaded);
    else
      report.warnings.push_back({"open_unreadable", out.table, "", loaded.status().message(), 0, ""});
  }
  out.mode = plan.rules.mode;
  out.mode_source = plan.rules.mode_source;
  TakeOpenPoints(plan, points, options.now, out);
  for (const ingest::Waiting& entry : waiting) {
    if (entry.table == out.table) out.waiting.push_back(entry);
  }
  if (state.checkpoint) out.delivered_through = ingest::DeliveredThrough(look.view, name, *state.checkpoint);
  if (const auto folders = look.view.tables.find(name); folders != look.view.tables.end()) {
    out.cold_by_age = ColdByAge(folders->second, options.now);
  }
  if (report.has_lake) WarnOfFreeze(plan, options, report);
  TakeHealth(plan, options, report.has_lake, out);
  for (const ingest::Warning& warning : plan.warnings) {
    if (warning.kind != "not_in_manifest" && warning.kind != ingest::kOnHold) report.warnings.push_back(warning);
  }
  return out;
}

bool Names(const std::vector<ingest::OpenPoint>& points, const Delivery& delivery) {
  return std::any_of(points.begin(), points.end(),
                     [&](const ingest::OpenPoint& point) { return point.folder.delivery == delivery; });
}

/// A sealed folder that was tried.
void MarkOpenPoint(const TableStatus& table, const Delivery& delivery, Cell& cell) {
  if (cell.state != CellState::kSealed) return;
  if (Names(table.gaps, delivery)) cell.state = CellState::kGap;
  if (Names(table.held, delivery)) cell.state = CellState::kHeld;
  for (const ingest::Cold& cold : table.cold) {
    for (const ingest::ColdFolder& folder : cold.folders) {
      if (folder.folder.delivery == delivery) cell.state = CellState::kCold;
    }
  }
}

void AddDeliveries(const ingest::Look& look, const std::set<TableName>& names, size_t most, StatusReport& report) {
  const bucket::BucketView& view = look.view;
  const std::set<Delivery> all = view.Deliveries();
  const auto seen = std::count_if(all.begin(), all.end(), [&](const Delivery& d) { return view.Covers(d); });
  report.deliveries_in_all = static_cast<size_t>(seen) + (look.note ? look.note->deliveries_before : 0);
  for (auto it = all.rbegin(); it != all.rend() && report.deliveries.size() < most; ++it) {
    DeliveryRow row;
    row.delivery = *it;
    if (const auto manifest = view.manifests.find(*it); manifest != view.manifests.end()) {
      row.has_manifest = true;
      row.complete = manifest->second.complete;
    }
    size_t column = 0;
    for (const TableName& name : names) {
      const auto& known = StateOf(look, name).checkpoint;
      const ingest::Checkpoint* checkpoint = known ? &*known : nullptr;
      const TableStatus& table = report.tables[column++];
      row.cells.push_back(CellOf(view, name, table.mode, *it, checkpoint));
      MarkOpenPoint(table, *it, row.cells.back());
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
    case CellState::kGap:
      return "gap";
    case CellState::kHeld:
      return "held";
    case CellState::kCold:
      return "cold";
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

std::string_view HealthName(Health health) {
  switch (health) {
    case Health::kUnreadable:
      return "cannot be read";
    case Health::kOnHold:
      return "on hold";
    case Health::kGap:
      return "gap";
    case Health::kHeld:
      return "held";
    case Health::kFrozen:
      return "frozen";
    case Health::kThawing:
      return "thawing";
    case Health::kToIngest:
      return "to ingest";
    case Health::kMissing:
      return "missing";
    case Health::kPending:
      return "pending";
    case Health::kNoData:
      return "no data yet";
    case Health::kCurrent:
      return "current";
  }
  return "no data yet";
}

Result<StatusReport> BuildStatus(store::ObjectStore& bucket, store::ObjectStore* lake, const StatusOptions& options) {
  TG_ASSIGN_OR_RETURN(const ingest::Look look, LookAt(bucket, lake, options));
  const bucket::BucketView& view = look.view;
  std::set<TableName> names;
  for (const auto& [name, folders] : view.tables) names.insert(name);
  for (const auto& [name, state] : look.tables.states) names.insert(name);
  for (const auto& [name, status] : look.tables.broken) names.insert(name);
  AddNamedByManifests(view, ChoiceOf(options), names);

  StatusReport report;
  report.has_lake = lake != nullptr;
  report.version = look.version;
  report.warnings = ingest::BucketWarnings(view);
  const auto waiting = ingest::StillWaiting(view, report.version);
  for (const TableName& name : names) {
    report.tables.push_back(StatusOfTable(bucket, look, lake, name, options, waiting, report));
  }
  AddDeliveries(look, names, options.max_deliveries, report);
  report.next = NextAfter(view, report.version, options);
  report.summary = Summarize(report);
  return report;
}

}  // namespace tidegate::status
