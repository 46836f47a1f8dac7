#include "tidegate/catalog/glue/glue_json.h"

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"

namespace tidegate::catalog {
namespace {

constexpr const char* kParquetInput = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat";
constexpr const char* kParquetOutput = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat";
constexpr const char* kParquetSerde = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe";

OrderedJson ColumnsJson(const std::vector<HiveColumn>& columns) {
  OrderedJson out = OrderedJson::array();
  for (const HiveColumn& column : columns) out.push_back(OrderedJson{{"Name", column.name}, {"Type", column.type}});
  return out;
}

std::vector<HiveColumn> ReadColumns(const Json& object, const char* field) {
  std::vector<HiveColumn> out;
  const auto list = object.find(field);
  if (list == object.end() || !list->is_array()) return out;
  for (const Json& column : *list) {
    if (column.is_object()) out.push_back({TextOr(column, "Name"), TextOr(column, "Type")});
  }
  return out;
}

std::map<std::string, std::string> ReadParameters(const Json& object) {
  std::map<std::string, std::string> out;
  const auto parameters = object.find("Parameters");
  if (parameters == object.end() || !parameters->is_object()) return out;
  for (const auto& [name, value] : parameters->items()) {
    if (value.is_string()) out[name] = value.get<std::string>();
  }
  return out;
}

OrderedJson ParametersJson(const std::map<std::string, std::string>& parameters) {
  OrderedJson out = OrderedJson::object();
  for (const auto& [name, value] : parameters) out[name] = value;
  return out;
}

/// Never null: an empty object where there is none.
const Json& DescriptorOf(const Json& object) {
  static const Json kNone = Json::object();
  const auto found = object.find("StorageDescriptor");
  return found != object.end() && found->is_object() ? *found : kNone;
}

TableKind KindOf(const Json& table, const std::map<std::string, std::string>& parameters) {
  const auto format = parameters.find("table_type");
  if (format != parameters.end() && ToLower(format->second) == "iceberg") return TableKind::kIceberg;
  const std::string type = TextOr(table, "TableType");
  if (type == "EXTERNAL_TABLE") return TableKind::kExternal;
  if (type == "MANAGED_TABLE") return TableKind::kManaged;
  if (type == "VIRTUAL_VIEW" || type == "MATERIALIZED_VIEW") return TableKind::kView;
  return TableKind::kOther;
}

FileFormat FormatOf(const Json& descriptor) {
  const auto serde = descriptor.find("SerdeInfo");
  const std::string library =
      serde == descriptor.end() || !serde->is_object() ? "" : TextOr(*serde, "SerializationLibrary");
  const bool parquet = ToLower(library).find("parquet") != std::string::npos ||
                       ToLower(TextOr(descriptor, "InputFormat")).find("parquet") != std::string::npos;
  return parquet ? FileFormat::kParquet : FileFormat::kOther;
}

OrderedJson ParquetDescriptor() {
  return OrderedJson{{"InputFormat", kParquetInput},
                     {"OutputFormat", kParquetOutput},
                     {"SerdeInfo", OrderedJson{{"SerializationLibrary", kParquetSerde},
                                               {"Parameters", OrderedJson{{"serialization.format", "1"}}}}}};
}

}  // namespace

OrderedJson GlueValues(const PartitionValues& values) {
  OrderedJson out = OrderedJson::array();
  for (const auto& value : values) out.push_back(value.value_or(std::string(kNullPartition)));
  return out;
}

PartitionValues ReadGlueValues(const Json& partition, const char* field) {
  PartitionValues out;
  const auto values = partition.find(field);
  if (values == partition.end() || !values->is_array()) return out;
  for (const Json& value : *values) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    out.push_back(text == kNullPartition ? std::nullopt : std::optional(text));
  }
  return out;
}

OrderedJson GlueTableInput(const HiveTable& table) {
  OrderedJson descriptor = ParquetDescriptor();
  descriptor["Columns"] = ColumnsJson(table.columns);
  descriptor["Location"] = table.location;
  OrderedJson parameters = ParametersJson(table.parameters);
  parameters["EXTERNAL"] = "TRUE";
  parameters["classification"] = "parquet";
  return OrderedJson{{"Name", table.name.table},
                     {"TableType", "EXTERNAL_TABLE"},
                     {"Parameters", std::move(parameters)},
                     {"StorageDescriptor", std::move(descriptor)},
                     {"PartitionKeys", ColumnsJson(table.partition_columns)}};
}

Result<HiveTable> ReadGlueTable(const Json& table) {
  HiveTable out;
  const Json& descriptor = DescriptorOf(table);
  TG_ASSIGN_OR_RETURN(out.name.table, RequireText(table, "Name"));
  out.name.database = TextOr(table, "DatabaseName");
  out.parameters = ReadParameters(table);
  out.kind = KindOf(table, out.parameters);
  out.format = FormatOf(descriptor);
  out.columns = ReadColumns(descriptor, "Columns");
  out.partition_columns = ReadColumns(table, "PartitionKeys");
  out.location = TextOr(descriptor, "Location");
  return out;
}

OrderedJson GluePartitionInput(const Json& base, const HivePartition& partition) {
  OrderedJson descriptor = DescriptorOf(base);
  descriptor["Location"] = partition.location;
  descriptor["Columns"] = ColumnsJson(partition.columns);
  return OrderedJson{{"Values", GlueValues(partition.values)},
                     {"StorageDescriptor", std::move(descriptor)},
                     {"Parameters", ParametersJson(partition.parameters)}};
}

Result<HivePartition> ReadGluePartition(const Json& partition) {
  HivePartition out;
  const Json& descriptor = DescriptorOf(partition);
  out.values = ReadGlueValues(partition);
  out.location = TextOr(descriptor, "Location");
  out.columns = ReadColumns(descriptor, "Columns");
  out.parameters = ReadParameters(partition);
  if (out.values.empty()) return Corruption("a partition without values");
  const OrderedJson seen{{"location", out.location},
                         {"columns", ColumnsJson(out.columns)},
                         {"parameters", ParametersJson(out.parameters)}};
  out.version = HashBytes(DumpJson(seen)).ToHex();  // Glue itself has none
  return out;
}

}  // namespace tidegate::catalog
