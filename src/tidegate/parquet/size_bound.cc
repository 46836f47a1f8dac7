#include "tidegate/parquet/size_bound.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>

#include "tidegate/parquet/writer_properties.h"

namespace tidegate::parquet {
namespace {

// Generous sizes of Thrift structures whose fields are at most 5- or 10-byte varints.
constexpr uint64_t kPageHeaderBytes = 128;
constexpr uint64_t kColumnChunkBytes = 512;
constexpr uint64_t kRowGroupBytes = 128;
constexpr uint64_t kSchemaElementBytes = 64;
constexpr uint64_t kFileBytes = 256;
constexpr uint64_t kStatisticsCopies = 4;  // min and max, each also in its deprecated field
constexpr uint64_t kPageFixedBytes = 96;   // length prefixes and unfinished runs of levels and indices
constexpr uint64_t kSnappySlack = 64;
constexpr uint64_t kZstdSlack = 1024;
constexpr uint64_t kValuesPerRun = 8;

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// Parquet's RLE / bit-packing hybrid at its worst: a header for each run of 8 values.
uint64_t HybridBytes(uint64_t values, uint64_t max_value) {
  const auto width = static_cast<uint64_t>(std::bit_width(max_value));
  return width == 0 ? 0 : CeilDiv(values, kValuesPerRun) * (1 + std::max(width, CeilDiv(width, 8)));
}

uint64_t Compressed(uint64_t bytes, uint64_t pages, const std::string& compression) {
  if (compression == "snappy") return bytes + bytes / 6 + pages * kSnappySlack;
  if (compression == "zstd") return bytes + bytes / 128 + pages * kZstdSlack;
  return bytes;
}

/// What a leaf's values cost.
struct LeafValues {
  uint64_t count = 0;
  uint64_t plain_bytes = 0;
  uint64_t longest = 0;  // one value
};

/// How deep a leaf lies, and how many level entries it has.
struct Place {
  uint64_t definition = 0;
  uint64_t repetition = 0;
  uint64_t entries = 0;
  uint64_t path_bytes = 0;
};

LeafValues MeasureBinary(const arrow::BinaryArray& array) {
  LeafValues values;
  values.count = static_cast<uint64_t>(array.length());
  int32_t longest = 0;
  for (int64_t i = 0; i < array.length(); ++i) longest = std::max(longest, array.value_length(i));
  values.longest = static_cast<uint64_t>(longest);
  values.plain_bytes = 4 * values.count;
  if (array.length() > 0) {
    values.plain_bytes += static_cast<uint64_t>(array.value_offset(array.length()) - array.value_offset(0));
  }
  return values;
}

uint64_t FixedBytes(const arrow::DataType& type) {
  // Small decimals take 4 or 8 bytes, others as many as their digits need: never more than Arrow's 16.
  return CeilDiv(static_cast<uint64_t>(static_cast<const arrow::FixedWidthType&>(type).bit_width()), 8);
}

LeafValues MeasureLeaf(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::BINARY) {
    return MeasureBinary(static_cast<const arrow::BinaryArray&>(array));
  }
  LeafValues values;
  values.count = static_cast<uint64_t>(array.length());
  values.longest = FixedBytes(*array.type());
  values.plain_bytes = values.count * values.longest;
  return values;
}

class BoundSum {
 public:
  explicit BoundSum(const std::string& compression) : compression_(compression) { sum_.footer_bytes = kRowGroupBytes; }

  void AddColumn(const arrow::Field& field, const arrow::Array& array) {
    Add(field, array, {0, 0, static_cast<uint64_t>(array.length()), 0});
  }
  const SizeBound& sum() const { return sum_; }

 private:
  void Add(const arrow::Field& field, const arrow::Array& array, Place place) {
    ++place.definition;  // counted for required fields too
    place.path_bytes += field.name().size() + 8;
    switch (array.type_id()) {
      case arrow::Type::STRUCT:
        return AddStruct(static_cast<const arrow::StructArray&>(array), place);
      case arrow::Type::LIST:
      case arrow::Type::MAP:
        return AddList(static_cast<const arrow::ListArray&>(array), place);
      case arrow::Type::EXTENSION:
        return AddLeaf(MeasureLeaf(*static_cast<const arrow::ExtensionArray&>(array).storage()), place);
      default:
        return AddLeaf(MeasureLeaf(array), place);
    }
  }

  void AddStruct(const arrow::StructArray& array, const Place& place) {
    for (int i = 0; i < array.num_fields(); ++i) Add(*array.type()->field(i), *array.field(i), place);
  }

  void AddList(const arrow::ListArray& array, Place place) {
    const int64_t begin = array.length() == 0 ? 0 : array.value_offset(0);
    const int64_t end = array.length() == 0 ? 0 : array.value_offset(array.length());
    ++place.definition;
    ++place.repetition;
    place.entries += static_cast<uint64_t>(end - begin);  // an empty or null list keeps an entry of its own
    place.path_bytes += 16;
    Add(*array.type()->field(0), *array.values()->Slice(begin, end - begin), place);
  }

  void AddLeaf(const LeafValues& values, const Place& place) {
    const uint64_t indices = HybridBytes(values.count, values.count);
    const uint64_t levels = HybridBytes(place.entries, place.definition) + HybridBytes(place.entries, place.repetition);
    const uint64_t encoded = values.plain_bytes + indices + levels;
    // Pages end when full, or after kPageRows rows less one write batch; then the last one, and the dictionary.
    const uint64_t pages = encoded / kPageBytes + place.entries / (kPageRows / 2) + 4;
    const uint64_t statistics = kStatisticsCopies * (std::min<uint64_t>(values.longest, kMaxStatisticsBytes) + 8);
    sum_.data_bytes +=
        Compressed(encoded + pages * kPageFixedBytes, pages, compression_) + pages * (kPageHeaderBytes + statistics);
    sum_.footer_bytes += kColumnChunkBytes + place.path_bytes + statistics;
    sum_.plain_bytes += values.plain_bytes;
  }

  const std::string& compression_;
  SizeBound sum_;
};

uint64_t BoundSchema(const arrow::Field& field) {
  uint64_t bytes = kSchemaElementBytes + field.name().size();
  if (field.type()->id() == arrow::Type::LIST || field.type()->id() == arrow::Type::MAP) bytes += kSchemaElementBytes;
  for (const auto& child : field.type()->fields()) bytes += BoundSchema(*child);
  return bytes;
}

}  // namespace

SizeBound BoundRowGroup(const arrow::RecordBatch& batch, const std::string& compression) {
  BoundSum sum(compression);
  for (int i = 0; i < batch.num_columns(); ++i) sum.AddColumn(*batch.schema()->field(i), *batch.column(i));
  return sum.sum();
}

uint64_t BoundEmptyFile(const arrow::Schema& schema, const std::string& created_by) {
  uint64_t bytes = kFileBytes + created_by.size();
  for (const auto& field : schema.fields()) bytes += BoundSchema(*field);
  return bytes;
}

}  // namespace tidegate::parquet
