#include "tidegate/query/table_state.h"

namespace tidegate::query {

Result<TableState> ReadTableState(const table::LakeTable& table, std::optional<int64_t> snapshot) {
  const table::TableMetadata& metadata = table.metadata();
  const schema::Schema* of_then = snapshot ? metadata.SchemaOf(*snapshot) : nullptr;
  TableState state{of_then != nullptr ? *of_then : metadata.current_schema(), metadata.specs, {}, {}};
  const auto mapping = metadata.properties.find(table::kNameMappingProperty);
  if (mapping != metadata.properties.end()) {
    TG_ASSIGN_OR_RETURN(state.mapping, table::ParseNameMapping(mapping->second));
  }
  TG_ASSIGN_OR_RETURN(state.files, table.ReadLiveFiles(snapshot));
  return state;
}

}  // namespace tidegate::query
