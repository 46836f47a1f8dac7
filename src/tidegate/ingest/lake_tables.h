// The tables that a run looks at, with what the lake has of each, and the plan of one of them as a person's word and
// the options want it. Reads; changes nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/ingest/lake_marks.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

struct LakeTables {
  std::vector<contract::TableName> in_lake;          // all of the lake, chosen or not
  std::map<contract::TableName, TableState> states;  // chosen ones of the bucket or the lake
  std::map<contract::TableName, Status> broken;      // their metadata or checkpoint cannot be read
  LakeMarks marks;

  std::vector<Checkpoint> Checkpoints() const;
};

/// Errors: of the store, where the lake cannot be listed. A table that cannot be read is in `broken`.
Result<LakeTables> LoadLakeTables(const bucket::BucketView& view, store::ObjectStore& lake,
                                  const bucket::ScanOptions& choice);

/// How one table is to be planned.
struct PlanChoice {
  const contract::TableEntry* entry = nullptr;  // of the catalog
  contract::Version version = contract::Version::kV1;
  bool settled = false;  // a person settled folders of it
  UtcTime now;
  bool refresh = false;  // build it anew
  bool accept_loss = false;
  DeliverySet not_taken;    // reseeds that this run tried and could not take
  bool no_rebuild = false;  // a rebuild waits for cold storage
};

/// A table on hold is left alone, with a warning. Errors: a settlement cannot be read.
Result<TablePlan> PlanOf(const bucket::BucketView& view, store::ObjectStore& lake, const contract::TableName& name,
                         const TableState& state, const PlanChoice& choice);

}  // namespace tidegate::ingest
