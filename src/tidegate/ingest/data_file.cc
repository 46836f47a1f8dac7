#include "tidegate/ingest/data_file.h"

#include <cstring>

#include "tidegate/ingest/schema_fit.h"

namespace tidegate::ingest {
namespace {

using schema::Kind;

/// Single-value form of an int as a long, of a float as a double; anything else is already in the table's type.
std::string WidenBound(const std::string& bound, Kind table_kind) {
  if (table_kind == Kind::kLong && bound.size() == 4) {
    int32_t narrow;
    std::memcpy(&narrow, bound.data(), sizeof narrow);
    const int64_t wide = narrow;
    return {reinterpret_cast<const char*>(&wide), sizeof wide};
  }
  if (table_kind == Kind::kDouble && bound.size() == 4) {
    float narrow;
    std::memcpy(&narrow, bound.data(), sizeof narrow);
    const double wide = narrow;
    return {reinterpret_cast<const char*>(&wide), sizeof wide};
  }
  return bound;
}

}  // namespace

table::DataFile DescribeDataFile(const parquet::FileInfo& info, const schema::Schema& schema, std::string location,
                                 std::vector<std::optional<std::string>> partition) {
  table::DataFile out;
  out.location = std::move(location);
  out.partition = std::move(partition);
  out.record_count = info.rows;
  out.file_size_bytes = static_cast<int64_t>(info.size_bytes);
  out.split_offsets = info.split_offsets;
  const auto leaves = LeavesByPath(schema);
  for (const auto& [path, metrics] : info.metrics) {
    const auto leaf = leaves.find(path);
    if (leaf == leaves.end()) continue;
    const int id = leaf->second->id;
    out.column_sizes[id] = static_cast<int64_t>(metrics.compressed_bytes);
    out.value_counts[id] = metrics.value_count;
    if (metrics.null_count) out.null_value_counts[id] = *metrics.null_count;
    if (metrics.lower_bound) out.lower_bounds[id] = WidenBound(*metrics.lower_bound, leaf->second->type.kind);
    if (metrics.upper_bound) out.upper_bounds[id] = WidenBound(*metrics.upper_bound, leaf->second->type.kind);
  }
  return out;
}

}  // namespace tidegate::ingest
