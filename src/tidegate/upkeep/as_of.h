// As of a delivery: which snapshot of a table shows what had arrived up to a delivery, and nothing later.
//
// A snapshot is of the delivery that is the greatest in its checkpoint, in the order of deliveries (C-20). A commit of
// another tool is of its nearest ancestor that has a checkpoint. Only the current snapshot and its ancestors count:
// what a rollback took back is no longer part of the table's history.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/table/metadata.h"

namespace tidegate::upkeep {

/// Read a delivery as a person types it: "2026-11-03T05" or "v2/2026-11-03/05" is an hour of v2, "2026-11-02" or
/// "v1/2026-11-02" a day of v1; "v1/__initial__" too. Errors: InvalidArgument.
Result<contract::Delivery> ParseTypedDelivery(std::string_view text);

/// The newest snapshot that holds nothing later than `at`; nullopt where the table was not there yet.
/// Errors: NotFound where such a snapshot may have been but is expired, naming the oldest state that is left;
/// Corruption and Unsupported of a checkpoint that cannot be read.
Result<std::optional<int64_t>> SnapshotAsOf(const table::TableMetadata& metadata, const contract::Delivery& at);

}  // namespace tidegate::upkeep
