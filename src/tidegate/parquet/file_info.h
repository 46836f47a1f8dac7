// What a Parquet file holds, read from its footer alone: columns, rows, statistics, and what stands in the way of
// adopting it as it is (contract C-25, C-28).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/schema/schema.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

/// Why a file cannot be adopted as it is and has to be rewritten (C-28). Only kUnsupportedType cannot be mended so.
enum class Obstacle {
  kTimestampMillis,
  kTimestampNanos,
  kTimeMillis,
  kTimeNanos,
  kUnsignedInt,
  kNonStandardList,  // a list or a map in another than the standard three-level form
  kFieldIds,         // ids of the file's own would override the name mapping
  kBinaryDecimal,    // a decimal of varying length: outside Iceberg's Parquet mapping
  kCodec,     // compressed by other than Snappy, gzip or zstd: not every reader brings the codec (Spark: no Brotli)
  kEncoding,  // values neither plain nor by dictionary: Iceberg's vectorised reader for Spark refuses the file
  kNullType,  // a top-level column that is declared to hold only nulls: left out of `columns` and by RewriteFile
  kUnsupportedType,
};

/// A word for messages: "timestamp in milliseconds".
std::string_view ObstacleName(Obstacle obstacle);

struct ColumnObstacle {
  std::string column;  // dotted path
  Obstacle obstacle;
  std::string declared;  // the type as the file declares it, for messages
};

/// Statistics of one leaf column over the whole file; bounds are Iceberg single-value binary (spec, appendix D).
struct ColumnMetrics {
  uint64_t compressed_bytes = 0;
  int64_t value_count = 0;
  std::optional<int64_t> null_count;
  std::optional<std::string>
      lower_bound;  // strings and binary cut to 16 code points / bytes; absent where unknown or NaN
  std::optional<std::string> upper_bound;
};

struct FileInfo {
  std::vector<schema::Field> columns;  // ids 0; the logical type the column will have in the lake (ms/ns → µs)
  int64_t rows = 0;
  uint64_t size_bytes = 0;
  std::string created_by;
  std::vector<int64_t> split_offsets;            // start of each row group
  std::vector<ColumnObstacle> obstacles;         // empty: adopt as it is
  std::map<std::string, ColumnMetrics> metrics;  // by dotted path of a leaf
};

/// Read the footer; reads at most two ranges at the end of the object.
/// Paths are those of the logical type: "tags.element", "prices.key", "prices.value", "address.city".
/// Bounds are given only where readers may rely on them: not inside lists and maps, not for INT96, UUID, fixed or
/// columns with an obstacle, not from the deprecated statistics, not where a row group has none. Errors: Corruption
/// naming the object and what is wrong (not Parquet, truncated, a footer that lies about sizes); Unsupported
/// (encrypted, data in other files, a footer above 64 MB); the store's own, unchanged. Two columns whose names differ
/// only in case are kept here; callers decide (C-25).
Result<FileInfo> ReadFileInfo(store::RandomReader& reader);

}  // namespace tidegate::parquet
