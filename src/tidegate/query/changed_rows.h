// Which rows of a lake table differ between two of its snapshots, found from their files: nothing else is read.
//
// Not precise, and never too little: a row that was moved from one file to another, as a compaction does, counts as
// changed.
#pragma once

#include <cstdint>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::query {

struct ChangedFiles {
  table::LiveFiles came;     // data files that only the later state has, with the position deletes that are there now
  table::LiveFiles went;     // data files that only the earlier state has; all their rows count
  table::LiveFiles deleted;  // data files of both, and the position deletes that only one of the two states has
};

/// Pure.
ChangedFiles CompareFiles(const table::LiveFiles& before, const table::LiveFiles& after);

/// The SELECT of every row that is in one of two snapshots and not in the other, in the columns of the later one.
/// Requires: both are in the metadata, with the same schema. Errors: as SelectSql, and those of the manifests.
Result<std::string> ChangedRowsSql(const table::LakeTable& table, int64_t before, int64_t after);

}  // namespace tidegate::query
