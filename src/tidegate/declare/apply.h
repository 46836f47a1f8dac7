// Declarations brought into a catalog: what is there stays, what is missing is added. A second run changes nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/declare/declaration.h"

namespace tidegate::declare {

struct Applied {
  std::string table;
  Status status{};  // why nothing, or not all, was done
  bool created = false;
  size_t added = 0, moved = 0, there = 0;            // partitions; there: as they should be already
  std::vector<std::string> elsewhere;                // locations of partitions that somebody moved; left as they are
  std::vector<catalog::HiveColumn> missing_columns;  // the bucket has them, the catalog's table has not
};

/// One result for each table, in their order; one that fails does not hold up the others. Partitions are added only
/// with `partitions`. Errors of one: PreconditionFailed (a table of that name lies elsewhere, or is partitioned
/// otherwise); those of the catalog.
std::vector<Applied> Apply(const std::vector<Declaration>& tables, catalog::HiveCatalog& catalog, bool partitions);

}  // namespace tidegate::declare
