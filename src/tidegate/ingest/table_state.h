// What the lake holds of one table when a run begins: the Iceberg table, if it exists, and its checkpoint.
#pragma once

#include <optional>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/ingest/checkpoint.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::ingest {

struct TableState {
  std::optional<table::LakeTable> table;
  std::optional<Checkpoint> checkpoint;
};

/// The checkpoint of the nearest ancestor of the current snapshot that has one: a rollback takes progress back with the
/// data, a foreign compaction on top keeps it. Errors: Corruption where the table has data but no such ancestor.
Result<std::optional<Checkpoint>> CheckpointOf(const table::TableMetadata& metadata);

/// A table that does not exist is an empty state, not an error.
Result<TableState> LoadTableState(store::ObjectStore& lake, const contract::TableName& table);

}  // namespace tidegate::ingest
