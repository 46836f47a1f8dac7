// Holding back: what of a plan lies in cold storage is taken out of it before a byte is read (C-43).
//
// - A listing that says "frozen" may be wrong: some servers tell nothing of restores. Head() knows better, and is asked
//   until one object is certain to be frozen; the others are counted as listed.
// - What needs all its folders at once (a first build, a rebuild, a reseed) is held back as a whole.
#pragma once

#include <map>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/ingest/lake_tables.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

/// What is true of objects that a listing shows as frozen. Asks once for each; where asking fails the listing counts.
class ArchiveTruth {
 public:
  explicit ArchiveTruth(store::ObjectStore& bucket) : bucket_(bucket) {}
  store::ArchiveState Of(const store::ObjectInfo& listed);

 private:
  store::ObjectStore& bucket_;
  std::map<std::string, store::ArchiveState> known_;  // by key
};

/// Must this folder, too, be read before readers see anything of what the plan does?
bool NeedsAtOnce(const TablePlan& plan, const contract::Delivery& delivery);

/// As PlanOf, without what cannot be read now: `cold` tells of that. Where a reseed or a rebuild has to wait, the plan
/// is the one without it. Errors: as PlanOf.
Result<TablePlan> PlanReadable(const bucket::BucketView& view, store::ObjectStore& bucket, store::ObjectStore& lake,
                               const contract::TableName& name, const TableState& state, PlanChoice choice);

}  // namespace tidegate::ingest
