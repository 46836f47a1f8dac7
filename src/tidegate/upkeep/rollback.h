// Rollback: make the state of an earlier delivery the current one again, and hold tables or release them.
//
// Guarantees
// - Nothing is removed: the states that are taken back stay in the metadata until an expiry.
// - All tables are planned before the first is changed: where one cannot go back, none does.
// - The checkpoint goes back with the rows, so the next ingest applies again what was taken back, unless held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/metadata.h"

namespace tidegate::upkeep {

struct RollbackOptions {
  contract::Delivery to;
  std::vector<contract::TableName> tables;  // empty: all of the lake
  std::optional<std::string> hold;          // hold them, for this reason (may be empty)
  bool plan_only = false;
  const Clock* clock = nullptr;  // required
  const CancelFlag* cancel = nullptr;
};

enum class Step {
  kNothing,  // it is in that state already
  kBack,     // goes back
  kNotYet,   // was not there yet: it is left as it is
};

std::string_view StepName(Step step);  // "nothing", "back", "not_yet"

struct TableRollback {
  contract::TableName table;
  Step step = Step::kNothing;
  int64_t from = 0, to = 0;  // snapshot ids; 0: none
  bool hold = false;         // the hold is set, whatever the step
};

/// What a rollback does to one table. Pure. Errors: NotFound (the state was expired), of the checkpoint.
Result<TableRollback> PlanTableRollback(const contract::TableName& name, const table::TableMetadata& metadata,
                                        const RollbackOptions& options);

/// Errors: NotFound (a named table is not in the lake, was not there yet, or its state was expired); of the store.
/// After an error in the middle the tables before it are done; running again does the rest.
Result<std::vector<TableRollback>> RollBack(store::ObjectStore& lake, const RollbackOptions& options);

/// Let ingest take tables up again (empty: all); returns those that were held.
Result<std::vector<contract::TableName>> Release(store::ObjectStore& lake,
                                                 const std::vector<contract::TableName>& tables, UtcTime now);

}  // namespace tidegate::upkeep
