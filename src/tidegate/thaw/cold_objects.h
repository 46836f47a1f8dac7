// What lies in cold storage: of a whole bucket, or of what a lake needs. Reads; changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/store/object_store.h"
#include "tidegate/thaw/restore_plan.h"

namespace tidegate::thaw {

struct FindOptions {
  contract::TableCatalog catalog;
  std::vector<std::string> table_globs, exclude_globs;
  std::optional<contract::Delivery> since, until;  // both inclusive
  bool manifests = false;                          // those in cold storage, too
  UtcTime now;
  const CancelFlag* cancel = nullptr;
};

/// Objects of sealed folders, in their state as of now: what a listing shows as frozen is looked at once more, since
/// some listings tell nothing of restores. `lake` null: all that is cold. Else what the next ingest would read, and
/// cannot: of a full table its newest copy alone. Errors: bucket or lake cannot be listed; Cancelled.
Result<std::vector<ColdObject>> FindCold(store::ObjectStore& bucket, store::ObjectStore* lake,
                                         const FindOptions& options);

}  // namespace tidegate::thaw
