// Expire: forget old snapshots of a lake's tables and remove the files that nobody needs any more.
//
// One table: load → plan (pure) → commit metadata without the snapshots → remove exact keys. What a run that died left
// is found by the next: files of a forgotten snapshot are orphans then, and go once they are old enough.
//
// Guarantees
// - Readers of the current state, and of every snapshot that stays, see no change at any moment.
// - A commit of another writer in between is found: plan again.
// - A run that loaded the table before the commit can no longer commit, and one that loads it after uses other names
//   for data files (ingest/staged_folder.h): no file that is removed can be one that is about to be committed.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"
#include "tidegate/upkeep/expire_plan.h"

namespace tidegate::upkeep {

/// What an expiry would take now; changes nothing.
/// Errors: a table of another tool or one that cannot be read, also where a file that must stay cannot be told.
Result<ExpirePlan> PlanTableExpiry(store::ObjectStore& lake, const contract::TableName& name,
                                   const ExpirePolicy& policy, UtcTime now);

/// Carry it out. The plan that was carried out is returned.
Result<ExpirePlan> ExpireTable(store::ObjectStore& lake, const contract::TableName& name, const ExpirePolicy& policy,
                               UtcTime now);

struct ExpireOptions {
  ExpirePolicy policy;
  std::vector<std::string> table_globs, exclude_globs;
  bool plan_only = false;
  const Clock* clock = nullptr;  // required
  const CancelFlag* cancel = nullptr;
};

/// What became of one table.
struct TableExpiry {
  contract::TableName table;
  ExpirePlan plan;
  Status status;  // not ok: the table was left alone, or the next run finishes it
};

/// Every chosen table of a lake; one that fails does not hold up the others.
/// Errors: only what stops the whole run (the lake cannot be listed, cancelled).
Result<std::vector<TableExpiry>> ExpireLake(store::ObjectStore& lake, const ExpireOptions& options);

}  // namespace tidegate::upkeep
