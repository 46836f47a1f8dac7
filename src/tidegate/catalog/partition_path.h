// Partition values as paths, text and SQL (C-59).
//
// Source: Hive's escaping of path names. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::catalog {

inline constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";

/// Bytes that Hive escapes become %XX.
std::string EscapePartitionValue(std::string_view value);

/// Errors: InvalidArgument (a '%' without two hex digits).
Result<std::string> UnescapePartitionValue(std::string_view text);

/// "day=2026-11-01/region=a%3Ab". Errors: InvalidArgument (another number of values than columns; an empty value, or
/// the text that stands for null: readers could not tell it from null).
Result<std::string> PartitionPath(const std::vector<HiveColumn>& columns, const PartitionValues& values);

/// What a person types: "day=2026-11-01/region=a%3Ab", or "day=2026-11-01" for one column; the columns in any order.
/// Errors: InvalidArgument, naming the columns that there are.
Result<PartitionValues> ParsePartitionPath(const std::vector<HiveColumn>& columns, std::string_view text);

}  // namespace tidegate::catalog
