// After a run: writes what later runs must know to look at the recent days alone (listing_note.h).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/ingest/ingest.h"
#include "tidegate/ingest/look.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

/// Of the tables that the run looked at, as they are after it; absent: not in the lake.
using Checkpoints = std::map<contract::TableName, std::optional<Checkpoint>>;

struct NoteChoice {
  std::string bucket_url;
  UtcTime now;
  RecentDays days;
};

/// Requires: the run looked at every table, and no table failed as a whole. A run that listed everything begins the
/// note anew, one of the recent days moves its window on. Where a reseed or a build waits, or the bucket is tiny or
/// holds nothing of the past, there is none: every run lists everything. Derived: a failure is said, and costs later
/// runs a listing.
void NoteListing(store::ObjectStore& lake, const Look& look, const Checkpoints& checkpoints, const IngestReport& report,
                 const NoteChoice& choice);

}  // namespace tidegate::ingest
