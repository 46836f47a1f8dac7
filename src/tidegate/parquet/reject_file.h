// Reject files: rows of delivered files that a table could not take, told by where they lie (contract C-23).
//
// Columns: folder string, file string, row long (from 0), reason string; none is null. Rows sorted by file and row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

struct RejectedRow {
  std::string folder;
  std::string file;
  int64_t row = 0;
  std::string reason;
};

/// Write the rows as one Parquet file; the same rows give the same bytes. The writer is not finished here.
Status WriteRejects(const std::vector<RejectedRow>& rows, store::ObjectWriter& writer);

}  // namespace tidegate::parquet
