// What a person wants to know of a bucket and a lake: which deliveries are there, which are missing and why, how fresh
// each table is. Facts come from a BucketView and the tables' metadata; nothing is changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/store/object_store.h"

namespace tidegate::status {

enum class CellState {
  kNone,        // nothing there, nothing said
  kSealed,      // sealed, not (yet) in the lake, or no lake was given
  kApplied,     // in the lake
  kOvertaken,   // a full copy that a newer one has replaced
  kInProgress,  // files without _SUCCESS
  kMissing,     // the manifest says missing, with reason
  kPending,     // the manifest says pending, with reason
};

std::string_view CellName(CellState state);

struct Cell {
  CellState state = CellState::kNone;
  std::string reason;
};

/// One delivery and the state of each table in it; columns in the order of StatusReport::tables.
struct DeliveryRow {
  contract::Delivery delivery;
  bool has_manifest = false;
  bool complete = false;
  std::vector<Cell> cells;
};

struct TableStatus {
  std::string table;
  contract::TableMode mode = contract::TableMode::kFull;
  std::string mode_source;
  bool in_lake = false;
  std::string newest_applied;                // "v2/2026-11-03/05"; empty: none
  std::optional<UtcTime> delivered_through;  // parts tables (C-36)
  std::vector<std::string> open_folders;     // sealed, would be applied by the next ingest
  int64_t rows = 0, bytes = 0, data_files = 0, delete_files = 0, deleted_rows = 0, snapshots = 0;
  std::optional<UtcTime> last_commit;
  std::string error;  // the table cannot be read
  std::vector<ingest::Waiting> waiting;
};

struct StatusReport {
  contract::Version version = contract::Version::kV1;
  bool has_lake = false;
  std::vector<TableStatus> tables;      // sorted by name
  std::vector<DeliveryRow> deliveries;  // newest first
  size_t deliveries_in_all = 0;
  std::vector<ingest::Warning> warnings;
  std::string summary;  // the one line to read first
};

struct StatusOptions {
  contract::TableCatalog catalog;
  std::vector<std::string> table_globs, exclude_globs;
  size_t max_deliveries = 24;
};

/// `lake` may be null: then only the bucket is told of.
Result<StatusReport> BuildStatus(store::ObjectStore& bucket, store::ObjectStore* lake, const StatusOptions& options);

}  // namespace tidegate::status
