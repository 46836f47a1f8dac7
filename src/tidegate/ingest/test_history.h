// For property tests: a history of a bucket as data. What is delivered, the order in which it becomes visible, and the
// runs and faults in between. Small enough to be printed and cut down; playing it into a store is in ApplyStep().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/contract/manifest.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::ingest {

enum class ValueKind { kInt, kFloat, kDecimal, kText, kBinary, kDate, kTime };

/// A value by its number from 0 to 9, whose order is the order of the values; absent: null.
using Cell = std::optional<int>;

/// As readers of the lake print it: "3", "3.5", "3.25", "2024-10-07".
std::string CellText(ValueKind kind, const Cell& cell);

struct HistoryColumn {
  std::string name;
  ValueKind kind = ValueKind::kInt;
};

/// A column as one file stores it. Widths of a kind, narrow to wide: int32, int64; float, double; decimal(5,2), (12,2),
/// (25,2). Of a time they are units: milliseconds, microseconds, nanoseconds.
struct StoredColumn {
  size_t column = 0;  // of the table
  size_t width = 0;
};

size_t WidthsOf(ValueKind kind);

struct HistoryFile {
  std::string name;
  std::vector<StoredColumn> columns;
  std::vector<std::vector<Cell>> rows;  // cells in the order of `columns`
};

struct FolderContent {
  std::vector<HistoryFile> files;
  bool broken = false;  // its files are no Parquet
};

struct HistoryFolder {
  int id = 0;
  contract::Delivery delivery;
  UtcTime sealed_at{};                  // the time of its _SUCCESS
  std::vector<FolderContent> contents;  // one; or more, each replaces the one before
};

struct HistoryTable {
  contract::TableEntry entry;
  bool in_catalog = true;
  std::vector<HistoryColumn> columns;
  std::vector<HistoryFolder> folders;

  std::string FolderPath(const HistoryFolder& folder) const;
};

struct HistoryManifest {
  int id = 0;
  std::vector<contract::Manifest> contents;  // one; or more, each replaces the one before
};

struct RunFault {
  bool of_lake = true;  // else of the bucket
  store::FaultPlan plan;
  bool power_loss = false;  // of the lake, after the run
};

struct HistoryStep {
  enum class Kind {
    kFiles,     // the files of folder `id`, not sealed yet
    kSeal,      // its _SUCCESS
    kReplace,   // its files give way to those of the next content
    kManifest,  // manifest `id`, or its next content
    kRun,       // an ingest
  };
  Kind kind = Kind::kRun;
  int id = 0;
  std::optional<RunFault> fault = std::nullopt;
};

struct BucketHistory {
  std::vector<HistoryTable> tables;
  std::vector<HistoryManifest> manifests;
  std::vector<HistoryStep> steps;

  contract::TableCatalog Catalog() const;
  std::string ToString() const;
};

/// What of a history stands in the bucket.
struct VisibleBucket {
  struct Folder {
    size_t content = 0;
    bool sealed = false;
  };
  std::map<int, Folder> folders;    // by id
  std::map<int, size_t> manifests;  // id → content
};

/// Make one step visible, in the state and in a bucket (null: in the state alone). A run changes nothing.
/// Requires: `clock` is the bucket's.
void ApplyStep(const BucketHistory& history, const HistoryStep& step, VisibleBucket& state,
               store::MemoryObjectStore* bucket = nullptr, FixedClock* clock = nullptr);

/// Smaller histories to try, the boldest cuts first. Cutting never makes a folder lose its seal.
size_t CutCount(const BucketHistory& history);
BucketHistory Cut(const BucketHistory& history, size_t n);

}  // namespace tidegate::ingest
