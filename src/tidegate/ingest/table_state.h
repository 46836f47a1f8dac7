// What the lake holds of one table when a run begins: the Iceberg table, if it exists, and its checkpoint.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// "shop/orders", the folder of a table in a lake.
std::string LakeFolder(const contract::TableName& table);

/// The key in `lake` of a location that table metadata names. Errors: Unsupported where it lies elsewhere (a lake that
/// was moved: its metadata holds absolute paths).
Result<std::string> LakeKeyOf(const store::ObjectStore& lake, std::string_view location);

/// The checkpoint of the nearest ancestor of the current snapshot that has one: a rollback takes progress back with the
/// data, a foreign compaction on top keeps it. Errors: Corruption where the table has data but no such ancestor.
Result<std::optional<Checkpoint>> CheckpointOf(const table::TableMetadata& metadata);

/// A table that does not exist is an empty state, not an error.
Result<TableState> LoadTableState(store::ObjectStore& lake, const contract::TableName& table);

}  // namespace tidegate::ingest
