// Writes a small lake with one table for each thing that readers have to get right; read_tables.py reads it back with
// other engines. Usage: tidegate_iceberg_tables FOLDER
#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/store/local/local_object_store.h"
#include "tidegate/table/catalog_db.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::table {
namespace {

using schema::Field;
using schema::Kind;
using schema::Type;
using Texts = std::vector<std::optional<std::string>>;

constexpr UtcTime kStart{std::chrono::seconds{1'793'700'000}};

void Check(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.ToString().c_str());
  std::exit(1);
}

void Check(const arrow::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "arrow: %s\n", status.ToString().c_str());
  std::exit(1);
}

Field MakeField(int id, const std::string& name, Type type) {
  Field field;
  field.id = id;
  field.name = name;
  field.type = std::move(type);
  return field;
}

schema::Schema MakeSchema(std::vector<Field> fields) {
  schema::Schema out;
  out.fields = std::move(fields);
  return out;
}

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> Build(Builder& builder, const std::vector<std::optional<Value>>& values) {
  for (const auto& value : values) Check(value ? builder.Append(*value) : builder.AppendNull());
  std::shared_ptr<arrow::Array> out;
  Check(builder.Finish(&out));
  return out;
}

std::shared_ptr<arrow::Array> Longs(const std::vector<std::optional<int64_t>>& values) {
  arrow::Int64Builder builder;
  return Build(builder, values);
}

std::shared_ptr<arrow::Array> Ints(const std::vector<std::optional<int32_t>>& values) {
  arrow::Int32Builder builder;
  return Build(builder, values);
}

std::shared_ptr<arrow::Array> Strings(const Texts& values) {
  arrow::StringBuilder builder;
  return Build(builder, values);
}

std::string LittleEndian(int64_t value) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  return out;
}

/// One table under construction: writes Parquet files below its data/ folder and commits them.
class TableMaker {
 public:
  TableMaker(store::LocalObjectStore& lake, std::string folder, schema::Schema schema, PartitionSpec spec,
             std::map<std::string, std::string> properties)
      : lake_(lake), folder_(folder), table_(LakeTable::New(lake, folder, schema, std::move(spec), properties)) {
    mapping_ = properties.contains("schema.name-mapping.default");
    if (!mapping_) MapNames(schema);
  }

  using Column = std::pair<std::shared_ptr<arrow::Field>, std::shared_ptr<arrow::Array>>;

  static Column Of(const std::string& name, std::shared_ptr<arrow::Array> array) {
    return {arrow::field(name, array->type()), array};
  }

  DataFile Write(const std::vector<Column>& columns, Texts partition = {}) {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (const auto& [field, array] : columns) fields.push_back(field), arrays.push_back(array);
    const auto data = arrow::Table::Make(arrow::schema(fields), arrays);
    const std::string key = folder_ + "/data/f" + std::to_string(files_++) + ".parquet";
    const std::string path = *lake_.LocalPath(key);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    auto sink = arrow::io::FileOutputStream::Open(path);
    Check(sink.status());
    Check(parquet::arrow::WriteTable(*data, arrow::default_memory_pool(), *sink, 1024));
    Check((*sink)->Close());
    DataFile file;
    file.location = lake_.Location(key);
    file.record_count = data->num_rows();
    file.file_size_bytes = static_cast<int64_t>(std::filesystem::file_size(path));
    file.spec_id = table_.metadata().default_spec_id;
    file.partition = std::move(partition);
    return file;
  }

  DataFile WriteDeletes(const DataFile& of, const std::vector<int64_t>& positions) {
    Texts paths(positions.size(), of.location);
    const auto with_id = [](const std::string& name, std::shared_ptr<arrow::Array> array, const std::string& id) {
      return Column(arrow::field(name, array->type(), false, arrow::key_value_metadata({"PARQUET:field_id"}, {id})),
                    array);
    };
    DataFile file = Write({with_id("file_path", Strings(paths), "2147483546"),
                           with_id("pos", Longs({positions.begin(), positions.end()}), "2147483545")},
                          of.partition);
    file.content = FileContent::kPositionDeletes;
    file.lower_bounds[2147483546] = file.upper_bounds[2147483546] = of.location;
    file.referenced_data_file = of.location;
    return file;
  }

  void Commit(Change change) {
    if (change.schema && !mapping_) MapNames(*change.schema);
    for (const auto& [key, value] : properties_) change.set_properties.emplace(key, value);
    Check(table_.Commit(change, kStart), folder_.c_str());
  }

  void Append(std::vector<DataFile> files) {
    Change change;
    change.add = std::move(files);
    Commit(change);
  }

  CatalogTable Entry() const {
    const size_t slash = folder_.find('/');
    return {folder_.substr(0, slash), folder_.substr(slash + 1), table_.MetadataLocation()};
  }

 private:
  static std::vector<NameMapping> MappingOf(const std::vector<Field>& fields) {
    std::vector<NameMapping> out;
    for (const Field& field : fields) out.push_back({field.id, {field.name}, MappingOf(field.type.children)});
    return out;
  }

  void MapNames(const schema::Schema& schema) {
    properties_["schema.name-mapping.default"] = WriteNameMapping(MappingOf(schema.fields));
  }

  store::LocalObjectStore& lake_;
  std::string folder_;
  LakeTable table_;
  bool mapping_ = false;
  std::map<std::string, std::string> properties_;
  int files_ = 0;
};

constexpr auto Of = TableMaker::Of;

schema::Schema IdAndName() {
  return MakeSchema({MakeField(1, "id", Kind::kLong), MakeField(2, "name", Kind::kString)});
}

CatalogTable WriteAppend(store::LocalObjectStore& lake) {
  TableMaker table(lake, "shop/append", IdAndName(), {}, {});
  for (const int64_t base : {0, 10, 20}) {
    DataFile file = table.Write(
        {Of("id", Longs({base + 1, base + 2})), Of("name", Strings({"a" + std::to_string(base), std::nullopt}))});
    file.value_counts = {{1, 2}, {2, 2}};
    file.null_value_counts = {{1, 0}, {2, 1}};
    file.column_sizes = {{1, 60}, {2, 50}};
    file.lower_bounds = {{1, LittleEndian(base + 1)}, {2, "a" + std::to_string(base)}};
    file.upper_bounds = {{1, LittleEndian(base + 2)}, {2, "a" + std::to_string(base)}};
    file.split_offsets = {4};
    table.Append({file});
  }
  return table.Entry();
}

/// Deletes by position, then the delete file is replaced by a larger one in the commit that adds a data file.
CatalogTable WriteDeletes(store::LocalObjectStore& lake) {
  TableMaker table(lake, "shop/deletes", IdAndName(), {}, {});
  const DataFile first =
      table.Write({Of("id", Longs({1, 2, 3, 4, 5})), Of("name", Strings({"a", "b", "c", "d", "e"}))});
  const DataFile untouched = table.Write({Of("id", Longs({6, 7})), Of("name", Strings({"f", "g"}))});
  table.Append({first, untouched});
  const DataFile deletes = table.WriteDeletes(first, {1});
  Change change;
  change.operation = "overwrite";
  change.add = {deletes};
  table.Commit(change);
  const DataFile newer = table.Write({Of("id", Longs({2, 4})), Of("name", Strings({"B", "D"}))});
  change.add = {newer, table.WriteDeletes(first, {1, 3})};
  change.remove = {deletes.location};
  table.Commit(change);
  return table.Entry();
}

CatalogTable WriteAddedColumn(store::LocalObjectStore& lake) {
  TableMaker table(lake, "shop/added_column", MakeSchema({MakeField(1, "id", Kind::kLong)}), {}, {});
  table.Append({table.Write({Of("id", Longs({1, 2}))})});
  Change change;
  change.schema = IdAndName();
  change.add = {table.Write({Of("name", Strings({"x", "y"})), Of("id", Longs({3, 4}))})};
  table.Commit(change);
  return table.Entry();
}

CatalogTable WriteReplaceAll(store::LocalObjectStore& lake) {
  TableMaker table(lake, "shop/replace_all", IdAndName(), {}, {});
  const DataFile old = table.Write({Of("id", Longs({1, 2, 3})), Of("name", Strings({"a", "b", "c"}))});
  table.Append({old});
  Change change;
  change.operation = "overwrite";
  change.add = {table.WriteDeletes(old, {0})};
  table.Commit(change);
  change.remove_all = true;
  change.add = {table.Write({Of("id", Longs({9})), Of("name", Strings({"z"}))})};
  table.Commit(change);
  Change nothing;
  table.Commit(nothing);  // the manifests that hold only deleted entries go now
  return table.Entry();
}

/// Identity partitions as constants for columns that the files lack, with deletes, and a null among the values.
CatalogTable WriteConstants(store::LocalObjectStore& lake) {
  schema::Schema schema =
      MakeSchema({MakeField(1, "id", Kind::kLong), MakeField(2, "contract_version", Kind::kString),
                  MakeField(3, "etl_date", Kind::kString), MakeField(4, "etl_hour", Kind::kString)});
  PartitionSpec spec;
  spec.spec_id = 1;
  spec.fields = {
      {2, 1000, "contract_version", "identity"}, {3, 1001, "etl_date", "identity"}, {4, 1002, "etl_hour", "identity"}};
  TableMaker table(lake, "shop/constants", schema, spec, {});
  const DataFile v1 = table.Write({Of("id", Longs({1, 2}))}, {"v1", "2026-11-02", std::nullopt});
  const DataFile v2 = table.Write({Of("id", Longs({3, 4, 5}))}, {"v2", "2026-11-03", "03"});
  table.Append({v1, v2});
  Change change;
  change.operation = "overwrite";
  change.add = {table.WriteDeletes(v1, {0}), table.WriteDeletes(v2, {2}),
                table.Write({Of("id", Longs({5}))}, {"v2", "2026-11-03", "04"})};
  table.Commit(change);
  return table.Entry();
}

/// Adopted files: another name, another order, a narrower type, a column that the table lacks, one that the file lacks.
CatalogTable WriteMapped(store::LocalObjectStore& lake) {
  const std::string mapping =
      WriteNameMapping({{1, {"id"}, {}}, {2, {"new_name", "old_name"}, {}}, {3, {"extra"}, {}}, {4, {"hidden"}, {}}});
  TableMaker table(lake, "shop/mapped",
                   MakeSchema({MakeField(1, "id", Kind::kLong), MakeField(2, "new_name", Kind::kString),
                               MakeField(3, "extra", Kind::kDouble)}),
                   {}, {{"schema.name-mapping.default", mapping}});
  table.Append(
      {table.Write({Of("hidden", Strings({"?", "?"})), Of("old_name", Strings({"a", "b"})), Of("id", Ints({1, 2}))})});
  arrow::DoubleBuilder doubles;
  table.Append({table.Write({Of("id", Longs({3})), Of("new_name", Strings({"c"})),
                             Of("extra", Build(doubles, std::vector<std::optional<double>>{1.5}))})});
  return table.Entry();
}

CatalogTable WriteEmpty(store::LocalObjectStore& lake, bool with_file) {
  TableMaker table(lake, with_file ? "shop/empty_file" : "shop/empty", IdAndName(), {}, {});
  if (with_file)
    table.Append({table.Write({Of("id", Longs({})), Of("name", Strings({}))})});
  else
    table.Append({});
  return table.Entry();
}

/// Many commits with merging at a low count; files leave again, out of merged manifests too.
CatalogTable WriteMerged(store::LocalObjectStore& lake) {
  TableMaker table(lake, "shop/merged", IdAndName(), {}, {{"commit.manifest.min-count-to-merge", "3"}});
  std::vector<DataFile> files;
  for (int64_t i = 0; i < 12; ++i) {
    files.push_back(table.Write({Of("id", Longs({i})), Of("name", Strings({std::to_string(i)}))}));
    Change change;
    change.add = {files.back()};
    if (i % 4 == 3) {
      change.operation = "overwrite";
      change.remove = {files[static_cast<size_t>(i) - 2].location};
    }
    table.Commit(change);
  }
  return table.Entry();
}

CatalogTable WriteTypes(store::LocalObjectStore& lake) {
  TableMaker table(
      lake, "shop/types",
      MakeSchema(
          {MakeField(1, "id", Kind::kLong), MakeField(2, "price", Type::Decimal(9, 2)),
           MakeField(3, "day", Kind::kDate), MakeField(4, "at", Kind::kTimestamp),
           MakeField(5, "at_utc", Kind::kTimestampTz),
           MakeField(6, "tags", Type::List(MakeField(7, "element", Kind::kString))),
           MakeField(8, "place", Type::Struct({MakeField(9, "x", Kind::kInt), MakeField(10, "y", Kind::kString)}))}),
      {}, {});
  arrow::Decimal128Builder prices(arrow::decimal128(9, 2));
  arrow::Date32Builder days;
  arrow::TimestampBuilder at(arrow::timestamp(arrow::TimeUnit::MICRO), arrow::default_memory_pool());
  arrow::TimestampBuilder at_utc(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), arrow::default_memory_pool());
  const auto text = std::make_shared<arrow::StringBuilder>();
  arrow::ListBuilder tags(arrow::default_memory_pool(), text, arrow::list(arrow::field("element", arrow::utf8())));
  Check(tags.Append());
  Check(text->Append("p"));
  Check(text->Append("q"));
  Check(tags.AppendNull());
  std::shared_ptr<arrow::Array> tag_array;
  Check(tags.Finish(&tag_array));
  const auto place =
      arrow::StructArray::Make({Ints({7, std::nullopt}), Strings({"n", "m"})}, std::vector<std::string>{"x", "y"});
  Check(place.status());
  table.Append({table.Write(
      {Of("id", Longs({1, 2})),
       Of("price", Build(prices, std::vector<std::optional<arrow::Decimal128>>{arrow::Decimal128(1234), std::nullopt})),
       Of("day", Build(days, std::vector<std::optional<int32_t>>{20760, -1})),
       Of("at", Build(at, std::vector<std::optional<int64_t>>{1'793'700'000'123'456, std::nullopt})),
       Of("at_utc", Build(at_utc, std::vector<std::optional<int64_t>>{1'793'700'000'000'001, -1})),
       Of("tags", tag_array), Of("place", *place)})});
  return table.Entry();
}

}  // namespace
}  // namespace tidegate::table

int main(int argc, char** argv) {
  using namespace tidegate;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  auto lake = store::LocalObjectStore::Make(argv[1], {.create_root = true});
  table::Check(lake.ok() ? Status::Ok() : lake.status(), "open");
  std::vector<table::CatalogTable> tables;
  for (const auto make : {table::WriteAppend, table::WriteDeletes, table::WriteAddedColumn, table::WriteReplaceAll,
                          table::WriteConstants, table::WriteMapped, table::WriteMerged, table::WriteTypes}) {
    tables.push_back(make(**lake));
  }
  for (const bool with_file : {false, true}) tables.push_back(table::WriteEmpty(**lake, with_file));
  table::Check(table::RefreshCatalogDb(std::filesystem::path(argv[1]) / table::kCatalogFile, tables).status(),
               "catalog");
  return 0;
}
