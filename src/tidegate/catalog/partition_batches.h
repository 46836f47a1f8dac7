// Many partitions in calls that take only some at once. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::catalog {

/// `which` in pieces of at most `size`.
std::vector<std::vector<size_t>> Pieces(const std::vector<size_t>& which, size_t size);

/// The places of those whose values a catalog can hold; the others get their result in `out`, which is as long.
std::vector<size_t> Holdable(const std::vector<HiveColumn>& columns, const std::vector<HivePartition>& partitions,
                             std::vector<Status>& out);

}  // namespace tidegate::catalog
