// The model of an Iceberg table (format v2): metadata, snapshots, manifests, files.
// Source: Apache Iceberg table spec, version 2; docs/formats/lake.md says which part we write and what readers need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/schema/schema.h"

namespace tidegate::table {

struct PartitionField {
  int source_id = 0;
  int field_id = 0;  // 1000, 1001, …
  std::string name;
  std::string transform = "identity";
};

struct PartitionSpec {
  int spec_id = 0;
  std::vector<PartitionField> fields;
};

using Summary = std::map<std::string, std::string>;

/// A count from 0 on in a summary or in the properties; nullopt where it is absent or none.
std::optional<int64_t> CountIn(const std::map<std::string, std::string>& map, const std::string& key);

struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::string manifest_list;  // location
  Summary summary;            // "operation" among them
  std::optional<int> schema_id;
};

/// The table property that holds the name mapping as JSON.
inline constexpr const char* kNameMappingProperty = "schema.name-mapping.default";

/// An entry of the name mapping: every physical column of every adopted file, each with an id of its own.
struct NameMapping {
  int field_id = 0;
  std::vector<std::string> names;
  std::vector<NameMapping> children;
};

/// A name for a snapshot: a branch goes on from it, a tag stays.
struct Ref {
  std::string name;
  int64_t snapshot_id = 0;
  bool is_tag = false;
};

struct TableMetadata {
  int format_version = 2;
  std::string table_uuid;
  std::string location;
  int64_t last_sequence_number = 0;
  int64_t last_updated_ms = 0;
  int last_column_id = 0;
  int current_schema_id = 0;
  std::vector<schema::Schema> schemas;
  int default_spec_id = 0;
  std::vector<PartitionSpec> specs;
  int last_partition_id = 999;
  std::map<std::string, std::string> properties;
  std::optional<int64_t> current_snapshot_id;
  std::vector<Snapshot> snapshots;
  struct SnapshotLogEntry {
    int64_t timestamp_ms;
    int64_t snapshot_id;
  };
  struct MetadataLogEntry {
    int64_t timestamp_ms;
    std::string metadata_file;
  };
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  Json loaded;  // the whole document this came from (null: none); what we do not model is written back from it

  const schema::Schema& current_schema() const;
  const Snapshot* current_snapshot() const;
  const Snapshot* FindSnapshot(int64_t id) const;
  const schema::Schema* FindSchema(int schema_id) const;
  /// The schema that a snapshot was written with; null where it does not say, or is not there.
  const schema::Schema* SchemaOf(int64_t snapshot_id) const;
  /// A snapshot (default: the current one), its parent, and so on, newest first; ends where a parent is not there (or
  /// comes again).
  std::vector<const Snapshot*> Ancestry(std::optional<int64_t> from = std::nullopt) const;
  /// The branches and tags beside "main", as the loaded document has them.
  std::vector<Ref> Refs() const;
  const PartitionSpec* FindSpec(int spec_id) const;
};

/// v2 metadata.json, deterministic. Fields that we do not model survive from `metadata.loaded`: branches and tags, sort
/// orders, statistics, a field's documentation.
std::string WriteMetadata(const TableMetadata& metadata);
/// Ensures: the current schema, the default spec and the current snapshot exist.
/// Errors: Corruption (not JSON, a required field missing or of a wrong type), Unsupported (format-version other than
/// 2).
Result<TableMetadata> ParseMetadata(std::string_view text);

/// The JSON of a partition spec's fields, as manifests repeat it in their header.
OrderedJson PartitionFieldsToJson(const PartitionSpec& spec);

std::string WriteNameMapping(const std::vector<NameMapping>& mapping);  // JSON text for the table property
Result<std::vector<NameMapping>> ParseNameMapping(std::string_view text);

enum class FileContent { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class EntryStatus { kExisting = 0, kAdded = 1, kDeleted = 2 };

/// One data or delete file as a manifest describes it. Partition values are ours: strings or null.
struct DataFile {
  FileContent content = FileContent::kData;
  std::string location;  // byte for byte what delete files and manifests name
  std::string format = "PARQUET";
  int spec_id = 0;                                    // of the manifest that holds it
  std::vector<std::optional<std::string>> partition;  // in the order of the spec's fields
  int64_t record_count = 0;
  int64_t file_size_bytes = 0;
  std::map<int, int64_t> column_sizes, value_counts, null_value_counts, nan_value_counts;  // by field id
  std::map<int, std::string> lower_bounds, upper_bounds;                                   // single-value binary
  std::vector<int64_t> split_offsets;
  std::optional<std::string> referenced_data_file;  // position deletes of exactly one data file
  // Never written by us; kept where a manifest of another engine is rewritten.
  std::vector<int> equality_ids;
  std::optional<int> sort_order_id;
  std::optional<std::string> key_metadata;
};

struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  std::optional<int64_t> snapshot_id;      // inherited from the manifest where absent
  std::optional<int64_t> sequence_number;  // data sequence number; inherited where absent (kAdded)
  std::optional<int64_t> file_sequence_number;
  DataFile file;
};

/// What a manifest says of one partition field over all its entries.
struct FieldSummary {
  bool contains_null = false;
  std::optional<bool> contains_nan;
  std::optional<std::string> lower_bound, upper_bound;  // single-value binary
};

/// A row of a manifest list.
struct ManifestFile {
  std::string location;
  int64_t length_bytes = 0;
  int spec_id = 0;
  bool deletes = false;  // content: delete files
  int64_t sequence_number = 0;
  int64_t min_sequence_number = 0;
  int64_t added_snapshot_id = 0;
  int32_t added_files = 0, existing_files = 0, deleted_files = 0;
  int64_t added_rows = 0, existing_rows = 0, deleted_rows = 0;
  std::optional<std::vector<FieldSummary>> partitions;
  std::optional<std::string> key_metadata;

  bool has_live_files() const { return added_files > 0 || existing_files > 0; }
};

}  // namespace tidegate::table
