#include "tidegate/table/manifest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/table/avro.h"

namespace tidegate::table {
namespace {

// ---------------------------------------------------------------------------------------------------------------------
// Schemas of the two files. One table of ids and names serves writer and reader.

struct FieldName {
  int id;
  const char* name;
};

constexpr FieldName kStatus{0, "status"};
constexpr FieldName kSnapshotId{1, "snapshot_id"};
constexpr FieldName kDataFile{2, "data_file"};
constexpr FieldName kSequenceNumber{3, "sequence_number"};
constexpr FieldName kFileSequenceNumber{4, "file_sequence_number"};

constexpr FieldName kContent{134, "content"};
constexpr FieldName kFilePath{100, "file_path"};
constexpr FieldName kFileFormat{101, "file_format"};
constexpr FieldName kPartition{102, "partition"};
constexpr FieldName kRecordCount{103, "record_count"};
constexpr FieldName kFileSize{104, "file_size_in_bytes"};
constexpr FieldName kColumnSizes{108, "column_sizes"};
constexpr FieldName kValueCounts{109, "value_counts"};
constexpr FieldName kNullValueCounts{110, "null_value_counts"};
constexpr FieldName kNanValueCounts{137, "nan_value_counts"};
constexpr FieldName kLowerBounds{125, "lower_bounds"};
constexpr FieldName kUpperBounds{128, "upper_bounds"};
constexpr FieldName kKeyMetadata{131, "key_metadata"};
constexpr FieldName kSplitOffsets{132, "split_offsets"};
constexpr FieldName kEqualityIds{135, "equality_ids"};
constexpr FieldName kSortOrderId{140, "sort_order_id"};
constexpr FieldName kReferencedDataFile{143, "referenced_data_file"};

constexpr FieldName kManifestPath{500, "manifest_path"};
constexpr FieldName kManifestLength{501, "manifest_length"};
constexpr FieldName kSpecId{502, "partition_spec_id"};
constexpr FieldName kManifestContent{517, "content"};
constexpr FieldName kManifestSequence{515, "sequence_number"};
constexpr FieldName kMinSequence{516, "min_sequence_number"};
constexpr FieldName kAddedSnapshotId{503, "added_snapshot_id"};
constexpr FieldName kAddedFiles{504, "added_files_count"};
constexpr FieldName kExistingFiles{505, "existing_files_count"};
constexpr FieldName kDeletedFiles{506, "deleted_files_count"};
constexpr FieldName kAddedRows{512, "added_rows_count"};
constexpr FieldName kExistingRows{513, "existing_rows_count"};
constexpr FieldName kDeletedRows{514, "deleted_rows_count"};
constexpr FieldName kPartitions{507, "partitions"};
constexpr FieldName kListKeyMetadata{519, "key_metadata"};
constexpr FieldName kContainsNull{509, "contains_null"};
constexpr FieldName kContainsNan{518, "contains_nan"};
constexpr FieldName kSummaryLower{510, "lower_bound"};
constexpr FieldName kSummaryUpper{511, "upper_bound"};

/// JSON text that never throws: bytes of a name that are not UTF-8 are replaced.
OrderedJson Required(const FieldName& field, OrderedJson type) {
  OrderedJson out = OrderedJson::object();
  out["name"] = field.name;
  out["type"] = std::move(type);
  out["field-id"] = field.id;
  return out;
}

OrderedJson Optional(const FieldName& field, OrderedJson type) {
  OrderedJson out = OrderedJson::object();
  out["name"] = field.name;
  out["type"] = OrderedJson::array({"null", std::move(type)});
  out["default"] = nullptr;
  out["field-id"] = field.id;
  return out;
}

OrderedJson RecordOf(const std::string& name, OrderedJson fields) {
  OrderedJson out = OrderedJson::object();
  out["type"] = "record";
  out["name"] = name;
  out["fields"] = std::move(fields);
  return out;
}

/// Avro's maps have text keys only; Iceberg stores a map of ints as a list of pairs.
OrderedJson MapOf(int key_id, int value_id, const char* value) {
  OrderedJson fields = OrderedJson::array();
  fields.push_back(Required({key_id, "key"}, "int"));
  fields.push_back(Required({value_id, "value"}, value));
  OrderedJson out = OrderedJson::object();
  out["type"] = "array";
  out["items"] = RecordOf("k" + std::to_string(key_id) + "_v" + std::to_string(value_id), std::move(fields));
  out["logicalType"] = "map";
  return out;
}

OrderedJson ListOf(int element_id, OrderedJson type) {
  OrderedJson out = OrderedJson::object();
  out["type"] = "array";
  out["items"] = std::move(type);
  out["element-id"] = element_id;
  return out;
}

/// A partition field's name as Avro allows it: other bytes become _xHH.
std::string AvroName(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (letter || (!out.empty() && c >= '0' && c <= '9')) {
      out += c;
    } else {
      static constexpr char kHex[] = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += {'_', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out.empty() ? "_" : out;
}

OrderedJson PartitionRecord(const PartitionSpec& spec) {
  OrderedJson fields = OrderedJson::array();
  for (const PartitionField& field : spec.fields) {
    const std::string name = AvroName(field.name);
    fields.push_back(Optional({field.field_id, name.c_str()}, "string"));
    if (name != field.name) fields.back()["iceberg-field-name"] = field.name;
  }
  return RecordOf("r102", std::move(fields));
}

std::string EntrySchema(const PartitionSpec& spec) {
  OrderedJson file = OrderedJson::array();
  file.push_back(Required(kContent, "int"));
  file.push_back(Required(kFilePath, "string"));
  file.push_back(Required(kFileFormat, "string"));
  file.push_back(Required(kPartition, PartitionRecord(spec)));
  file.push_back(Required(kRecordCount, "long"));
  file.push_back(Required(kFileSize, "long"));
  file.push_back(Optional(kColumnSizes, MapOf(117, 118, "long")));
  file.push_back(Optional(kValueCounts, MapOf(119, 120, "long")));
  file.push_back(Optional(kNullValueCounts, MapOf(121, 122, "long")));
  file.push_back(Optional(kNanValueCounts, MapOf(138, 139, "long")));
  file.push_back(Optional(kLowerBounds, MapOf(126, 127, "bytes")));
  file.push_back(Optional(kUpperBounds, MapOf(129, 130, "bytes")));
  file.push_back(Optional(kKeyMetadata, "bytes"));
  file.push_back(Optional(kSplitOffsets, ListOf(133, "long")));
  file.push_back(Optional(kEqualityIds, ListOf(136, "int")));
  file.push_back(Optional(kSortOrderId, "int"));
  file.push_back(Optional(kReferencedDataFile, "string"));
  OrderedJson entry = OrderedJson::array();
  entry.push_back(Required(kStatus, "int"));
  entry.push_back(Optional(kSnapshotId, "long"));
  entry.push_back(Optional(kSequenceNumber, "long"));
  entry.push_back(Optional(kFileSequenceNumber, "long"));
  entry.push_back(Required(kDataFile, RecordOf("r2", std::move(file))));
  return DumpJson(RecordOf("manifest_entry", std::move(entry)));
}

std::string ListSchema() {
  OrderedJson summary = OrderedJson::array();
  summary.push_back(Required(kContainsNull, "boolean"));
  summary.push_back(Optional(kContainsNan, "boolean"));
  summary.push_back(Optional(kSummaryLower, "bytes"));
  summary.push_back(Optional(kSummaryUpper, "bytes"));
  OrderedJson row = OrderedJson::array();
  row.push_back(Required(kManifestPath, "string"));
  row.push_back(Required(kManifestLength, "long"));
  for (const FieldName& field : {kSpecId, kManifestContent}) row.push_back(Required(field, "int"));
  for (const FieldName& field : {kManifestSequence, kMinSequence, kAddedSnapshotId})
    row.push_back(Required(field, "long"));
  for (const FieldName& field : {kAddedFiles, kExistingFiles, kDeletedFiles}) row.push_back(Required(field, "int"));
  for (const FieldName& field : {kAddedRows, kExistingRows, kDeletedRows}) row.push_back(Required(field, "long"));
  row.push_back(Optional(kPartitions, ListOf(508, RecordOf("r508", std::move(summary)))));
  row.push_back(Optional(kListKeyMetadata, "bytes"));
  return RecordOf("manifest_file", std::move(row)).dump();
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

void WriteOptionalLong(AvroWriter& out, const std::optional<int64_t>& value) {
  if (!value) return out.Null();
  out.Some();
  out.Long(*value);
}

void WriteOptionalBytes(AvroWriter& out, const std::optional<std::string>& value) {
  if (!value) return out.Null();
  out.Some();
  out.Bytes(*value);
}

template <typename Value>
void WriteMap(AvroWriter& out, const std::map<int, Value>& map) {
  if (map.empty()) return out.Null();
  out.Some();
  out.BeginItems(map.size());
  for (const auto& [key, value] : map) {
    out.Int(key);
    if constexpr (std::is_same_v<Value, std::string>)
      out.Bytes(value);
    else
      out.Long(value);
  }
  out.EndItems();
}

template <typename Value>
void WriteList(AvroWriter& out, const std::vector<Value>& list) {
  if (list.empty()) return out.Null();
  out.Some();
  out.BeginItems(list.size());
  for (const Value value : list) out.Long(value);
  out.EndItems();
}

void WriteFile(AvroWriter& out, const DataFile& file) {
  out.Int(static_cast<int>(file.content));
  out.Bytes(file.location);
  out.Bytes(file.format);
  for (const std::optional<std::string>& value : file.partition) WriteOptionalBytes(out, value);
  out.Long(file.record_count);
  out.Long(file.file_size_bytes);
  WriteMap(out, file.column_sizes);
  WriteMap(out, file.value_counts);
  WriteMap(out, file.null_value_counts);
  WriteMap(out, file.nan_value_counts);
  WriteMap(out, file.lower_bounds);
  WriteMap(out, file.upper_bounds);
  WriteOptionalBytes(out, file.key_metadata);
  WriteList(out, file.split_offsets);
  WriteList(out, file.equality_ids);
  WriteOptionalLong(out, file.sort_order_id);
  WriteOptionalBytes(out, file.referenced_data_file);
}

void WriteEntry(AvroWriter& out, const ManifestEntry& entry) {
  const bool added = entry.status == EntryStatus::kAdded;
  out.Int(static_cast<int>(entry.status));
  WriteOptionalLong(out, entry.snapshot_id);
  WriteOptionalLong(out, added ? std::nullopt : entry.sequence_number);
  WriteOptionalLong(out, added ? std::nullopt : entry.file_sequence_number);
  WriteFile(out, entry.file);
  out.EndRow();
}

void WriteSummaries(AvroWriter& out, const std::optional<std::vector<FieldSummary>>& summaries) {
  if (!summaries) return out.Null();
  out.Some();
  out.BeginItems(summaries->size());
  for (const FieldSummary& summary : *summaries) {
    out.Boolean(summary.contains_null);
    if (summary.contains_nan) {
      out.Some();
      out.Boolean(*summary.contains_nan);
    } else {
      out.Null();
    }
    WriteOptionalBytes(out, summary.lower_bound);
    WriteOptionalBytes(out, summary.upper_bound);
  }
  out.EndItems();
}

void WriteListRow(AvroWriter& out, const ManifestFile& manifest) {
  out.Bytes(manifest.location);
  out.Long(manifest.length_bytes);
  out.Int(manifest.spec_id);
  out.Int(manifest.deletes ? 1 : 0);
  out.Long(manifest.sequence_number);
  out.Long(manifest.min_sequence_number);
  out.Long(manifest.added_snapshot_id);
  for (const int32_t count : {manifest.added_files, manifest.existing_files, manifest.deleted_files}) out.Int(count);
  for (const int64_t rows : {manifest.added_rows, manifest.existing_rows, manifest.deleted_rows}) out.Long(rows);
  WriteSummaries(out, manifest.partitions);
  WriteOptionalBytes(out, manifest.key_metadata);
  out.EndRow();
}

void Summarize(const std::optional<std::string>& value, FieldSummary& summary) {
  if (!value) {
    summary.contains_null = true;
    return;
  }
  if (!summary.lower_bound || *value < *summary.lower_bound) summary.lower_bound = value;
  if (!summary.upper_bound || *value > *summary.upper_bound) summary.upper_bound = value;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

Result<int> NarrowInt(int64_t value, const char* name) {
  if (value < 0 || value > std::numeric_limits<int>::max()) {
    return Corruption(std::string("manifest: a number out of range: ") + name);
  }
  return static_cast<int>(value);
}

Result<int> ReadInt(const AvroRecord& row, const FieldName& field) {
  TG_ASSIGN_OR_RETURN(const int64_t value, row.Long(field.id, field.name));
  return NarrowInt(value, field.name);
}

/// A number that counts something: 0 or more.
Result<int64_t> ReadCount(const AvroRecord& row, const FieldName& field) {
  TG_ASSIGN_OR_RETURN(const int64_t value, row.Long(field.id, field.name));
  if (value < 0) return Corruption(std::string("manifest: a negative number: ") + field.name);
  return value;
}

Result<const AvroValue::Items*> ReadItems(const AvroRecord& row, const FieldName& field) {
  static const AvroValue::Items kNone;
  const AvroValue* value = row.Find(field.id, field.name);
  if (value == nullptr) return &kNone;
  const AvroValue::Items* items = std::get_if<AvroValue::Items>(&value->data);
  if (items == nullptr || row.schema().types[value->type].kind != AvroKind::kArray) {
    return Corruption(std::string("manifest: not a list: ") + field.name);
  }
  return items;
}

template <typename Value>
Status ReadMap(const AvroRecord& row, const FieldName& field, int key_id, int value_id, std::map<int, Value>& out) {
  TG_ASSIGN_OR_RETURN(const AvroValue::Items* items, ReadItems(row, field));
  for (const AvroValue& item : *items) {
    if (row.schema().types[item.type].kind != AvroKind::kRecord) {
      return Corruption(std::string("manifest: not a map: ") + field.name);
    }
    const AvroRecord pair(row.schema(), item);
    TG_ASSIGN_OR_RETURN(const int key, ReadInt(pair, {key_id, "key"}));
    if (pair.Find(value_id, "value") == nullptr) continue;  // engines write null for a bound they do not know
    if constexpr (std::is_same_v<Value, std::string>) {
      TG_ASSIGN_OR_RETURN(out[key], pair.Text(value_id, "value"));
    } else {
      TG_ASSIGN_OR_RETURN(out[key], pair.Long(value_id, "value"));
    }
  }
  return Status::Ok();
}

template <typename Value>
Status ReadList(const AvroRecord& row, const FieldName& field, std::vector<Value>& out) {
  TG_ASSIGN_OR_RETURN(const AvroValue::Items* items, ReadItems(row, field));
  for (const AvroValue& item : *items) {
    const int64_t* number = std::get_if<int64_t>(&item.data);
    if (number == nullptr || *number != static_cast<Value>(*number)) {
      return Corruption(std::string("manifest: not a list of numbers: ") + field.name);
    }
    out.push_back(static_cast<Value>(*number));
  }
  return Status::Ok();
}

Status ReadPartition(const AvroRecord& row, const PartitionSpec& spec, DataFile& file) {
  TG_ASSIGN_OR_RETURN(const std::optional<AvroRecord> partition, row.FindRecord(kPartition.id, kPartition.name));
  if (!partition) return Corruption("manifest: a field is missing: partition");
  for (const PartitionField& field : spec.fields) {
    const AvroValue* value = partition->Find(field.field_id, AvroName(field.name));
    if (value == nullptr) {
      file.partition.emplace_back();
    } else if (partition->schema().types[value->type].kind == AvroKind::kString) {
      file.partition.emplace_back(std::get<std::string>(value->data));
    } else {
      return Unsupported("manifest: a partition value that is not text: field " + Quoted(field.name));
    }
  }
  return Status::Ok();
}

Status ReadMetrics(const AvroRecord& row, DataFile& file) {
  TG_RETURN_IF_ERROR(ReadMap(row, kColumnSizes, 117, 118, file.column_sizes));
  TG_RETURN_IF_ERROR(ReadMap(row, kValueCounts, 119, 120, file.value_counts));
  TG_RETURN_IF_ERROR(ReadMap(row, kNullValueCounts, 121, 122, file.null_value_counts));
  TG_RETURN_IF_ERROR(ReadMap(row, kNanValueCounts, 138, 139, file.nan_value_counts));
  TG_RETURN_IF_ERROR(ReadMap(row, kLowerBounds, 126, 127, file.lower_bounds));
  TG_RETURN_IF_ERROR(ReadMap(row, kUpperBounds, 129, 130, file.upper_bounds));
  TG_RETURN_IF_ERROR(ReadList(row, kSplitOffsets, file.split_offsets));
  return ReadList(row, kEqualityIds, file.equality_ids);
}

Result<DataFile> ReadFile(const AvroRecord& row, const ManifestFile& from, const PartitionSpec& spec) {
  DataFile file;
  file.spec_id = from.spec_id;
  TG_ASSIGN_OR_RETURN(const int64_t content, row.Long(kContent.id, kContent.name));
  if (content < 0 || content > 2 || (content > 0) != from.deletes) {
    return Corruption("manifest: an entry of another content than the manifest's: " + std::to_string(content));
  }
  file.content = static_cast<FileContent>(content);
  TG_ASSIGN_OR_RETURN(file.location, row.Text(kFilePath.id, kFilePath.name));
  TG_ASSIGN_OR_RETURN(file.format, row.Text(kFileFormat.id, kFileFormat.name));
  TG_RETURN_IF_ERROR(ReadPartition(row, spec, file));
  TG_ASSIGN_OR_RETURN(file.record_count, ReadCount(row, kRecordCount));
  TG_ASSIGN_OR_RETURN(file.file_size_bytes, ReadCount(row, kFileSize));
  TG_RETURN_IF_ERROR(ReadMetrics(row, file));
  TG_ASSIGN_OR_RETURN(file.key_metadata, row.FindText(kKeyMetadata.id, kKeyMetadata.name));
  TG_ASSIGN_OR_RETURN(file.referenced_data_file, row.FindText(kReferencedDataFile.id, kReferencedDataFile.name));
  if (row.Find(kSortOrderId.id, kSortOrderId.name) != nullptr) {
    TG_ASSIGN_OR_RETURN(file.sort_order_id, ReadInt(row, kSortOrderId));
  }
  return file;
}

/// What an entry leaves out it has from its manifest (spec, "Inheritance").
Status Inherit(const ManifestFile& from, ManifestEntry& entry) {
  if (!entry.snapshot_id) entry.snapshot_id = from.added_snapshot_id;
  if (entry.status == EntryStatus::kAdded || from.sequence_number == 0) {
    if (!entry.sequence_number) entry.sequence_number = from.sequence_number;
    if (!entry.file_sequence_number) entry.file_sequence_number = from.sequence_number;
  }
  if (!entry.sequence_number) return Corruption("manifest: an entry that was not added lacks its sequence number");
  return Status::Ok();
}

Result<ManifestEntry> ReadEntry(const AvroRecord& row, const ManifestFile& from, const PartitionSpec& spec) {
  ManifestEntry entry;
  TG_ASSIGN_OR_RETURN(const int64_t status, row.Long(kStatus.id, kStatus.name));
  if (status < 0 || status > 2) return Corruption("manifest: an entry of unknown status: " + std::to_string(status));
  entry.status = static_cast<EntryStatus>(status);
  TG_ASSIGN_OR_RETURN(entry.snapshot_id, row.FindLong(kSnapshotId.id, kSnapshotId.name));
  TG_ASSIGN_OR_RETURN(entry.sequence_number, row.FindLong(kSequenceNumber.id, kSequenceNumber.name));
  TG_ASSIGN_OR_RETURN(entry.file_sequence_number, row.FindLong(kFileSequenceNumber.id, kFileSequenceNumber.name));
  TG_ASSIGN_OR_RETURN(const std::optional<AvroRecord> file, row.FindRecord(kDataFile.id, kDataFile.name));
  if (!file) return Corruption("manifest: a field is missing: data_file");
  TG_ASSIGN_OR_RETURN(entry.file, ReadFile(*file, from, spec));
  TG_RETURN_IF_ERROR(Inherit(from, entry));
  return entry;
}

Result<FieldSummary> ReadSummary(const AvroRecord& row) {
  FieldSummary summary;
  const auto flag = [&](const FieldName& field) -> std::optional<bool> {
    const AvroValue* value = row.Find(field.id, field.name);
    const bool* found = value == nullptr ? nullptr : std::get_if<bool>(&value->data);
    return found == nullptr ? std::nullopt : std::optional<bool>(*found);
  };
  const std::optional<bool> contains_null = flag(kContainsNull);
  if (!contains_null) return Corruption("manifest list: a partition summary without contains_null");
  summary.contains_null = *contains_null;
  summary.contains_nan = flag(kContainsNan);
  TG_ASSIGN_OR_RETURN(summary.lower_bound, row.FindText(kSummaryLower.id, kSummaryLower.name));
  TG_ASSIGN_OR_RETURN(summary.upper_bound, row.FindText(kSummaryUpper.id, kSummaryUpper.name));
  return summary;
}

Status ReadSummaries(const AvroRecord& row, ManifestFile& out) {
  if (row.Find(kPartitions.id, kPartitions.name) == nullptr) return Status::Ok();
  TG_ASSIGN_OR_RETURN(const AvroValue::Items* items, ReadItems(row, kPartitions));
  out.partitions.emplace();
  for (const AvroValue& item : *items) {
    if (row.schema().types[item.type].kind != AvroKind::kRecord) {
      return Corruption("manifest list: a partition summary that is not a record");
    }
    TG_ASSIGN_OR_RETURN(FieldSummary summary, ReadSummary(AvroRecord(row.schema(), item)));
    out.partitions->push_back(std::move(summary));
  }
  return Status::Ok();
}

Status ReadCounts(const AvroRecord& row, ManifestFile& out) {
  TG_ASSIGN_OR_RETURN(out.added_files, ReadInt(row, kAddedFiles));
  TG_ASSIGN_OR_RETURN(out.existing_files, ReadInt(row, kExistingFiles));
  TG_ASSIGN_OR_RETURN(out.deleted_files, ReadInt(row, kDeletedFiles));
  TG_ASSIGN_OR_RETURN(out.added_rows, ReadCount(row, kAddedRows));
  TG_ASSIGN_OR_RETURN(out.existing_rows, ReadCount(row, kExistingRows));
  TG_ASSIGN_OR_RETURN(out.deleted_rows, ReadCount(row, kDeletedRows));
  return Status::Ok();
}

Result<ManifestFile> ReadListRow(const AvroRecord& row) {
  if (row.Find(kManifestSequence.id, kManifestSequence.name) == nullptr) {
    return Unsupported(
        "manifest list: written in format v1: rewrite the table's manifests with the engine that wrote it");
  }
  ManifestFile out;
  TG_ASSIGN_OR_RETURN(out.location, row.Text(kManifestPath.id, kManifestPath.name));
  TG_ASSIGN_OR_RETURN(out.length_bytes, ReadCount(row, kManifestLength));
  TG_ASSIGN_OR_RETURN(out.spec_id, ReadInt(row, kSpecId));
  TG_ASSIGN_OR_RETURN(const int64_t content, row.Long(kManifestContent.id, kManifestContent.name));
  if (content != 0 && content != 1) return Corruption("manifest list: unknown content: " + std::to_string(content));
  out.deletes = content == 1;
  TG_ASSIGN_OR_RETURN(out.sequence_number, ReadCount(row, kManifestSequence));
  TG_ASSIGN_OR_RETURN(out.min_sequence_number, ReadCount(row, kMinSequence));
  TG_ASSIGN_OR_RETURN(out.added_snapshot_id, row.Long(kAddedSnapshotId.id, kAddedSnapshotId.name));
  TG_RETURN_IF_ERROR(ReadCounts(row, out));
  TG_RETURN_IF_ERROR(ReadSummaries(row, out));
  TG_ASSIGN_OR_RETURN(out.key_metadata, row.FindText(kListKeyMetadata.id, kListKeyMetadata.name));
  return out;
}

template <typename Row>
Result<std::vector<Row>> ReadRows(std::string_view file, const std::function<Result<Row>(const AvroRecord&)>& read) {
  TG_ASSIGN_OR_RETURN(const AvroReader reader, AvroReader::Open(file));
  std::vector<Row> out;
  const auto sink = [&](const AvroRecord& row) -> Status {
    TG_ASSIGN_OR_RETURN(Row one, read(row));
    out.push_back(std::move(one));
    return Status::Ok();
  };
  TG_RETURN_IF_ERROR(reader.ForEach(sink));
  return out;
}

}  // namespace

std::string WriteManifest(const schema::Schema& schema, const PartitionSpec& spec, bool deletes,
                          const std::vector<ManifestEntry>& entries) {
  AvroWriter out(EntrySchema(spec), {{"schema", DumpJson(schema::ToJson(schema))},
                                     {"schema-id", std::to_string(schema.schema_id)},
                                     {"partition-spec", DumpJson(PartitionFieldsToJson(spec))},
                                     {"partition-spec-id", std::to_string(spec.spec_id)},
                                     {"format-version", "2"},
                                     {"content", deletes ? "deletes" : "data"}});
  for (const ManifestEntry& entry : entries) WriteEntry(out, entry);
  return out.Finish();
}

ManifestFile SummarizeManifest(const PartitionSpec& spec, bool deletes, int64_t sequence_number,
                               const std::vector<ManifestEntry>& entries) {
  ManifestFile out;
  out.spec_id = spec.spec_id;
  out.deletes = deletes;
  out.sequence_number = sequence_number;
  out.min_sequence_number = sequence_number;
  out.partitions.emplace(spec.fields.size());
  for (const ManifestEntry& entry : entries) {
    const int64_t rows = entry.file.record_count;
    const bool live = entry.status != EntryStatus::kDeleted;
    if (entry.status == EntryStatus::kAdded) ++out.added_files, out.added_rows += rows;
    if (entry.status == EntryStatus::kExisting) ++out.existing_files, out.existing_rows += rows;
    if (!live) ++out.deleted_files, out.deleted_rows += rows;
    if (live && entry.sequence_number)
      out.min_sequence_number = std::min(out.min_sequence_number, *entry.sequence_number);
    for (size_t i = 0; i < spec.fields.size(); ++i) Summarize(entry.file.partition[i], (*out.partitions)[i]);
  }
  return out;
}

Result<std::vector<ManifestEntry>> ReadManifest(std::string_view file, const ManifestFile& from,
                                                const PartitionSpec& spec) {
  return ReadRows<ManifestEntry>(file, [&](const AvroRecord& row) { return ReadEntry(row, from, spec); });
}

std::string WriteManifestList(const Snapshot& snapshot, const std::vector<ManifestFile>& manifests) {
  AvroWriter out(ListSchema(),
                 {{"snapshot-id", std::to_string(snapshot.snapshot_id)},
                  {"parent-snapshot-id", snapshot.parent_id ? std::to_string(*snapshot.parent_id) : "null"},
                  {"sequence-number", std::to_string(snapshot.sequence_number)},
                  {"format-version", "2"}});
  for (const ManifestFile& manifest : manifests) WriteListRow(out, manifest);
  return out.Finish();
}

Result<std::vector<ManifestFile>> ReadManifestList(std::string_view file) {
  return ReadRows<ManifestFile>(file, ReadListRow);
}

}  // namespace tidegate::table
