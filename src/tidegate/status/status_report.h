// What a person wants to know of a bucket and a lake: which deliveries are there, which are missing and why, how fresh
// each table is. Facts come from a BucketView and the tables' metadata; nothing is changed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/schedule.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/ingest/cold.h"
#include "tidegate/ingest/open_points.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/status/cold_status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::status {

enum class CellState {
  kNone,        // nothing there, nothing said
  kSealed,      // sealed, not (yet) in the lake, or no lake was given
  kApplied,     // in the lake
  kGap,         // sealed, and could not be applied
  kHeld,        // kept back by the shrink guard
  kCold,        // sealed, and its files lie in cold storage
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

/// How a table is, the worst first: what a person wants to know before anything else.
enum class Health {
  kUnreadable,  // its metadata in the lake cannot be read
  kOnHold,      // a person told ingest to leave it as it is
  kGap,         // a sealed folder could not be applied (C-15)
  kHeld,        // the shrink guard keeps a copy back (C-29)
  kFrozen,      // something that the lake needs lies in cold storage (C-43)
  kThawing,     // the same, and a restore was asked for
  kToIngest,    // sealed folders that the next ingest applies
  kMissing,     // the newest word of the manifests on it
  kPending,
  kNoData,   // known by name alone
  kCurrent,  // all that was delivered is in the lake; without a lake: sealed
};

std::string_view HealthName(Health health);

struct TableStatus {
  std::string table;
  Health health = Health::kNoData;
  /// Since when: of a gap, a held copy or what is cold the first run that found it, of folders to ingest the first
  /// seal, of a missing or pending table the time of its delivery, of a current one its last commit. Absent: not known.
  std::optional<UtcTime> since;
  std::vector<ingest::OpenPoint> gaps, held;
  std::vector<ingest::Cold> cold;     // what waits for cold storage, with a lake
  std::optional<UtcTime> cold_since;  // absent: no run has found it so yet
  std::vector<ColdAge> cold_by_age;   // what was listed of it, applied or not
  std::string on_hold;                // what the hold says of itself; empty: none
  contract::TableMode mode = contract::TableMode::kFull;
  std::string mode_source;
  bool in_lake = false;
  std::string newest_applied;                // "v2/2026-11-03/05"; empty: none
  std::optional<UtcTime> delivered_through;  // parts tables (C-36)
  std::vector<std::string> to_ingest;        // sealed; the next ingest applies them
  int64_t rows = 0, bytes = 0, data_files = 0, delete_files = 0, deleted_rows = 0, snapshots = 0;
  std::optional<UtcTime> last_commit;
  std::string error;  // the table cannot be read
  std::vector<ingest::Waiting> waiting;
};

/// The delivery after the newest that has a manifest.
struct NextDelivery {
  contract::Delivery delivery;
  UtcTime due;       // from then on it may be there
  UtcTime there_by;  // usually (C-40)
  bool late = false;
};

struct StatusReport {
  contract::Version version = contract::Version::kV1;
  bool has_lake = false;
  std::vector<TableStatus> tables;      // sorted by name
  std::vector<DeliveryRow> deliveries;  // newest first
  size_t deliveries_in_all = 0;
  std::optional<NextDelivery> next;  // absent: no delivery of the version in use has a manifest yet
  std::vector<ingest::Warning> warnings;
  std::string summary;  // the one line to read first
};

struct StatusOptions {
  contract::TableCatalog catalog;
  std::vector<std::string> table_globs, exclude_globs;
  size_t max_deliveries = 24;
  UtcTime now;
  std::chrono::milliseconds expect_within = contract::kUsuallyWithin;
  std::chrono::minutes daily_at = contract::kDailyAt;
  std::chrono::milliseconds freezes_after{0};  // the bucket moves objects of that age into cold storage; 0: never
};

/// `lake` may be null: then only the bucket is told of.
Result<StatusReport> BuildStatus(store::ObjectStore& bucket, store::ObjectStore* lake, const StatusOptions& options);

}  // namespace tidegate::status
