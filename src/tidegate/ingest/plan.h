// What one ingest run will do to each table, decided from what the bucket holds and what the lake has already taken.
// Pure: no I/O, printable. Rules C-10 … C-15, C-20, C-33, C-34.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/ingest/checkpoint.h"
#include "tidegate/ingest/cold.h"
#include "tidegate/ingest/settlement.h"

namespace tidegate::ingest {

/// Something a person should know; the run goes on. `kind` is a stable word for machines (docs/ingest.md lists them).
struct Warning {
  std::string kind;
  std::string table;   // "shop.orders"; empty: of the bucket
  std::string folder;  // path, or a key; may be empty
  std::string message;
  int64_t count = 0;  // repeated_key: surplus rows; null_key: rows set aside
  std::string name;   // name_refused: the name as it is, not escaped
};

/// A folder, or a whole table, that could not be applied: an open gap (C-15). The run ends as failed.
struct Problem {
  std::string reason;  // broken, unreadable, type, column_case, timestamp_range, key, changed, mode, loss, table
  std::string table;
  std::string folder;  // empty: the table as a whole
  std::string message;
};

/// A table that a manifest says is missing or pending, and no later sealed folder has come yet (C-33, A-17).
struct Waiting {
  std::string table;
  contract::Delivery delivery;
  std::string reason;
  bool pending = false;
};

/// How a table is treated, and who said so.
struct TableRules {
  contract::TableMode mode = contract::TableMode::kFull;
  std::string mode_source;                 // "manifest", "catalog", "lake", "folder names"
  std::vector<std::string> key;            // empty: plain union (C-24)
  std::vector<std::string> order_columns;  // C-22: version column, event time
};

enum class Action {
  kNothing,  // up to date
  kAppend,   // parts: add `folders`
  kReplace,  // full: the first of `folders` that can be applied becomes the table
  kRebuild,  // parts: a v1 folder changed before the switch; all of `folders` become the table in one commit (C-14)
  kReseed,   // parts: the vendor rebuilt the table; `folders` are the new copy and replace the old in one commit (C-35)
  kSettle,   // no rows change: a person's word is recorded (C-15)
};

std::string_view ActionName(Action action);

/// Does what readers see change with it?
inline bool ChangesRows(Action action) { return action != Action::kNothing && action != Action::kSettle; }

struct TablePlan {
  contract::TableName table;
  TableRules rules;
  contract::Version version = contract::Version::kV1;
  Action action = Action::kNothing;
  bool refresh = false;                                    // build anew, whatever is applied (--full-refresh)
  std::vector<bucket::FolderState> folders;                // replace: newest first; else in the order of C-20
  std::optional<Reseed> reseed;                            // in force after the plan (C-35)
  DeliverySet fenced;                                      // with it
  bool takes_reseed = false;                               // it is taken by this plan
  std::optional<Checkpoint> before;                        // of the lake table; absent: a new table
  DeliverySet accepted;                                    // of `folders`: taken on a person's word, guard or not
  DeliverySet skipped;                                     // left out on a person's word, after the plan
  std::vector<Settlement> settled;                         // words that take effect with this plan
  std::map<contract::Delivery, std::string> acknowledged;  // fingerprints of changed folders that were skipped
  std::vector<Warning> warnings;
  std::vector<Problem> problems;
  std::vector<Cold> cold;  // held back: not in `folders` (hold_back.h)
};

/// v1 is looked at for so long after the first commit that read v2 (C-14).
inline constexpr std::chrono::days kV1StaysOpen{7};

/// What a plan depends on besides bucket, catalog and lake.
struct Circumstances {
  Settlements settlements;     // of the table
  std::optional<UtcTime> now;  // absent: v1 is never taken as closed
  /// A table in the lake is built anew from all sealed folders, changed ones as they are now; a full one from its
  /// newest copy.
  bool refresh = false;
  /// R of reseeds that this run tried and could not take (broken, held): they wait.
  DeliverySet not_taken;
  /// A rebuild waits (C-43): applied folders stay as they are, new ones are added.
  bool no_rebuild = false;
};

/// C-12 for a lake: v2 once the bucket shows a v2 manifest, or any table of the lake has seen v2.
contract::Version VersionInUse(const bucket::BucketView& view, const std::vector<Checkpoint>& lake);

/// Mode, key and order of a table: the manifest's mode wins over the catalog's, then the lake's, then folder names.
TableRules DecideRules(const bucket::BucketView& view, const contract::TableName& table,
                       const contract::TableEntry* entry, const Checkpoint* before);

TablePlan PlanTable(const bucket::BucketView& view, const contract::TableName& table, const contract::TableEntry* entry,
                    std::optional<Checkpoint> before, contract::Version in_use,
                    const Circumstances& circumstances = {});

/// What was found in the bucket as a whole, and passed over.
std::vector<Warning> BucketWarnings(const bucket::BucketView& view);

/// Entries of tables_missing and tables_pending that no sealed folder of that or a later delivery has answered.
std::vector<Waiting> StillWaiting(const bucket::BucketView& view, contract::Version in_use);

/// Up to which moment the rows of a table are there: the greatest `delivered_through` of the deliveries whose folder is
/// applied, and of the checkpoint itself (C-36, A-5).
std::optional<UtcTime> DeliveredThrough(const bucket::BucketView& view, const contract::TableName& table,
                                        const Checkpoint& checkpoint);

/// The plan as lines for people: what, from which folders, files and bytes.
std::string Describe(const TablePlan& plan);

}  // namespace tidegate::ingest
