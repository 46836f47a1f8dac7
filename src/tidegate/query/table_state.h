// The state of a lake table at one of its snapshots, as views and comparisons need it.
#pragma once

#include <cstdint>
#include <optional>

#include "tidegate/base/status.h"
#include "tidegate/query/view_sql.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::query {

/// Of a snapshot (default: the current one; none: a table without files), with the schema of its time.
/// Errors: those of the manifests; Corruption (a name mapping that is none).
Result<TableState> ReadTableState(const table::LakeTable& table, std::optional<int64_t> snapshot);

}  // namespace tidegate::query
