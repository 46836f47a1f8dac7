// Deliver: write one delivery of the contract from a source into a destination. The entry point of this folder.
//
// The order of effects, on which everything rests:
//   1. data files left over in folders that are not sealed are deleted
//   2. the data files of all tables are written
//   3. each folder is listed once more: it holds what was written, no more and no less
//   4. `_STATE` of the parts tables
//   5. Sync: all of that is durable
//   6. every `_SUCCESS`
//   7. Sync
//   8. the manifest, where it is not there or says something else; Sync
//
// Guarantees
// - A death at any moment leaves only folders without `_SUCCESS`, or whole ones. The next run of this delivery finishes
//   it; a later delivery takes the rows of what was not sealed with its own (docs/formats/deliver-state.md).
// - A sealed folder is never written again. A delivery that is whole changes no byte.
// - One table that fails does not hold up the others: it is missing, with a reason. A destination that fails stops
//   everything before a seal.
// Requires: one delivery at a time into one destination. Two at once are found out in most cases (step 3, and files are
// never overwritten), not in all.
#pragma once

#include <cstdint>
#include <functional>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/deliver/options.h"
#include "tidegate/deliver/plan.h"
#include "tidegate/deliver/report.h"
#include "tidegate/deliver/source.h"
#include "tidegate/store/object_store.h"

namespace tidegate::deliver {

struct DeliverProgress {
  size_t tables_done = 0;
  size_t tables_total = 0;  // of those that are written
  contract::TableName table;
  int64_t rows = 0;  // of this table so far
};

/// Called from the thread that called Deliver, at the start of a table and now and then within it.
using ProgressCallback = std::function<void(const DeliverProgress&)>;

/// Plan one delivery and touch nothing. Errors: those of Survey and PlanDelivery.
Result<DeliveryPlan> Plan(Source& source, store::ObjectStore& dest, const DeliverOptions& options,
                          const CancelFlag* cancel = nullptr);

/// Plan one delivery and carry it out. A table that fails is in the report (failed()), not an error.
/// Errors: those of Plan; the destination's; PreconditionFailed where the source or the destination was changed by
/// others meanwhile; Cancelled. After an error nothing more was sealed than what is whole.
Result<DeliveryReport> Deliver(Source& source, store::ObjectStore& dest, const DeliverOptions& options,
                               const CancelFlag* cancel = nullptr, const ProgressCallback& progress = nullptr);

}  // namespace tidegate::deliver
