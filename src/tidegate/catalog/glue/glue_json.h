// Tables and partitions as Glue writes them. Pure.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::catalog {

/// "Values" of a partition: null is __HIVE_DEFAULT_PARTITION__.
OrderedJson GlueValues(const PartitionValues& values);
PartitionValues ReadGlueValues(const Json& partition, const char* field = "Values");

/// TableInput of a new external Parquet table.
OrderedJson GlueTableInput(const HiveTable& table);
/// Errors: Corruption.
Result<HiveTable> ReadGlueTable(const Json& table);

/// PartitionInput: `base` is a partition or a table as Glue gave it, whose other fields are kept.
OrderedJson GluePartitionInput(const Json& base, const HivePartition& partition);
/// Errors: Corruption.
Result<HivePartition> ReadGluePartition(const Json& partition);

}  // namespace tidegate::catalog
