#include "tidegate/parquet/file_info.h"

#include <arrow/util/compression.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/bounds.h"
#include "tidegate/parquet/column_types.h"
#include "tidegate/parquet/footer.h"

namespace tidegate::parquet {
namespace {

using ::parquet::ColumnChunkMetaData;
using ::parquet::ColumnDescriptor;
using ::parquet::FileMetaData;

int64_t ChunkStart(const ColumnChunkMetaData& chunk) {
  const int64_t data = chunk.data_page_offset();
  const bool dictionary = chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0;
  return dictionary ? std::min(data, chunk.dictionary_page_offset()) : data;
}

/// Adds up one leaf column over the row groups.
class LeafMetrics {
 public:
  LeafMetrics(const Leaf& leaf, const ColumnDescriptor& column)
      : bounds_(leaf.type, leaf.as_integer),
        // Without a declared order only the deprecated fields can be there, and they were compared in ways of their
        // own.
        bounded_(leaf.plain && !leaf.repeated &&
                 column.column_order().get_order() == ::parquet::ColumnOrder::TYPE_DEFINED_ORDER) {
    metrics_.null_count = 0;
  }

  void Add(const ColumnChunkMetaData& chunk) {
    metrics_.compressed_bytes += static_cast<uint64_t>(chunk.total_compressed_size());
    metrics_.value_count += chunk.num_values();
    const auto statistics = chunk.is_stats_set() ? chunk.encoded_statistics() : nullptr;
    AddNulls(chunk, statistics.get());
    AddBounds(chunk, statistics.get());
  }

  ColumnMetrics Finish() && {
    if (bounded_) {
      metrics_.lower_bound = bounds_.lower();
      metrics_.upper_bound = bounds_.upper();
    }
    return std::move(metrics_);
  }

 private:
  static bool KnowsNulls(const ColumnChunkMetaData& chunk, const ::parquet::EncodedStatistics* statistics) {
    return statistics != nullptr && statistics->has_null_count && statistics->null_count >= 0 &&
           statistics->null_count <= chunk.num_values();
  }

  void AddNulls(const ColumnChunkMetaData& chunk, const ::parquet::EncodedStatistics* statistics) {
    if (!KnowsNulls(chunk, statistics)) {
      metrics_.null_count.reset();
    } else if (metrics_.null_count) {
      *metrics_.null_count += statistics->null_count;
    }
  }

  void AddBounds(const ColumnChunkMetaData& chunk, const ::parquet::EncodedStatistics* statistics) {
    if (!bounded_ || chunk.num_values() == 0) return;
    if (KnowsNulls(chunk, statistics) && statistics->null_count == chunk.num_values()) return;  // nothing but nulls
    if (statistics == nullptr || !statistics->has_min || !statistics->has_max) return bounds_.AddUnknown();
    bounds_.Add(statistics->min(), statistics->max());
  }

  Bounds bounds_;
  bool bounded_;
  ColumnMetrics metrics_;
};

std::map<std::string, ColumnMetrics> CollectMetrics(const FileMetaData& metadata, const std::vector<Leaf>& leaves) {
  std::vector<LeafMetrics> columns;
  columns.reserve(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    columns.emplace_back(leaves[i], *metadata.schema()->Column(static_cast<int>(i)));
  }
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const auto row_group = metadata.RowGroup(group);
    for (size_t i = 0; i < columns.size(); ++i) columns[i].Add(*row_group->ColumnChunk(static_cast<int>(i)));
  }
  std::map<std::string, ColumnMetrics> metrics;
  std::set<std::string> ambiguous;  // a column named "a.b" beside a field b of a struct a: the path does not tell which
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool inserted = metrics.emplace(leaves[i].path, std::move(columns[i]).Finish()).second;
    if (!inserted) ambiguous.insert(leaves[i].path);
  }
  for (const std::string& path : ambiguous) metrics.erase(path);
  return metrics;
}

std::vector<int64_t> SplitOffsets(const FileMetaData& metadata) {
  std::vector<int64_t> offsets;
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const auto row_group = metadata.RowGroup(group);
    int64_t start = 0;
    for (int i = 0; i < row_group->num_columns(); ++i) {
      const int64_t chunk = ChunkStart(*row_group->ColumnChunk(i));
      start = i == 0 ? chunk : std::min(start, chunk);
    }
    if (row_group->num_rows() > 0 && row_group->num_columns() > 0) offsets.push_back(start);
  }
  return offsets;
}

/// A value encoding of a column chunk that some readers refuse. RLE is also how levels are written, so that of boolean
/// values shows only in that there is no plain encoding beside it.
std::optional<::parquet::Encoding::type> UncommonEncoding(const ColumnChunkMetaData& chunk) {
  using ::parquet::Encoding;
  bool plain = false;
  for (const Encoding::type encoding : chunk.encodings()) {
    plain = plain || encoding == Encoding::PLAIN;
    const bool levels = encoding == Encoding::RLE || encoding == Encoding::BIT_PACKED;
    const bool dictionary = encoding == Encoding::PLAIN_DICTIONARY || encoding == Encoding::RLE_DICTIONARY;
    if (encoding != Encoding::PLAIN && !levels && !dictionary) return encoding;
  }
  if (chunk.type() == ::parquet::Type::BOOLEAN && !plain && chunk.num_values() > 0) return Encoding::RLE;
  return std::nullopt;
}

/// The first column chunk whose pages some readers cannot decode.
std::optional<ColumnObstacle> UncommonPages(const FileMetaData& metadata) {
  using arrow::Compression;
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const auto row_group = metadata.RowGroup(group);
    for (int column = 0; column < row_group->num_columns(); ++column) {
      const auto chunk = row_group->ColumnChunk(column);
      if (const auto encoding = UncommonEncoding(*chunk)) {
        return ColumnObstacle{chunk->path_in_schema()->ToDotString(), Obstacle::kEncoding,
                              ::parquet::EncodingToString(*encoding)};
      }
      const Compression::type codec = chunk->compression();
      const bool common = codec == Compression::UNCOMPRESSED || codec == Compression::SNAPPY ||
                          codec == Compression::GZIP || codec == Compression::ZSTD;
      if (!common) {
        return ColumnObstacle{chunk->path_in_schema()->ToDotString(), Obstacle::kCodec,
                              arrow::util::Codec::GetCodecAsString(codec)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view ObstacleName(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kTimestampMillis:
      return "timestamp in milliseconds";
    case Obstacle::kTimestampNanos:
      return "timestamp in nanoseconds";
    case Obstacle::kTimeMillis:
      return "time in milliseconds";
    case Obstacle::kTimeNanos:
      return "time in nanoseconds";
    case Obstacle::kUnsignedInt:
      return "unsigned integer";
    case Obstacle::kNonStandardList:
      return "list or map in a non-standard form";
    case Obstacle::kFieldIds:
      return "field ids in the file";
    case Obstacle::kBinaryDecimal:
      return "decimal of varying length";
    case Obstacle::kCodec:
      return "compression that not every reader knows";
    case Obstacle::kEncoding:
      return "encoding that not every reader knows";
    case Obstacle::kNullType:
      return "column without a type";
    case Obstacle::kUnsupportedType:
      return "unsupported type";
  }
  return "unknown obstacle";
}

Result<FileInfo> ReadFileInfo(store::RandomReader& reader) {
  TG_ASSIGN_OR_RETURN(const OpenedFile file, OpenFooter(reader));
  return CatchWhileReading(*file.source, [&]() -> Result<FileInfo> {
    const FileMetaData& metadata = *file.metadata;
    ColumnTypes types = MapColumns(*metadata.schema());
    FileInfo info;
    info.metrics = CollectMetrics(metadata, types.leaves);
    info.columns = std::move(types.columns);
    info.obstacles = std::move(types.obstacles);
    if (auto pages = UncommonPages(metadata)) info.obstacles.push_back(*std::move(pages));
    info.rows = metadata.num_rows();
    info.size_bytes = file.source->size_bytes();
    info.created_by = metadata.created_by();
    info.split_offsets = SplitOffsets(metadata);
    return info;
  });
}

}  // namespace tidegate::parquet
