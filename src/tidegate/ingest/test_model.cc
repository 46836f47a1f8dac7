#include "tidegate/ingest/test_model.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::TableMode;
using contract::Version;

/// A sealed folder as it is visible.
struct Sealed {
  const HistoryFolder* folder;
  const FolderContent* content;
};
using SealedFolders = std::map<Delivery, Sealed>;  // in the order of C-20

struct Scene {
  const HistoryTable& table;
  Version version;
  std::vector<const contract::Manifest*> manifests;  // by delivery, of the versions in use
  SealedFolders sealed;
  std::set<Delivery> unsealed;
};

/// C-12: v2 as soon as one key exists under v2/_manifests/.
Version VersionOf(const BucketHistory& history, const VisibleBucket& visible) {
  for (const HistoryManifest& manifest : history.manifests) {
    const bool v2 = manifest.contents.front().delivery.version == Version::kV2;
    if (v2 && visible.manifests.contains(manifest.id)) return Version::kV2;
  }
  return Version::kV1;
}

Scene Look(const BucketHistory& history, const HistoryTable& table, const VisibleBucket& visible) {
  Scene out{table, VersionOf(history, visible), {}, {}, {}};
  for (const HistoryManifest& manifest : history.manifests) {
    const auto seen = visible.manifests.find(manifest.id);
    if (seen == visible.manifests.end()) continue;
    const contract::Manifest& content = manifest.contents[seen->second];
    if (content.delivery.version <= out.version) out.manifests.push_back(&content);
  }
  std::sort(out.manifests.begin(), out.manifests.end(),
            [](const auto* a, const auto* b) { return a->delivery < b->delivery; });
  for (const HistoryFolder& folder : table.folders) {
    const auto seen = visible.folders.find(folder.id);
    if (seen == visible.folders.end() || folder.delivery.version > out.version) continue;
    if (seen->second.sealed)  // C-10
      out.sealed[folder.delivery] = {&folder, &folder.contents[seen->second.content]};
    else
      out.unsealed.insert(folder.delivery);
  }
  return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which folders make up the table

/// A reseed as the manifests announce it: flagged deliveries that no unflagged one parts are one.
struct Announced {
  Delivery at, from;
  bool given_from = false;
};

std::vector<Announced> ReseedsIn(const Scene& scene) {
  std::vector<Announced> out;
  bool open = false;
  for (const contract::Manifest* manifest : scene.manifests) {
    const contract::DeliveredTable* delivered = manifest->FindDelivered(scene.table.entry.name);
    if (delivered == nullptr) continue;
    if (delivered->reseed && !open) {
      out.push_back({manifest->delivery, delivered->reseed_from.value_or(manifest->delivery),
                     delivered->reseed_from.has_value()});
    }
    open = delivered->reseed;
  }
  return out;
}

/// C-35: __initial__ belongs to a v1 reseed where its _SUCCESS is not older than R's day.
bool HasFreshInitial(const Scene& scene, const Announced& reseed) {
  if (reseed.at.version != Version::kV1 || reseed.given_from || scene.sealed.empty()) return false;
  const auto& [first, initial] = *scene.sealed.begin();
  return first.is_initial() && initial.folder->sealed_at >= *ParseRfc3339(reseed.at.date + "T00:00:00Z");
}

bool Holds(const Scene& scene, const Announced& reseed, const Delivery& delivery) {
  return delivery >= reseed.from || (delivery.is_initial() && HasFreshInitial(scene, reseed));
}

/// Does a folder wait with one of these reseeds?
bool Waits(const Scene& scene, const std::vector<Announced>& waiting, const Delivery& delivery) {
  return std::any_of(waiting.begin(), waiting.end(),
                     [&](const Announced& reseed) { return Holds(scene, reseed, delivery); });
}

/// The sealed folders of the new copy up to R: all of them must be whole, and must not wait, for it to be taken.
std::vector<std::pair<Delivery, Sealed>> NeededBy(const Scene& scene, const Announced& reseed) {
  std::vector<std::pair<Delivery, Sealed>> out;
  for (const auto& entry : scene.sealed) {
    if (entry.first <= reseed.at && Holds(scene, reseed, entry.first)) out.emplace_back(entry);
  }
  return out;
}

/// Once R is sealed, or, where a reseed in v1 delivered __initial__ alone, that.
bool IsTried(const Scene& scene, const Announced& reseed, const std::vector<Announced>& waiting) {
  const bool alone = !scene.unsealed.contains(reseed.at) && HasFreshInitial(scene, reseed);
  if (!scene.sealed.contains(reseed.at) && !alone) return false;
  const auto needed = NeededBy(scene, reseed);
  return std::none_of(needed.begin(), needed.end(),
                      [&](const auto& entry) { return Waits(scene, waiting, entry.first); });
}

bool HasBroken(const Scene& scene, const Announced& reseed) {
  const auto needed = NeededBy(scene, reseed);
  return std::any_of(needed.begin(), needed.end(), [](const auto& entry) { return entry.second.content->broken; });
}

bool CanBeTaken(const Scene& scene, const Announced& reseed, const std::vector<Announced>& waiting) {
  return IsTried(scene, reseed, waiting) && !HasBroken(scene, reseed);
}

struct Chosen {
  std::vector<Sealed> folders;  // in the order of C-20
  bool waits = false;           // a reseed is announced and cannot be taken yet
  bool broken = false;          // it is tried, and cannot be taken because a part of it is broken
};

Chosen ChooseParts(const Scene& scene) {
  std::vector<Announced> reseeds = ReseedsIn(scene);
  std::vector<Announced> waiting;
  Chosen out;
  while (!reseeds.empty() && !CanBeTaken(scene, reseeds.back(), waiting)) {  // the latest wins
    out.broken = out.broken || IsTried(scene, reseeds.back(), waiting);
    waiting.push_back(reseeds.back());
    reseeds.pop_back();
  }
  out.waits = !waiting.empty();
  for (const auto& [delivery, sealed] : scene.sealed) {
    if (!reseeds.empty() && !Holds(scene, reseeds.back(), delivery)) continue;  // fenced
    if (!Waits(scene, waiting, delivery)) out.folders.push_back(sealed);
  }
  return out;
}

/// Could it have been taken before all of it was seen, although it cannot be taken now? __initial__ alone, before the
/// files of R; or R, before a folder of the new copy that is broken.
bool MayHaveBeenTaken(const Scene& scene, const Announced& reseed) {
  if (CanBeTaken(scene, reseed, {})) return false;
  const auto at = scene.sealed.find(reseed.at);
  const bool whole = at != scene.sealed.end() && !at->second.content->broken;
  return whole || HasFreshInitial(scene, reseed);
}

/// C-11, C-13, A-11: the newest copy that can be applied, of the version in use where it has any.
Chosen ChooseFull(const Scene& scene, ExpectedTable& out) {
  const bool any_v2 = std::any_of(scene.sealed.begin(), scene.sealed.end(),
                                  [](const auto& entry) { return entry.first.version == Version::kV2; });
  for (auto it = scene.sealed.rbegin(); it != scene.sealed.rend(); ++it) {
    if (any_v2 && it->first.version == Version::kV1) {
      out.open = true;  // a lake that has the copy of v1 keeps it, a new one need not take it
      break;
    }
    if (!it->second.content->broken) return {{it->second}, false, false};
    out.gap = true;
  }
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// What they hold

std::string TypeOf(ValueKind kind, size_t width) {
  static constexpr std::array<const char*, 2> kInts = {"int", "long"}, kFloats = {"float", "double"};
  static constexpr std::array<const char*, 3> kDecimals = {"decimal(5,2)", "decimal(12,2)", "decimal(25,2)"};
  switch (kind) {
    case ValueKind::kInt:
      return kInts[width];
    case ValueKind::kFloat:
      return kFloats[width];
    case ValueKind::kDecimal:
      return kDecimals[width];
    case ValueKind::kText:
      return "string";
    case ValueKind::kBinary:
      return "binary";
    case ValueKind::kDate:
      return "date";
    case ValueKind::kTime:
      break;
  }
  return "timestamp";
}

/// the folder's value counts, not the file's (C-26).
bool IsReserved(const std::string& name, TableMode mode) {
  const std::string lower = ToLower(name);
  if (lower == "contract_version") return true;
  return mode == TableMode::kFull ? lower == "snapshot_date" || lower == "snapshot_hour"
                                  : lower == "etl_date" || lower == "etl_hour";
}

/// C-25: the union of all columns, each as wide as its widest file. False where two files disagree.
bool AddColumns(const HistoryTable& table, const FolderContent& content,
                std::map<std::string, std::pair<ValueKind, size_t>>& columns) {
  bool agree = true;
  for (const HistoryFile& file : content.files) {
    for (const StoredColumn& stored : file.columns) {
      const HistoryColumn& column = table.columns[stored.column];
      if (IsReserved(column.name, table.entry.mode)) continue;
      auto& [kind, width] = columns.try_emplace(column.name, column.kind, stored.width).first->second;
      agree = agree && kind == column.kind;
      width = std::max(width, stored.width);
    }
  }
  return agree;
}

/// A delivered row: its cells by column name.
struct Row {
  std::string delivery, file;
  size_t number = 0;
  std::map<std::string, std::pair<ValueKind, Cell>> cells;

  Cell Value(const std::string& column) const {
    const auto it = cells.find(column);
    return it == cells.end() ? Cell() : it->second.second;
  }
  std::string Text(const std::string& column) const {
    const auto it = cells.find(column);
    return it == cells.end() ? "null" : CellText(it->second.first, it->second.second);
  }
};

std::vector<Row> RowsOf(const HistoryTable& table, const Sealed& sealed) {
  std::vector<Row> out;
  for (const HistoryFile& file : sealed.content->files) {
    for (size_t number = 0; number < file.rows.size(); ++number) {
      Row row{sealed.folder->delivery.ToString(), file.name, number, {}};
      for (size_t i = 0; i < file.columns.size(); ++i) {
        const HistoryColumn& column = table.columns[file.columns[i].column];
        row.cells[column.name] = {column.kind, file.rows[number][i]};
      }
      out.push_back(std::move(row));
    }
  }
  return out;
}

/// C-22: version column, then event time, then file name, then the last row; nulls lowest.
bool IsOlder(const contract::TableEntry& entry, const Row& a, const Row& b) {
  for (const auto& column : {entry.version_column, entry.event_time}) {
    if (column && a.Value(*column) != b.Value(*column)) return a.Value(*column) < b.Value(*column);
  }
  return std::pair(a.file, a.number) < std::pair(b.file, b.number);
}

/// C-20, C-23: per key the row of the latest folder; rows with a null in the key apart.
std::vector<Row> Upsert(const HistoryTable& table, const Chosen& chosen, ExpectedTable& out) {
  std::map<std::vector<int>, Row> newest;
  for (const Sealed& sealed : chosen.folders) {
    std::map<std::vector<int>, Row> of_folder;
    for (Row& row : RowsOf(table, sealed)) {
      std::vector<int> key;
      for (const std::string& column : table.entry.key) {
        if (const Cell value = row.Value(column)) key.push_back(*value);
      }
      if (key.size() < table.entry.key.size()) {
        out.rejects[row.delivery].push_back(row.file + "|" + std::to_string(row.number));
        continue;
      }
      const auto [it, fresh] = of_folder.try_emplace(key, row);
      if (!fresh && IsOlder(table.entry, it->second, row)) it->second = std::move(row);
    }
    for (auto& [key, row] : of_folder) newest.insert_or_assign(key, std::move(row));
  }
  std::vector<Row> rows;
  rows.reserve(newest.size());
  for (auto& [key, row] : newest) rows.push_back(std::move(row));
  return rows;
}

/// the greatest time that manifests tell of deliveries whose folder is applied.
std::optional<UtcTime> Through(const Scene& scene, const Chosen& chosen) {
  std::optional<UtcTime> out;
  for (const contract::Manifest* manifest : scene.manifests) {
    const contract::DeliveredTable* delivered = manifest->FindDelivered(scene.table.entry.name);
    const bool applied = std::any_of(chosen.folders.begin(), chosen.folders.end(), [&](const Sealed& sealed) {
      return sealed.folder->delivery == manifest->delivery;
    });
    if (delivered != nullptr && applied) out = std::max(out, delivered->delivered_through);
  }
  return out;
}

std::string RowText(const Row& row, const std::map<std::string, std::string>& columns) {
  std::string out = row.delivery;
  for (const auto& [name, type] : columns) out += "|" + row.Text(name);
  return out;
}

void Fill(const Scene& scene, const Chosen& chosen, ExpectedTable& out) {
  std::map<std::string, std::pair<ValueKind, size_t>> columns;
  bool any_file = false;
  for (const Sealed& sealed : chosen.folders) {
    any_file = any_file || !sealed.content->files.empty();
    if (!AddColumns(scene.table, *sealed.content, columns)) out.open = true;
  }
  if (!any_file) return;
  out.columns.emplace();
  for (const auto& [name, type] : columns) (*out.columns)[name] = TypeOf(type.first, type.second);
  std::vector<Row> rows;
  const contract::TableEntry& entry = scene.table.entry;
  if (scene.table.in_catalog && !entry.key.empty() && !entry.append_only) {
    rows = Upsert(scene.table, chosen, out);
  } else {  // C-24
    for (const Sealed& sealed : chosen.folders) {
      for (Row& row : RowsOf(scene.table, sealed)) rows.push_back(std::move(row));
    }
  }
  for (const Row& row : rows) out.rows.push_back(RowText(row, *out.columns));
  std::sort(out.rows.begin(), out.rows.end());
}

}  // namespace

ExpectedTable ExpectTable(const BucketHistory& history, const HistoryTable& table, const VisibleBucket& visible) {
  const Scene scene = Look(history, table, visible);
  ExpectedTable out;
  Chosen chosen = table.entry.mode == TableMode::kFull ? ChooseFull(scene, out) : ChooseParts(scene);
  const auto broken = std::erase_if(chosen.folders, [](const Sealed& sealed) { return sealed.content->broken; });
  out.gap = out.gap || broken > 0 || chosen.broken;
  out.waits = chosen.waits;
  Fill(scene, chosen, out);
  out.delivered_through = Through(scene, chosen);
  return out;
}

bool EndsTheSameInAnyOrder(const BucketHistory& history) {
  VisibleBucket end;
  for (const HistoryStep& step : history.steps) ApplyStep(history, step, end);
  bool waits = false;
  for (const HistoryTable& table : history.tables) {
    const ExpectedTable expected = ExpectTable(history, table, end);
    if (expected.open) return false;
    waits = waits || expected.waits;
    for (const HistoryFolder& folder : table.folders) {
      for (const FolderContent& content : folder.contents) {
        if (content.broken && content.files.empty()) return false;  // makes no sense: nothing is there to be broken
      }
    }
    const Scene scene = Look(history, table, end);
    const std::vector<Announced> reseeds = ReseedsIn(scene);
    if (std::any_of(reseeds.begin(), reseeds.end(), [&](const auto& r) { return MayHaveBeenTaken(scene, r); }))
      return false;
  }
  if (!waits) return true;
  const auto is_folder = [](const HistoryStep& step) { return step.kind == HistoryStep::Kind::kFiles; };
  const auto is_manifest = [](const HistoryStep& step) { return step.kind == HistoryStep::Kind::kManifest; };
  const auto first_folder = std::find_if(history.steps.begin(), history.steps.end(), is_folder);
  return std::none_of(first_folder, history.steps.end(), is_manifest);
}

}  // namespace tidegate::ingest
