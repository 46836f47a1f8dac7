// Types as Hive spells them, and whether the columns of a build fit a table. Pure.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/schema/schema.h"

namespace tidegate::catalog {

/// "bigint", "decimal(10,2)", "array<struct<a:int>>". Errors: Unsupported (a time of day, which Hive has no type for).
Result<std::string> HiveType(const schema::Type& type);

/// Would readers that expect `table` read files with `built`? The table's columns may be missing in a build (they read
/// as null); order does not matter. Errors: PreconditionFailed, naming the first column that stands in the way and what
/// to do.
Status CheckColumnsFit(const std::vector<HiveColumn>& built, const std::vector<HiveColumn>& table);

}  // namespace tidegate::catalog
