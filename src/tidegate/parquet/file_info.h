// What a Parquet file holds, read from its footer alone: columns, rows, statistics, and what stands in the way of
// adopting it as it is (contract C-25, C-28).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/schema/schema.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

/// Why a file cannot be adopted as it is and has to be rewritten (C-28).
enum class Obstacle {
  kTimestampMillis, kTimestampNanos, kTimeMillis, kTimeNanos, kUnsignedInt, kSmallInt,  // int8/int16 are fine: not an obstacle in practice
  kNonStandardList, kFieldIds, kUnsupportedType,
};

std::string_view ObstacleName(Obstacle obstacle);

struct ColumnObstacle {
  std::string column;  // dotted path
  Obstacle obstacle;
};

/// Statistics of one leaf column over the whole file; bounds are Iceberg single-value binary (spec, appendix D).
struct ColumnMetrics {
  uint64_t compressed_bytes = 0;
  int64_t value_count = 0;
  std::optional<int64_t> null_count;
  std::optional<std::string> lower_bound;  // strings and binary cut to 16 code points / bytes; absent where unknown or NaN
  std::optional<std::string> upper_bound;
};

struct FileInfo {
  std::vector<schema::Field> columns;  // ids 0; the logical type the column will have in the lake (ms/ns → µs)
  int64_t rows = 0;
  uint64_t size_bytes = 0;
  std::string created_by;
  std::vector<int64_t> split_offsets;             // start of each row group
  std::vector<ColumnObstacle> obstacles;          // empty: adopt as it is
  std::map<std::string, ColumnMetrics> metrics;   // by dotted path of a leaf
};

/// Read the footer. Errors: Corruption naming the object and what is wrong (not Parquet, truncated, a footer that
/// lies about sizes, encrypted); reads at most a few ranges at the end of the object.
/// Two columns whose names differ only in case are kept here; callers decide (C-25).
Result<FileInfo> ReadFileInfo(store::RandomReader& reader);

}  // namespace tidegate::parquet
