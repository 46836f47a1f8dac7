#include "tidegate/ingest/test_history.h"

#include <algorithm>
#include <array>
#include <functional>

#include "tidegate/base/text.h"
#include "tidegate/parquet/test_rows.h"

namespace tidegate::ingest {
namespace {

using Kind = HistoryStep::Kind;
using ArrowType = std::shared_ptr<arrow::DataType>;

constexpr std::array<const char*, 10> kTexts = {"", "a", "ab", "abc", "b", "bc", "c", "d|e", "nil", "é"};

ArrowType StoredType(ValueKind kind, size_t width) {
  switch (kind) {
    case ValueKind::kInt:
      return width == 0 ? arrow::int32() : arrow::int64();
    case ValueKind::kFloat:
      return width == 0 ? arrow::float32() : arrow::float64();
    case ValueKind::kDecimal:
      return arrow::decimal128(width == 0 ? 5 : width == 1 ? 12 : 25, 2);
    case ValueKind::kText:
      return arrow::utf8();
    case ValueKind::kBinary:
      return arrow::binary();
    case ValueKind::kDate:
      return arrow::date32();
    case ValueKind::kTime:
      break;
  }
  return arrow::timestamp(width == 0   ? arrow::TimeUnit::MILLI
                          : width == 1 ? arrow::TimeUnit::MICRO
                                       : arrow::TimeUnit::NANO);
}

std::string CellJson(ValueKind kind, const Cell& cell) {
  if (!cell) return "null";
  switch (kind) {
    case ValueKind::kInt:
    case ValueKind::kFloat:
      return CellText(kind, cell);
    case ValueKind::kDate:
      return std::to_string(20'000 + *cell);  // days since 1970
    case ValueKind::kText:
    case ValueKind::kBinary:
      return "\"" + std::string(kTexts[static_cast<size_t>(*cell)]) + "\"";
    case ValueKind::kDecimal:
      return "\"" + CellText(kind, cell) + "\"";
    case ValueKind::kTime:
      break;
  }
  return "\"" + CellText(kind, cell).substr(0, 19) + "\"";  // without the fraction: any unit takes it
}

std::string FileBytes(const HistoryTable& table, const HistoryFile& file) {
  parquet::ColumnTypes types;
  for (const StoredColumn& stored : file.columns) {
    const HistoryColumn& column = table.columns[stored.column];
    types.emplace_back(column.name, StoredType(column.kind, stored.width));
  }
  std::vector<std::string> rows;
  for (const auto& row : file.rows) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < row.size(); ++i) {
      cells.push_back(CellJson(table.columns[file.columns[i].column].kind, row[i]));
    }
    rows.push_back("[" + Join(cells, ", ") + "]");
  }
  return parquet::MakeRows(types, "[" + Join(rows, ", ") + "]");
}

struct Place {
  const HistoryTable* table;
  const HistoryFolder* folder;
};

Place FindFolder(const BucketHistory& history, int id) {
  for (const HistoryTable& table : history.tables) {
    for (const HistoryFolder& folder : table.folders) {
      if (folder.id == id) return {&table, &folder};
    }
  }
  return {};
}

const HistoryManifest& FindManifest(const BucketHistory& history, int id) {
  return *std::find_if(history.manifests.begin(), history.manifests.end(),
                       [&](const HistoryManifest& manifest) { return manifest.id == id; });
}

void PutContent(const Place& place, const FolderContent& content, store::MemoryObjectStore& bucket) {
  for (const HistoryFile& file : content.files) {
    const std::string bytes = content.broken ? "PAR1, or so it says" : FileBytes(*place.table, file);
    (void)bucket.Put(place.table->FolderPath(*place.folder) + "/" + file.name, bytes, store::PutMode::kOverwrite);
  }
}

void DeleteContent(const Place& place, const FolderContent& content, store::MemoryObjectStore& bucket) {
  for (const HistoryFile& file : content.files) {
    (void)bucket.Delete({place.table->FolderPath(*place.folder) + "/" + file.name});
  }
}

std::string FaultText(const RunFault& fault) {
  static constexpr std::array<const char*, 4> kModes = {"fails once", "fails from then on", "loses its reply",
                                                        "crashes"};
  return std::string(": call ") + std::to_string(fault.plan.fail_at) + " of the " +
         (fault.of_lake ? "lake " : "bucket ") + kModes[static_cast<size_t>(fault.plan.mode)] +
         (fault.power_loss ? ", then the power is lost" : "");
}

std::string FileText(const HistoryTable& table, const HistoryFile& file) {
  std::string out = "      " + file.name + " (";
  for (const StoredColumn& stored : file.columns) {
    out += " " + table.columns[stored.column].name + ":" + std::to_string(stored.width);
  }
  out += " )";
  for (const auto& row : file.rows) {
    out += " [";
    for (size_t i = 0; i < row.size(); ++i) {
      out += (i == 0 ? "" : "|") + CellText(table.columns[file.columns[i].column].kind, row[i]);
    }
    out += "]";
  }
  return out + "\n";
}

std::string TableText(const HistoryTable& table) {
  const contract::TableEntry& entry = table.entry;
  std::string out = entry.name.ToString() + ": " + std::string(contract::ModeName(entry.mode)) + ", key (" +
                    Join(entry.key, ", ") + "), version " + entry.version_column.value_or("-") + ", event time " +
                    entry.event_time.value_or("-") + (entry.append_only ? ", append only" : "") +
                    (table.in_catalog ? "" : ", not in the catalog") + "\n";
  for (const HistoryFolder& folder : table.folders) {
    for (const FolderContent& content : folder.contents) {
      out += "  folder " + std::to_string(folder.id) + " " + folder.delivery.ToString() + ", sealed at " +
             FormatRfc3339(folder.sealed_at) + (content.broken ? ", broken" : "") + "\n";
      for (const HistoryFile& file : content.files) out += FileText(table, file);
    }
  }
  return out;
}

std::string StepText(const HistoryStep& step) {
  static constexpr std::array<const char*, 5> kWords = {"files of ", "seal ", "replace ", "manifest ", "run"};
  const std::string out = kWords[static_cast<size_t>(step.kind)];
  if (step.kind != Kind::kRun) return out + std::to_string(step.id);
  return out + (step.fault ? FaultText(*step.fault) : "");
}

// Cuts: each takes one thing out of a history.
using Cutter = std::function<void(BucketHistory&)>;

void DropSteps(BucketHistory& history, int id) {
  std::erase_if(history.steps, [&](const HistoryStep& step) { return step.kind != Kind::kRun && step.id == id; });
}

template <typename T>
void DropAt(std::vector<T>& list, size_t at) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

void AddCutsOfFile(size_t t, size_t f, size_t c, size_t i, const HistoryTable& table, std::vector<Cutter>& out) {
  const auto file_of = [=](BucketHistory& h) -> HistoryFile& { return h.tables[t].folders[f].contents[c].files[i]; };
  const HistoryFile& file = table.folders[f].contents[c].files[i];
  for (size_t row = 0; row < file.rows.size(); ++row) {
    out.push_back([=](BucketHistory& h) { DropAt(file_of(h).rows, row); });
  }
  for (size_t at = 0; file.columns.size() > 1 && at < file.columns.size(); ++at) {
    const std::string& name = table.columns[file.columns[at].column].name;
    if (std::find(table.entry.key.begin(), table.entry.key.end(), name) != table.entry.key.end()) continue;
    out.push_back([=](BucketHistory& h) {
      DropAt(file_of(h).columns, at);
      for (auto& row : file_of(h).rows) DropAt(row, at);
    });
  }
}

void AddCutsOfTable(size_t t, const HistoryTable& table, std::vector<Cutter>& out) {
  for (size_t f = 0; f < table.folders.size(); ++f) {
    out.push_back([=, id = table.folders[f].id](BucketHistory& h) {
      DropAt(h.tables[t].folders, f);
      DropSteps(h, id);
    });
  }
  for (size_t f = 0; f < table.folders.size(); ++f) {
    for (size_t c = 0; c < table.folders[f].contents.size(); ++c) {
      for (size_t i = 0; i < table.folders[f].contents[c].files.size(); ++i) {
        out.push_back([=](BucketHistory& h) { DropAt(h.tables[t].folders[f].contents[c].files, i); });
        AddCutsOfFile(t, f, c, i, table, out);
      }
    }
  }
}

std::vector<Cutter> CutsOf(const BucketHistory& history) {
  std::vector<Cutter> out;
  for (size_t t = 0; t < history.tables.size(); ++t) {
    out.push_back([=](BucketHistory& h) {
      for (const HistoryFolder& folder : h.tables[t].folders) DropSteps(h, folder.id);
      DropAt(h.tables, t);
    });
  }
  for (size_t i = 0; i < history.steps.size(); ++i) {
    if (history.steps[i].kind != Kind::kRun) continue;
    out.push_back([=](BucketHistory& h) { DropAt(h.steps, i); });
    if (history.steps[i].fault) out.push_back([=](BucketHistory& h) { h.steps[i].fault.reset(); });
  }
  for (size_t m = 0; m < history.manifests.size(); ++m) {
    out.push_back([=, id = history.manifests[m].id](BucketHistory& h) {
      DropAt(h.manifests, m);
      DropSteps(h, id);
    });
  }
  for (size_t t = 0; t < history.tables.size(); ++t) AddCutsOfTable(t, history.tables[t], out);
  return out;
}

}  // namespace

std::string CellText(ValueKind kind, const Cell& cell) {
  if (!cell) return "null";
  std::string number = std::to_string(*cell);
  switch (kind) {
    case ValueKind::kInt:
      return number;
    case ValueKind::kFloat:
      return number + ".5";
    case ValueKind::kDecimal:
      return number + ".25";
    case ValueKind::kText:
    case ValueKind::kBinary:
      return kTexts[static_cast<size_t>(*cell)];
    case ValueKind::kDate:
      return FormatRfc3339(UtcTime(std::chrono::days(20'000 + *cell))).substr(0, 10);
    case ValueKind::kTime:
      break;
  }
  return "2026-11-01 00:00:0" + number + ".000000";
}

size_t WidthsOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::kInt:
    case ValueKind::kFloat:
      return 2;
    case ValueKind::kDecimal:
    case ValueKind::kTime:
      return 3;
    default:
      return 1;
  }
}

std::string HistoryTable::FolderPath(const HistoryFolder& folder) const {
  return contract::Folder{entry.name, entry.mode, folder.delivery}.Path();
}

contract::TableCatalog BucketHistory::Catalog() const {
  std::vector<contract::TableEntry> entries;
  for (const HistoryTable& table : tables) {
    if (table.in_catalog) entries.push_back(table.entry);
  }
  return contract::TableCatalog(std::move(entries));
}

std::string BucketHistory::ToString() const {
  std::string out;
  for (const HistoryTable& table : tables) out += TableText(table);
  for (const HistoryManifest& manifest : manifests) {
    for (const contract::Manifest& content : manifest.contents) {
      out += "manifest " + std::to_string(manifest.id) + " " + content.delivery.ToString() + ":";
      for (const contract::DeliveredTable& delivered : content.delivered) {
        out += " " + delivered.table.ToString() + (delivered.reseed ? " reseed" : "");
        if (delivered.reseed_from) out += " from " + delivered.reseed_from->ToString();
        if (delivered.delivered_through) out += " through " + FormatRfc3339(*delivered.delivered_through);
      }
      out += "\n";
    }
  }
  std::vector<std::string> words;
  for (const HistoryStep& step : steps) words.push_back(StepText(step));
  return out + "steps: " + Join(words, "; ") + "\n";
}

void ApplyStep(const BucketHistory& history, const HistoryStep& step, VisibleBucket& state,
               store::MemoryObjectStore* bucket, FixedClock* clock) {
  if (step.kind == Kind::kRun) return;
  if (step.kind == Kind::kManifest) {
    const auto [it, fresh] = state.manifests.try_emplace(step.id, 0);
    if (!fresh) ++it->second;
    const contract::Manifest& content = FindManifest(history, step.id).contents[it->second];
    if (bucket == nullptr) return;
    (void)bucket->Put(contract::ManifestKey(content.delivery), contract::WriteManifest(content),
                      store::PutMode::kOverwrite);
    return;
  }
  const Place place = FindFolder(history, step.id);
  VisibleBucket::Folder& seen = state.folders[step.id];
  if (step.kind == Kind::kSeal) seen.sealed = true;
  if (step.kind == Kind::kReplace) ++seen.content;
  if (bucket == nullptr) return;
  clock->Set(place.folder->sealed_at);
  if (step.kind == Kind::kSeal) {
    (void)bucket->Put(place.table->FolderPath(*place.folder) + "/_SUCCESS", "", store::PutMode::kOverwrite);
    return;
  }
  if (seen.content > 0) DeleteContent(place, place.folder->contents[seen.content - 1], *bucket);
  PutContent(place, place.folder->contents[seen.content], *bucket);
}

size_t CutCount(const BucketHistory& history) { return CutsOf(history).size(); }

BucketHistory Cut(const BucketHistory& history, size_t n) {
  BucketHistory out = history;
  CutsOf(history)[n](out);
  return out;
}

}  // namespace tidegate::ingest
