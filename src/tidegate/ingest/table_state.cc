#include "tidegate/ingest/table_state.h"

namespace tidegate::ingest {

Result<std::optional<Checkpoint>> CheckpointOf(const table::TableMetadata& metadata) {
  for (const table::Snapshot* snapshot : metadata.Ancestry()) {
    TG_ASSIGN_OR_RETURN(auto checkpoint, FromSummary(snapshot->summary));
    if (checkpoint) return checkpoint;
  }
  if (metadata.current_snapshot() == nullptr) return std::optional<Checkpoint>();
  return Corruption(
      "the table " + metadata.location +
      " has data, but no snapshot of tidegate says what of the bucket it holds (was it written by another "
      "tool, or were snapshots expired?): build it anew into another lake");
}

Result<TableState> LoadTableState(store::ObjectStore& lake, const contract::TableName& name) {
  TableState state;
  auto table = table::LakeTable::Load(lake, table::FolderOf(name));
  if (table.status().code() == Code::kNotFound) return state;
  if (!table.ok()) return table.status();
  TG_ASSIGN_OR_RETURN(state.checkpoint, CheckpointOf(table->metadata()));
  state.table = *std::move(table);
  return state;
}

}  // namespace tidegate::ingest
