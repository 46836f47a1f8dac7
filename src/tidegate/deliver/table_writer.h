// Write the rows of one query as the Parquet files of one folder, by as many writers as there are slices.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/deliver/source.h"
#include "tidegate/parquet/capped_writer.h"
#include "tidegate/store/object_store.h"

namespace tidegate::deliver {

struct WriteRequest {
  contract::Folder folder;
  std::string query;
  int slices = 1;
  parquet::CappedWriterOptions writer;
};

struct WriteOutcome {
  Status status;                            // why the table could not be written
  bool store_failed = false;                // the destination's fault: no other table will fare better
  std::vector<parquet::WrittenFile> files;  // finished ones, also after a failure; sorted by key
};

/// Write `NNNN_part_MM.parquet` (C-3); a query without rows gives one file without rows. Files that exist are not
/// overwritten: AlreadyExists. `on_batch` sees the rows of each batch; an error from it stops the work.
WriteOutcome WriteTable(Source& source, store::ObjectStore& dest, const WriteRequest& request,
                        const std::function<Status(int64_t rows)>& on_batch);

}  // namespace tidegate::deliver
