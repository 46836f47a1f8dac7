#include "tidegate/table/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/table/avro.h"

namespace tidegate::table {
namespace {

using testing::HasSubstr;

PartitionSpec HourSpec() { return {3, {{2, 1000, "etl_hour", "identity"}, {3, 1001, "odd name", "identity"}}}; }

schema::Schema SmallSchema() {
  schema::Schema out;
  schema::Field field;
  field.id = 1;
  field.name = "id";
  out.fields = {field};
  return out;
}

DataFile FullFile() {
  DataFile file;
  file.location = "memory:/t/data/a.parquet";
  file.spec_id = 3;
  file.partition = {"03", std::nullopt};
  file.record_count = 10;
  file.file_size_bytes = 1234;
  file.column_sizes = {{1, 100}};
  file.value_counts = {{1, 10}};
  file.null_value_counts = {{1, 0}};
  file.nan_value_counts = {{2, 1}};
  file.lower_bounds = {{1, std::string("\0\1", 2)}};
  file.upper_bounds = {{1, std::string("\xFF", 1)}};
  file.split_offsets = {4, 1000};
  file.sort_order_id = 0;
  file.key_metadata = "k";
  return file;
}

void ExpectSame(const DataFile& a, const DataFile& b) {
  EXPECT_EQ(a.content, b.content);
  EXPECT_EQ(a.location, b.location);
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.spec_id, b.spec_id);
  EXPECT_EQ(a.partition, b.partition);
  EXPECT_EQ(a.record_count, b.record_count);
  EXPECT_EQ(a.file_size_bytes, b.file_size_bytes);
  EXPECT_EQ(a.column_sizes, b.column_sizes);
  EXPECT_EQ(a.value_counts, b.value_counts);
  EXPECT_EQ(a.null_value_counts, b.null_value_counts);
  EXPECT_EQ(a.nan_value_counts, b.nan_value_counts);
  EXPECT_EQ(a.lower_bounds, b.lower_bounds);
  EXPECT_EQ(a.upper_bounds, b.upper_bounds);
  EXPECT_EQ(a.split_offsets, b.split_offsets);
  EXPECT_EQ(a.equality_ids, b.equality_ids);
  EXPECT_EQ(a.sort_order_id, b.sort_order_id);
  EXPECT_EQ(a.key_metadata, b.key_metadata);
  EXPECT_EQ(a.referenced_data_file, b.referenced_data_file);
}

ManifestFile From(bool deletes = false) {
  ManifestFile from;
  from.spec_id = 3;
  from.deletes = deletes;
  from.sequence_number = 9;
  from.added_snapshot_id = 900;
  return from;
}

TEST(ManifestTest, EveryFieldOfAFileSurvives) {
  ManifestEntry added;
  added.file = FullFile();
  ManifestEntry existing = added;
  existing.status = EntryStatus::kExisting;
  existing.snapshot_id = 500;
  existing.sequence_number = 5;
  existing.file_sequence_number = 4;
  ManifestEntry deleted = existing;
  deleted.status = EntryStatus::kDeleted;
  const std::string bytes = WriteManifest(SmallSchema(), HourSpec(), false, {added, existing, deleted});
  const auto entries = ReadManifest(bytes, From(), HourSpec());
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  ASSERT_EQ(entries->size(), 3u);
  for (const ManifestEntry& entry : *entries) ExpectSame(entry.file, FullFile());
  EXPECT_EQ((*entries)[0].status, EntryStatus::kAdded);
  EXPECT_EQ((*entries)[0].snapshot_id, 900);
  EXPECT_EQ((*entries)[0].sequence_number, 9);
  EXPECT_EQ((*entries)[0].file_sequence_number, 9);
  EXPECT_EQ((*entries)[1].snapshot_id, 500);
  EXPECT_EQ((*entries)[1].sequence_number, 5);
  EXPECT_EQ((*entries)[1].file_sequence_number, 4);
  EXPECT_EQ((*entries)[2].status, EntryStatus::kDeleted);
}

TEST(ManifestTest, DeleteFilesKeepTheirReference) {
  ManifestEntry entry;
  entry.file = FullFile();
  entry.file.content = FileContent::kPositionDeletes;
  entry.file.referenced_data_file = "memory:/t/data/b.parquet";
  ManifestEntry equality = entry;
  equality.file.content = FileContent::kEqualityDeletes;
  equality.file.equality_ids = {1, 2};
  const std::string bytes = WriteManifest(SmallSchema(), HourSpec(), true, {entry, equality});
  const auto entries = ReadManifest(bytes, From(true), HourSpec());
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  ExpectSame((*entries)[0].file, entry.file);
  ExpectSame((*entries)[1].file, equality.file);
  EXPECT_EQ(ReadManifest(bytes, From(false), HourSpec()).status().code(), Code::kCorruption);
}

TEST(ManifestTest, TheHeaderSaysWhatTheSpecAsksFor) {
  const std::string bytes = WriteManifest(SmallSchema(), HourSpec(), true, {});
  const auto reader = AvroReader::Open(bytes);
  ASSERT_TRUE(reader.ok());
  const auto& header = reader->metadata();
  EXPECT_EQ(header.at("schema-id"), "0");
  EXPECT_EQ(header.at("partition-spec-id"), "3");
  EXPECT_EQ(header.at("format-version"), "2");
  EXPECT_EQ(header.at("content"), "deletes");
  EXPECT_THAT(header.at("schema"), HasSubstr(R"("type":"struct")"));
  EXPECT_THAT(header.at("partition-spec"), HasSubstr(R"("source-id":2,"field-id":1000)"));
  EXPECT_THAT(header.at("avro.schema"), HasSubstr(R"("name":"odd_x20name")"));
}

TEST(ManifestTest, TheSummaryCountsByStatusAndBoundsPartitions) {
  std::vector<ManifestEntry> entries(3);
  for (auto& entry : entries) entry.file = FullFile();
  entries[1].status = EntryStatus::kExisting;
  entries[1].sequence_number = 2;
  entries[1].file.partition = {"01", std::nullopt};
  entries[2].status = EntryStatus::kDeleted;
  entries[2].sequence_number = 1;
  entries[2].file.partition = {std::nullopt, std::nullopt};
  const ManifestFile row = SummarizeManifest(HourSpec(), false, 7, entries);
  EXPECT_EQ(row.added_files, 1);
  EXPECT_EQ(row.existing_files, 1);
  EXPECT_EQ(row.deleted_files, 1);
  EXPECT_EQ(row.added_rows + row.existing_rows + row.deleted_rows, 30);
  EXPECT_EQ(row.min_sequence_number, 2);  // of live files only
  EXPECT_EQ(row.sequence_number, 7);
  EXPECT_TRUE((*row.partitions)[0].contains_null);
  EXPECT_EQ((*row.partitions)[0].lower_bound, "01");
  EXPECT_EQ((*row.partitions)[0].upper_bound, "03");
  EXPECT_FALSE((*row.partitions)[1].lower_bound.has_value());
}

TEST(ManifestListTest, EveryFieldSurvives) {
  ManifestFile row = From(true);
  row.location = "memory:/t/metadata/m0.avro";
  row.length_bytes = 4000;
  row.min_sequence_number = 2;
  row.added_files = 1;
  row.existing_files = 2;
  row.deleted_files = 3;
  row.added_rows = 10;
  row.existing_rows = 20;
  row.deleted_rows = 30;
  row.partitions = {{true, std::nullopt, "a", "b"}, {false, true, std::nullopt, std::nullopt}};
  row.key_metadata = "secret";
  ManifestFile bare = From();
  bare.location = "memory:/t/metadata/m1.avro";
  bare.partitions.emplace();
  const auto list = ReadManifestList(WriteManifestList({}, {row, bare}));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  ASSERT_EQ(list->size(), 2u);
  const ManifestFile& back = (*list)[0];
  EXPECT_EQ(back.location, row.location);
  EXPECT_EQ(back.length_bytes, 4000);
  EXPECT_EQ(back.spec_id, 3);
  EXPECT_TRUE(back.deletes);
  EXPECT_EQ(back.sequence_number, 9);
  EXPECT_EQ(back.min_sequence_number, 2);
  EXPECT_EQ(back.added_snapshot_id, 900);
  EXPECT_EQ(back.added_files, 1);
  EXPECT_EQ(back.existing_files, 2);
  EXPECT_EQ(back.deleted_files, 3);
  EXPECT_EQ(back.added_rows, 10);
  EXPECT_EQ(back.existing_rows, 20);
  EXPECT_EQ(back.deleted_rows, 30);
  ASSERT_EQ(back.partitions->size(), 2u);
  EXPECT_TRUE((*back.partitions)[0].contains_null);
  EXPECT_EQ((*back.partitions)[0].upper_bound, "b");
  EXPECT_EQ((*back.partitions)[1].contains_nan, true);
  EXPECT_EQ(back.key_metadata, "secret");
  EXPECT_TRUE((*list)[1].partitions->empty());
  EXPECT_FALSE((*list)[1].has_live_files());
}

TEST(ManifestListTest, AnEmptyListIsAList) {
  const auto list = ReadManifestList(WriteManifestList({}, {}));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  EXPECT_TRUE(list->empty());
}

/// A file of one row with a schema of the test's own: what another engine, another version or an attacker writes.
std::string Foreign(const std::string& fields, const std::function<void(AvroWriter&)>& row) {
  AvroWriter writer(R"({"type":"record","name":"manifest_entry","fields":[)" + fields + "]}", {});
  row(writer);
  writer.EndRow();
  return writer.Finish();
}

constexpr char kMinimalFile[] =
    R"({"name":"extra","type":["null",{"type":"map","values":"string"}],"field-id":999},)"
    R"({"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[)"
    R"({"name":"file_size_in_bytes","type":"long","field-id":104},{"name":"record_count","type":"long","field-id":103},)"
    R"({"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[)"
    R"({"name":"other","type":["null","PART"],"field-id":1000}]}},)"
    R"({"name":"file_format","type":"string","field-id":101},{"name":"file_path","type":"string","field-id":100},)"
    R"({"name":"content","type":"int","field-id":134}]}},{"name":"status","type":"int","field-id":0})";

std::string MinimalSchema(const std::string& partition_type) {
  std::string out = kMinimalFile;
  return out.replace(out.find("\"PART\""), 6, partition_type);
}

void WriteMinimalRow(AvroWriter& out, int status) {
  out.Null();      // extra
  out.Long(1234);  // size
  out.Long(10);    // rows
  out.Some();      // partition
  out.Bytes("03");
  out.Bytes("PARQUET");
  out.Bytes("memory:/t/data/a.parquet");
  out.Int(0);  // content
  out.Int(status);
}

TEST(ForeignManifestTest, OtherOrderExtraAndMissingOptionalFieldsAreRead) {
  const std::string bytes = Foreign(MinimalSchema("\"string\""), [](AvroWriter& out) { WriteMinimalRow(out, 1); });
  const auto entries = ReadManifest(bytes, From(), HourSpec());
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  const DataFile& file = (*entries)[0].file;
  EXPECT_EQ(file.location, "memory:/t/data/a.parquet");
  EXPECT_EQ(file.partition[0], "03");
  EXPECT_FALSE(file.partition[1].has_value());
  EXPECT_EQ(file.record_count, 10);
  EXPECT_EQ((*entries)[0].sequence_number, 9);
}

TEST(ForeignManifestTest, AnExistingEntryWithoutSequenceNumberIsCorruptionUnlessItIsFromV1) {
  const std::string bytes = Foreign(MinimalSchema("\"string\""), [](AvroWriter& out) { WriteMinimalRow(out, 0); });
  EXPECT_EQ(ReadManifest(bytes, From(), HourSpec()).status().code(), Code::kCorruption);
  ManifestFile v1 = From();
  v1.sequence_number = 0;
  const auto entries = ReadManifest(bytes, v1, HourSpec());
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  EXPECT_EQ((*entries)[0].sequence_number, 0);
}

TEST(ForeignManifestTest, PartitionValuesThatAreNoTextAreUnsupported) {
  const std::string bytes = Foreign(MinimalSchema("\"bytes\""), [](AvroWriter& out) { WriteMinimalRow(out, 1); });
  const Status status = ReadManifest(bytes, From(), HourSpec()).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("'etl_hour'"));
}

TEST(ForeignManifestTest, NonsenseIsCorruption) {
  for (const int status : {-1, 3}) {
    const std::string bytes =
        Foreign(MinimalSchema("\"string\""), [&](AvroWriter& out) { WriteMinimalRow(out, status); });
    EXPECT_EQ(ReadManifest(bytes, From(), HourSpec()).status().code(), Code::kCorruption) << status;
  }
  const std::string no_file =
      Foreign(R"({"name":"status","type":"int","field-id":0})", [](AvroWriter& out) { out.Int(1); });
  EXPECT_EQ(ReadManifest(no_file, From(), HourSpec()).status().code(), Code::kCorruption);
  EXPECT_EQ(ReadManifest("", From(), HourSpec()).status().code(), Code::kCorruption);
  EXPECT_EQ(ReadManifestList(no_file).status().code(), Code::kUnsupported);  // no sequence number: format v1
}

TEST(ForeignManifestTest, MetricsOfAnotherShapeAreCorruption) {
  for (const char* field : {R"({"name":"column_sizes","type":"long","field-id":108})",
                            R"({"name":"column_sizes","type":{"type":"array","items":"long"},"field-id":108})",
                            R"({"name":"split_offsets","type":{"type":"array","items":"string"},"field-id":132})"}) {
    std::string schema = MinimalSchema("\"string\"");
    schema.insert(schema.find(R"({"name":"file_size_in_bytes")"), std::string(field) + ",");
    const std::string bytes = Foreign(schema, [&](AvroWriter& out) {
      out.Null();
      out.Long(1);  // a number, or a list of one item
      if (std::string_view(field).find("array") != std::string_view::npos) out.Long(0), out.Long(0);
      out.Long(1234);
      out.Long(10);
      out.Some();
      for (const char* text : {"03", "PARQUET", "memory:/x"}) out.Bytes(text);
      out.Int(0);
      out.Int(1);
    });
    EXPECT_EQ(ReadManifest(bytes, From(), HourSpec()).status().code(), Code::kCorruption) << field;
  }
}

}  // namespace
}  // namespace tidegate::table
