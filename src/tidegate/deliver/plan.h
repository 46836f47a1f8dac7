// The plan of one delivery: what is written, what is deleted first, what is left alone, and why. Pure: the same facts
// give the same plan, and nothing is touched.
//
// Guarantees
// - A sealed folder is never planned to be written (C-14). Deleted are only data files of unsealed folders that are
//   written again, key by key.
// - The windows of a parts table's sealed folders touch and never overlap, whatever was skipped, late or crashed
//   (docs/formats/deliver-state.md).
// - A delivery whose instant has not come yet is refused: rows would still appear in its window, and be lost.
//
// Not here: reading of the bucket and the source (survey.h), effects (run.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/contract/manifest.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/deliver/source.h"
#include "tidegate/deliver/state.h"

namespace tidegate::deliver {

/// What the source says of one table of the catalog.
struct SourceTable {
  bool exists = false;                // a table or view, or the catalog gives its query
  std::vector<SourceColumn> columns;  // where problem is ok
  Status problem;                     // its query cannot be run
};

/// What the bucket holds of one table.
struct BucketTable {
  bool sealed = false;                 // the folder of this delivery
  std::vector<std::string> leftovers;  // data files of that folder while it is not sealed
  // Parts tables:
  std::optional<State> state;                            // of this version, else of v1
  Status state_problem;                                  // there, but cannot be read
  bool state_sealed = false;                             // the folder that the state names
  bool reseed_announced = false;                         // a manifest says what state->reseed_from says
  std::optional<contract::Delivery> sealed_after_state;  // a sealed folder of this version that the state does not know
};

/// Everything a plan depends on.
struct DeliveryFacts {
  contract::Delivery delivery;
  std::optional<UtcTime> at;  // the delivery's instant where it is not the usual one (v1 only)
  UtcTime now;
  std::vector<contract::TableEntry> tables;  // of the catalog
  std::set<contract::TableName> left_out;    // by --table, --exclude
  std::set<contract::TableName> reseed;
  std::map<contract::TableName, SourceTable> source;
  std::map<contract::TableName, BucketTable> bucket;
  std::optional<contract::Manifest> manifest;  // of this delivery, as it stands
  std::string manifest_text;                   // its bytes; "" where there is none
  bool v2_begun = false;                       // anything under v2/
  std::vector<std::string> notes;              // what was odd but tolerated, ready to print
};

enum class Action {
  kSealed,   // the folder is whole: nothing to do
  kWrite,    // written anew
  kFinish,   // an unfinished folder: its leftovers are deleted, then it is written
  kMissing,  // cannot be delivered: `reason`
  kLeftOut,  // not chosen in this run
};

std::string_view ActionName(Action action);

struct TablePlan {
  contract::Folder folder;
  Action action = Action::kMissing;
  std::vector<std::string> leftovers;  // kFinish: deleted first
  std::string query;                   // kWrite, kFinish
  std::string undated_query;           // counts rows that no window can take; "" where none can be left behind
  std::optional<Window> window;        // parts tables, kWrite and kFinish
  std::optional<State> state;          // written before the seal; absent: `_STATE` stays as it is
  std::optional<contract::Delivery> reseed_from;  // the manifest flags a reseed that begins here
  std::string reason;                             // kMissing, kLeftOut: short, for the manifest's readers
  std::string detail;                             // kMissing: for the vendor

  bool writes() const { return action == Action::kWrite || action == Action::kFinish; }
};

struct DeliveryPlan {
  contract::Delivery delivery;
  UtcTime instant;
  std::vector<TablePlan> tables;                  // sorted by name
  std::vector<contract::DeliveredTable> carried;  // in the manifest as it stands, no longer in the catalog
  std::string manifest_text;                      // as it stands
  std::vector<std::string> notes;                 // for people

  bool has_manifest() const { return !delivery.is_initial(); }
  size_t writes() const;
};

/// The instant up to which a delivery holds the data: v2 the start of its hour; v1 07:00 of its day, or `at`.
/// Errors: InvalidArgument (`at` in v2; __initial__ without `at`).
Result<UtcTime> DeliveryInstant(const contract::Delivery& delivery, const std::optional<UtcTime>& at);

/// Plan one delivery. Errors: InvalidArgument where the request itself is wrong: an instant in the future, a name
/// outside C-5, a parts table without a change column, a reseed that cannot be, a v1 delivery after v2 began.
Result<DeliveryPlan> PlanDelivery(const DeliveryFacts& facts);

/// The manifest after the plan was carried out. `failed` are planned tables whose writing failed, with the reason.
contract::Manifest ManifestOf(const DeliveryPlan& plan, const std::map<contract::TableName, std::string>& failed);

/// Does carrying out the plan change no byte?
bool NothingToDo(const DeliveryPlan& plan);

/// One line a table, then notes.
std::string PrintPlan(const DeliveryPlan& plan);

OrderedJson ToJson(const DeliveryPlan& plan);

}  // namespace tidegate::deliver
