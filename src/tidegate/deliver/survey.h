// The survey before a delivery: everything its plan depends on, read from the source and the destination.
//
// Cost of a table: one listing of its folder, one description of its query; of a parts table also a read of `_STATE`, a
// look at one `_SUCCESS`, and a listing of what is newer than the state (normally nothing). Never its history.
#pragma once

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/deliver/options.h"
#include "tidegate/deliver/plan.h"
#include "tidegate/deliver/source.h"
#include "tidegate/store/object_store.h"

namespace tidegate::deliver {

/// Look, change nothing. Errors: InvalidArgument (options), the store's errors, the source's where it cannot be listed.
Result<DeliveryFacts> Survey(Source& source, store::ObjectStore& dest, const DeliverOptions& options,
                             const CancelFlag* cancel);

}  // namespace tidegate::deliver
