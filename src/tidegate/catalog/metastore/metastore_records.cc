#include "tidegate/catalog/metastore/metastore_records.h"

#include <algorithm>
#include <array>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/metastore/thrift_binary.h"
#include "tidegate/catalog/partition_path.h"

namespace tidegate::catalog {
namespace {

namespace table_field {
constexpr int16_t kName = 1, kDatabase = 2, kDescriptor = 7, kPartitionKeys = 8, kParameters = 9, kType = 12;
}
namespace partition_field {
constexpr int16_t kValues = 1, kDatabase = 2, kTable = 3, kDescriptor = 6, kParameters = 7;
}
namespace descriptor_field {
constexpr int16_t kColumns = 1, kLocation = 2, kInputFormat = 3, kOutputFormat = 4, kCompressed = 5, kBuckets = 6,
                  kSerde = 7, kBucketColumns = 8, kSortColumns = 9, kParameters = 10, kSubDirectories = 12;
}
namespace serde_field {
constexpr int16_t kName = 1, kLibrary = 2, kParameters = 3;
}
namespace column_field {
constexpr int16_t kName = 1, kType = 2;
}

constexpr std::string_view kParquetInput = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat";
constexpr std::string_view kParquetOutput = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat";
constexpr std::string_view kParquetSerde = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe";

/// What counts or vouches for the old content, by Hive and Trino, Spark, Impala. The metastore sets the time anew.
bool IsStale(const std::string& parameter) {
  constexpr std::array<std::string_view, 7> kNames = {
      "COLUMN_STATS_ACCURATE", "numRows", "rawDataSize", "totalSize", "numFiles", "numFilesErasureCoded",
      "transient_lastDdlTime"};
  return std::find(kNames.begin(), kNames.end(), parameter) != kNames.end() ||
         parameter.starts_with("spark.sql.statistics.") || parameter.starts_with("impala_intermediate_stats_");
}

std::map<std::string, std::string> WithoutStale(std::map<std::string, std::string> parameters) {
  std::erase_if(parameters, [](const auto& one) { return IsStale(one.first); });
  return parameters;
}

std::vector<HiveColumn> ReadColumns(const std::vector<ThriftValue>& list) {
  std::vector<HiveColumn> out;
  out.reserve(list.size());
  for (const ThriftValue& column : list)
    out.push_back({column.TextAt(column_field::kName), column.TextAt(column_field::kType)});
  return out;
}

/// Columns that stay are those of `old`, with their comments.
ThriftValue WriteColumns(const std::vector<HiveColumn>& columns, const std::vector<ThriftValue>& old = {}) {
  ThriftValue out = ThriftValue::List(ThriftType::kStruct);
  out.items.reserve(columns.size());
  for (const HiveColumn& column : columns) {
    const auto same = std::find_if(old.begin(), old.end(), [&](const ThriftValue& one) {
      return one.TextAt(column_field::kName) == column.name && one.TextAt(column_field::kType) == column.type;
    });
    ThriftValue& made = out.items.emplace_back();
    if (same != old.end()) made = *same;
    made.Set(column_field::kName, ThriftValue::String(column.name));
    made.Set(column_field::kType, ThriftValue::String(column.type));
  }
  return out;
}

void PointTo(ThriftValue& descriptor, const HivePartition& partition) {
  const ThriftValue columns = WriteColumns(partition.columns, descriptor.ItemsAt(descriptor_field::kColumns));
  const std::string location = WithSchemeOf(partition.location, descriptor.TextAt(descriptor_field::kLocation));
  descriptor.Set(descriptor_field::kColumns, columns);
  descriptor.Set(descriptor_field::kLocation, ThriftValue::String(location));
}

ThriftValue ParquetDescriptor() {
  ThriftValue serde;
  serde.Set(serde_field::kName, ThriftValue::String(""));
  serde.Set(serde_field::kLibrary, ThriftValue::String(kParquetSerde));
  serde.Set(serde_field::kParameters, ThriftValue::StringMap({{"serialization.format", "1"}}));
  ThriftValue out;
  out.Set(descriptor_field::kInputFormat, ThriftValue::String(kParquetInput));
  out.Set(descriptor_field::kOutputFormat, ThriftValue::String(kParquetOutput));
  out.Set(descriptor_field::kCompressed, ThriftValue::Bool(false));
  out.Set(descriptor_field::kBuckets, ThriftValue::I32(-1));
  out.Set(descriptor_field::kSerde, std::move(serde));
  out.Set(descriptor_field::kBucketColumns, ThriftValue::Strings({}));
  out.Set(descriptor_field::kSortColumns, ThriftValue::List(ThriftType::kStruct));
  out.Set(descriptor_field::kParameters, ThriftValue::StringMap({}));
  out.Set(descriptor_field::kSubDirectories, ThriftValue::Bool(false));
  return out;
}

std::string LowerAt(const std::map<std::string, std::string>& parameters, const char* name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : ToLower(found->second);
}

TableKind KindOf(const std::string& type, const std::map<std::string, std::string>& parameters) {
  const std::string handler = LowerAt(parameters, "storage_handler");
  if (LowerAt(parameters, "table_type") == "iceberg" || handler.find("iceberg") != std::string::npos)
    return TableKind::kIceberg;
  const std::string provider = LowerAt(parameters, "spark.sql.sources.provider");
  const bool plain = provider.empty() || provider == "parquet" || provider == "hive";
  if (!plain || !handler.empty()) return TableKind::kOther;  // Delta, Hudi, a database behind it
  if (type == "EXTERNAL_TABLE") return TableKind::kExternal;
  if (type == "MANAGED_TABLE") return TableKind::kManaged;
  if (type == "VIRTUAL_VIEW" || type == "MATERIALIZED_VIEW") return TableKind::kView;
  return TableKind::kOther;
}

FileFormat FormatOf(const ThriftValue& descriptor) {
  const std::string library = ToLower(descriptor.StructAt(descriptor_field::kSerde).TextAt(serde_field::kLibrary));
  const std::string input = ToLower(descriptor.TextAt(descriptor_field::kInputFormat));
  const bool parquet = library.find("parquet") != std::string::npos && input.find("hoodie") == std::string::npos;
  return parquet ? FileFormat::kParquet : FileFormat::kOther;
}

std::string VersionOf(const HivePartition& partition) {
  ThriftMessage seen;
  seen.body.Set(1, ThriftValue::String(partition.location));
  seen.body.Set(2, WriteColumns(partition.columns));
  seen.body.Set(3, ThriftValue::StringMap(partition.parameters));
  return HashBytes(WriteThrift(seen)).ToHex();  // the metastore itself has none
}

std::string_view SchemeOf(std::string_view location) {
  for (const std::string_view scheme : {"s3://", "s3a://", "s3n://"}) {
    if (location.starts_with(scheme)) return scheme;
  }
  return {};
}

}  // namespace

std::vector<std::string> MetastoreValues(const PartitionValues& values) {
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const auto& value : values) out.push_back(value.value_or(std::string(kNullPartition)));
  return out;
}

Result<std::string> MetastorePartitionName(const std::vector<HiveColumn>& columns, const PartitionValues& values) {
  std::vector<HiveColumn> lower = columns;
  for (HiveColumn& column : lower) column.name = ToLower(column.name);
  return PartitionPath(lower, values);
}

ThriftValue NewMetastoreTable(const HiveTable& table) {
  ThriftValue descriptor = ParquetDescriptor();
  descriptor.Set(descriptor_field::kColumns, WriteColumns(table.columns));
  descriptor.Set(descriptor_field::kLocation, ThriftValue::String(table.location));
  std::map<std::string, std::string> parameters = table.parameters;
  parameters["EXTERNAL"] = "TRUE";
  ThriftValue out;
  out.Set(table_field::kName, ThriftValue::String(table.name.table));
  out.Set(table_field::kDatabase, ThriftValue::String(table.name.database));
  out.Set(table_field::kDescriptor, std::move(descriptor));
  out.Set(table_field::kPartitionKeys, WriteColumns(table.partition_columns));
  out.Set(table_field::kParameters, ThriftValue::StringMap(parameters));
  out.Set(table_field::kType, ThriftValue::String("EXTERNAL_TABLE"));
  return out;
}

Result<HiveTable> ReadMetastoreTable(const ThriftValue& table) {
  const ThriftValue& descriptor = table.StructAt(table_field::kDescriptor);
  HiveTable out{.name = {table.TextAt(table_field::kDatabase), table.TextAt(table_field::kName)}};
  if (out.name.table.empty()) return Corruption("a table without a name");
  out.parameters = table.StringMapAt(table_field::kParameters);
  out.kind = KindOf(table.TextAt(table_field::kType), out.parameters);
  out.format = FormatOf(descriptor);
  out.columns = ReadColumns(descriptor.ItemsAt(descriptor_field::kColumns));
  out.partition_columns = ReadColumns(table.ItemsAt(table_field::kPartitionKeys));
  out.location = descriptor.TextAt(descriptor_field::kLocation);
  return out;
}

ThriftValue NewMetastorePartition(const ThriftValue& table, const HivePartition& partition) {
  ThriftValue descriptor = table.StructAt(table_field::kDescriptor);
  PointTo(descriptor, partition);
  ThriftValue out;
  out.Set(partition_field::kValues, ThriftValue::Strings(MetastoreValues(partition.values)));
  out.Set(partition_field::kDatabase, ThriftValue::String(table.TextAt(table_field::kDatabase)));
  out.Set(partition_field::kTable, ThriftValue::String(table.TextAt(table_field::kName)));
  out.Set(partition_field::kDescriptor, std::move(descriptor));
  out.Set(partition_field::kParameters, ThriftValue::StringMap(WithoutStale(partition.parameters)));
  return out;
}

ThriftValue ChangedMetastorePartition(ThriftValue base, const HivePartition& partition) {
  PointTo(base.Field(partition_field::kDescriptor, ThriftType::kStruct), partition);
  base.Set(partition_field::kParameters, ThriftValue::StringMap(WithoutStale(partition.parameters)));
  return base;
}

Result<HivePartition> ReadMetastorePartition(const ThriftValue& partition) {
  const ThriftValue& descriptor = partition.StructAt(partition_field::kDescriptor);
  HivePartition out;
  for (std::string& value : partition.StringsAt(partition_field::kValues))
    out.values.push_back(value == kNullPartition ? std::nullopt : std::optional(std::move(value)));
  if (out.values.empty()) return Corruption("a partition without values");
  out.location = descriptor.TextAt(descriptor_field::kLocation);
  out.columns = ReadColumns(descriptor.ItemsAt(descriptor_field::kColumns));
  out.parameters = partition.StringMapAt(partition_field::kParameters);
  out.version = VersionOf(out);
  return out;
}

bool HoldsChange(const HivePartition& now, const HivePartition& wanted) {
  const std::map<std::string, std::string> parameters = WithoutStale(wanted.parameters);
  return now.values == wanted.values && now.columns == wanted.columns &&
         WithSchemeOf(now.location, wanted.location) == wanted.location &&
         std::all_of(parameters.begin(), parameters.end(), [&](const auto& one) {
           const auto found = now.parameters.find(one.first);
           return found != now.parameters.end() && found->second == one.second;
         });
}

std::string WithSchemeOf(std::string_view location, std::string_view like) {
  const std::string_view from = SchemeOf(location), to = SchemeOf(like);
  if (from.empty() || to.empty()) return std::string(location);
  return std::string(to) + std::string(location.substr(from.size()));
}

}  // namespace tidegate::catalog
