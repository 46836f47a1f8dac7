// Ingest: bring every table of a lake up to date with a delivery bucket.
//
// One run: scan the bucket → read each table's checkpoint → plan (pure) → apply, table by table, each in one commit.
// Every step can be killed and run again: what is not committed is not seen, and is done again the same way.
//
// Guarantees
// - A folder is applied exactly once (C-27): progress is in the commit that adds its rows.
// - Delivered files become data files as they are (C-28); a data file that exists is never rewritten.
// - Tables are independent: a table that fails is reported at the end, the others are done.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/ingest/look.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/ingest/shrink_guard.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

struct IngestOptions {
  contract::TableCatalog catalog;
  std::vector<std::string> table_globs, exclude_globs;
  std::vector<std::string> full_refresh_globs;  // tables to build anew from all sealed folders
  bool accept_loss = false;                     // also where applied folders are no longer in the bucket
  bool list_all = false;                        // list the whole bucket, also where the recent days would do
  std::chrono::milliseconds list_all_every = kListAllEvery;
  RecentDays recent_days;
  int jobs = 1;              // tables at a time
  int64_t memory_bytes = 0;  // for the keys of all of them together; 0: without limit
  ShrinkGuard guard;
  const CancelFlag* cancel = nullptr;
  const Clock* clock = nullptr;  // required
  std::string tool_version;
  /// Called after each table; may come from several threads, one at a time.
  std::function<void(const std::string& table, size_t done, size_t total)> progress;
};

struct TableResult {
  std::string table;
  contract::TableMode mode = contract::TableMode::kFull;
  Action action = Action::kNothing;  // what was really done
  std::vector<std::string> folders;  // applied, paths
  std::vector<int64_t> folder_rows;  // of each of them
  int64_t files = 0;
  int64_t files_rewritten = 0;  // C-28
  int64_t rows_in = 0;
  int64_t superseded = 0;  // rows of this or earlier folders that a newer version hides
  int64_t rejected = 0;    // null keys (C-23)
  uint64_t bytes_in = 0;
  int64_t snapshot_id = 0;  // of the commit; 0: none
  std::optional<UtcTime> delivered_through;
};

/// A copy that shrank too much: readers keep the old rows until a person accepts it or a newer copy comes (C-29).
struct Held {
  std::string table;
  std::string folder;  // path; of a reseed, its first
  int64_t rows_before = 0;
  int64_t rows_now = 0;
};

struct IngestReport {
  contract::Version version = contract::Version::kV1;
  std::vector<TableResult> tables;  // every table that was looked at, sorted
  std::vector<Warning> warnings;
  std::vector<Problem> problems;  // open gaps: the run counts as failed
  std::vector<Waiting> waiting;
  std::vector<Held> held;
  std::vector<Cold> cold;     // waits for a restore: no failure (C-43)
  bool listed_all = false;    // not the recent days alone
  bool empty_bucket = false;  // nothing of the contract was found there

  /// Did rows of any table change?
  bool applied_anything() const;
  bool anything_waits() const;  // a table is missing, pending, held, on hold, or waits for cold storage
  bool failed() const { return !problems.empty(); }
};

struct IngestPlan {
  contract::Version version = contract::Version::kV1;
  std::vector<TablePlan> tables;
  std::vector<Warning> warnings;  // of the bucket as a whole
  std::vector<Waiting> waiting;
};

/// What a run would do; changes nothing. Errors: the listing failed; a table of the lake cannot be read.
Result<IngestPlan> PlanIngest(store::ObjectStore& bucket, store::ObjectStore& lake, const IngestOptions& options);

/// Errors: only what stops the whole run (the bucket cannot be listed, cancelled); all else is in the report.
Result<IngestReport> RunIngest(store::ObjectStore& bucket, store::ObjectStore& lake, const IngestOptions& options);

}  // namespace tidegate::ingest
