#include "tidegate/table/metadata.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::table {
namespace {

constexpr int kMaxMappingNesting = 64;

// ---------------------------------------------------------------------------------------------------------------------
// Writing

OrderedJson SpecToJson(const PartitionSpec& spec) {
  OrderedJson out = OrderedJson::object();
  out["spec-id"] = spec.spec_id;
  out["fields"] = PartitionFieldsToJson(spec);
  return out;
}

OrderedJson TextMap(const std::map<std::string, std::string>& map) {
  OrderedJson out = OrderedJson::object();
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

OrderedJson SnapshotToJson(const Snapshot& snapshot) {
  OrderedJson out = OrderedJson::object();
  out["snapshot-id"] = snapshot.snapshot_id;
  if (snapshot.parent_id) out["parent-snapshot-id"] = *snapshot.parent_id;
  out["sequence-number"] = snapshot.sequence_number;
  out["timestamp-ms"] = snapshot.timestamp_ms;
  out["manifest-list"] = snapshot.manifest_list;
  out["summary"] = TextMap(snapshot.summary);
  if (snapshot.schema_id) out["schema-id"] = *snapshot.schema_id;
  return out;
}

OrderedJson LogsOf(const TableMetadata& metadata, bool snapshots) {
  OrderedJson out = OrderedJson::array();
  if (snapshots) {
    for (const auto& entry : metadata.snapshot_log) {
      out.push_back({{"timestamp-ms", entry.timestamp_ms}, {"snapshot-id", entry.snapshot_id}});
    }
  } else {
    for (const auto& entry : metadata.metadata_log) {
      out.push_back({{"timestamp-ms", entry.timestamp_ms}, {"metadata-file", entry.metadata_file}});
    }
  }
  return out;
}

/// The branches and tags of the loaded document, with "main" at the current snapshot.
OrderedJson RefsOf(const TableMetadata& metadata) {
  OrderedJson out = OrderedJson::object();
  const auto loaded = metadata.loaded.is_object() ? metadata.loaded.find("refs") : metadata.loaded.end();
  if (loaded != metadata.loaded.end() && loaded->is_object()) out = OrderedJson(*loaded);
  if (!metadata.current_snapshot_id) {
    out.erase("main");
    return out;
  }
  OrderedJson& main = out["main"];
  if (!main.is_object()) main = OrderedJson::object();
  main["snapshot-id"] = *metadata.current_snapshot_id;
  main["type"] = "branch";
  return out;
}

/// The member that tells elements of one list apart, where the list has one.
constexpr std::array<const char*, 5> kIdentities = {"snapshot-id", "schema-id", "spec-id", "field-id", "id"};

std::optional<std::pair<std::string, int64_t>> IdentityOf(const auto& json) {
  if (!json.is_object()) return std::nullopt;
  for (const char* key : kIdentities) {
    const auto found = json.find(key);
    if (found != json.end() && found->is_number_integer()) return std::pair(key, found->template get<int64_t>());
  }
  return std::nullopt;
}

void MergeUnknown(const Json& loaded, OrderedJson& ours);

void MergeLists(const Json& loaded, OrderedJson& ours) {
  std::map<std::pair<std::string, int64_t>, const Json*> by_identity;
  for (const Json& element : loaded) {
    if (const auto identity = IdentityOf(element)) by_identity.emplace(*identity, &element);
  }
  for (OrderedJson& element : ours) {
    const auto identity = IdentityOf(element);
    const auto found = identity ? by_identity.find(*identity) : by_identity.end();
    if (found != by_identity.end()) MergeUnknown(*found->second, element);
  }
}

/// Put members of `loaded` that `ours` lacks into it, at every depth. What we model wins.
void MergeUnknown(const Json& loaded, OrderedJson& ours) {
  if (loaded.is_array() && ours.is_array()) return MergeLists(loaded, ours);
  if (!loaded.is_object() || !ours.is_object()) return;
  for (const auto& [key, value] : loaded.items()) {
    const auto mine = ours.find(key);
    if (mine == ours.end())
      ours[key] = OrderedJson(value);
    else if (value.is_structured())
      MergeUnknown(value, *mine);
  }
}

/// Members whose whole content is modelled: what is gone from the model is meant to be gone.
constexpr std::array<const char*, 5> kWhole = {"properties", "refs", "snapshot-log", "metadata-log",
                                               "current-snapshot-id"};

OrderedJson ModelToJson(const TableMetadata& metadata) {
  OrderedJson out = OrderedJson::object();
  out["format-version"] = metadata.format_version;
  out["table-uuid"] = metadata.table_uuid;
  out["location"] = metadata.location;
  out["last-sequence-number"] = metadata.last_sequence_number;
  out["last-updated-ms"] = metadata.last_updated_ms;
  out["last-column-id"] = metadata.last_column_id;
  out["current-schema-id"] = metadata.current_schema_id;
  out["schemas"] = OrderedJson::array();
  for (const schema::Schema& one : metadata.schemas) out["schemas"].push_back(schema::ToJson(one));
  out["default-spec-id"] = metadata.default_spec_id;
  out["partition-specs"] = OrderedJson::array();
  for (const PartitionSpec& spec : metadata.specs) out["partition-specs"].push_back(SpecToJson(spec));
  out["last-partition-id"] = metadata.last_partition_id;
  out["properties"] = TextMap(metadata.properties);
  if (metadata.current_snapshot_id) out["current-snapshot-id"] = *metadata.current_snapshot_id;
  out["refs"] = RefsOf(metadata);
  out["snapshots"] = OrderedJson::array();
  for (const Snapshot& snapshot : metadata.snapshots) out["snapshots"].push_back(SnapshotToJson(snapshot));
  out["snapshot-log"] = LogsOf(metadata, true);
  out["metadata-log"] = LogsOf(metadata, false);
  return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

Status Wrong(const char* key, const char* what) {
  return Corruption(std::string("table metadata: ") + what + " in '" + key + "'");
}

const Json* Find(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

Result<std::optional<int64_t>> FindLong(const Json& json, const char* key) {
  const Json* found = Find(json, key);
  if (found == nullptr) return std::optional<int64_t>();
  const bool too_large =
      found->is_number_unsigned() && found->get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
  if (!found->is_number_integer() || too_large) return Wrong(key, "no whole number of 64 bits");
  return std::optional<int64_t>(found->get<int64_t>());
}

Result<int64_t> GetLong(const Json& json, const char* key) {
  TG_ASSIGN_OR_RETURN(const std::optional<int64_t> found, FindLong(json, key));
  if (!found) return Wrong(key, "nothing");
  return *found;
}

Result<int> GetInt(const Json& json, const char* key) {
  TG_ASSIGN_OR_RETURN(const int64_t value, GetLong(json, key));
  if (value < 0 || value > std::numeric_limits<int>::max()) return Wrong(key, "a number out of range");
  return static_cast<int>(value);
}

Result<std::string> GetText(const Json& json, const char* key) {
  const Json* found = Find(json, key);
  if (found == nullptr || !found->is_string()) return Wrong(key, "no text");
  return found->get<std::string>();
}

/// A list of objects; a missing one is empty unless it is required.
Result<const Json*> GetList(const Json& json, const char* key, bool required) {
  static const Json kNone = Json::array();
  const Json* found = Find(json, key);
  if (found == nullptr && !required) return &kNone;
  if (found == nullptr || !found->is_array()) return Wrong(key, "no list");
  for (const Json& one : *found) {
    if (!one.is_object()) return Wrong(key, "an element that is not an object");
  }
  return found;
}

Result<std::map<std::string, std::string>> GetTextMap(const Json& json, const char* key) {
  std::map<std::string, std::string> out;
  const Json* found = Find(json, key);
  if (found == nullptr) return out;
  if (!found->is_object()) return Wrong(key, "no object");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return Wrong(key, "a value that is not text");
    out[name] = value.get<std::string>();
  }
  return out;
}

Result<PartitionSpec> ParseSpec(const Json& json) {
  PartitionSpec spec;
  TG_ASSIGN_OR_RETURN(spec.spec_id, GetInt(json, "spec-id"));
  TG_ASSIGN_OR_RETURN(const Json* fields, GetList(json, "fields", true));
  for (const Json& one : *fields) {
    PartitionField field;
    TG_ASSIGN_OR_RETURN(field.source_id, GetInt(one, "source-id"));
    TG_ASSIGN_OR_RETURN(field.field_id, GetInt(one, "field-id"));
    TG_ASSIGN_OR_RETURN(field.name, GetText(one, "name"));
    TG_ASSIGN_OR_RETURN(field.transform, GetText(one, "transform"));
    spec.fields.push_back(std::move(field));
  }
  return spec;
}

Result<Snapshot> ParseSnapshot(const Json& json) {
  Snapshot out;
  TG_ASSIGN_OR_RETURN(out.snapshot_id, GetLong(json, "snapshot-id"));
  TG_ASSIGN_OR_RETURN(out.parent_id, FindLong(json, "parent-snapshot-id"));
  TG_ASSIGN_OR_RETURN(const std::optional<int64_t> sequence, FindLong(json, "sequence-number"));
  out.sequence_number = sequence.value_or(0);  // snapshots of a table that once was v1 have none
  TG_ASSIGN_OR_RETURN(out.timestamp_ms, GetLong(json, "timestamp-ms"));
  TG_ASSIGN_OR_RETURN(out.manifest_list, GetText(json, "manifest-list"));
  TG_ASSIGN_OR_RETURN(out.summary, GetTextMap(json, "summary"));
  if (Find(json, "schema-id") != nullptr) {
    TG_ASSIGN_OR_RETURN(out.schema_id, GetInt(json, "schema-id"));
  }
  return out;
}

Status ParseScalars(const Json& json, TableMetadata& out) {
  TG_ASSIGN_OR_RETURN(out.table_uuid, GetText(json, "table-uuid"));
  TG_ASSIGN_OR_RETURN(out.location, GetText(json, "location"));
  TG_ASSIGN_OR_RETURN(out.last_sequence_number, GetLong(json, "last-sequence-number"));
  TG_ASSIGN_OR_RETURN(out.last_updated_ms, GetLong(json, "last-updated-ms"));
  TG_ASSIGN_OR_RETURN(out.last_column_id, GetInt(json, "last-column-id"));
  TG_ASSIGN_OR_RETURN(out.current_schema_id, GetInt(json, "current-schema-id"));
  TG_ASSIGN_OR_RETURN(out.default_spec_id, GetInt(json, "default-spec-id"));
  TG_ASSIGN_OR_RETURN(out.last_partition_id, GetInt(json, "last-partition-id"));
  TG_ASSIGN_OR_RETURN(out.properties, GetTextMap(json, "properties"));
  TG_ASSIGN_OR_RETURN(out.current_snapshot_id, FindLong(json, "current-snapshot-id"));
  if (out.current_snapshot_id == -1) out.current_snapshot_id.reset();  // how some engines write "none"
  return Status::Ok();
}

Status ParseLists(const Json& json, TableMetadata& out) {
  TG_ASSIGN_OR_RETURN(const Json* schemas, GetList(json, "schemas", true));
  for (const Json& one : *schemas) {
    TG_ASSIGN_OR_RETURN(schema::Schema parsed, schema::FromJson(one));
    out.schemas.push_back(std::move(parsed));
  }
  TG_ASSIGN_OR_RETURN(const Json* specs, GetList(json, "partition-specs", true));
  for (const Json& one : *specs) {
    TG_ASSIGN_OR_RETURN(PartitionSpec spec, ParseSpec(one));
    out.specs.push_back(std::move(spec));
  }
  TG_ASSIGN_OR_RETURN(const Json* snapshots, GetList(json, "snapshots", false));
  for (const Json& one : *snapshots) {
    TG_ASSIGN_OR_RETURN(Snapshot snapshot, ParseSnapshot(one));
    out.snapshots.push_back(std::move(snapshot));
  }
  return Status::Ok();
}

Status ParseLogs(const Json& json, TableMetadata& out) {
  TG_ASSIGN_OR_RETURN(const Json* snapshots, GetList(json, "snapshot-log", false));
  for (const Json& one : *snapshots) {
    TableMetadata::SnapshotLogEntry entry{};
    TG_ASSIGN_OR_RETURN(entry.timestamp_ms, GetLong(one, "timestamp-ms"));
    TG_ASSIGN_OR_RETURN(entry.snapshot_id, GetLong(one, "snapshot-id"));
    out.snapshot_log.push_back(entry);
  }
  TG_ASSIGN_OR_RETURN(const Json* files, GetList(json, "metadata-log", false));
  for (const Json& one : *files) {
    TableMetadata::MetadataLogEntry entry{};
    TG_ASSIGN_OR_RETURN(entry.timestamp_ms, GetLong(one, "timestamp-ms"));
    TG_ASSIGN_OR_RETURN(entry.metadata_file, GetText(one, "metadata-file"));
    out.metadata_log.push_back(std::move(entry));
  }
  return Status::Ok();
}

/// Does the list hold each id once, and `current` among them?
template <typename List, typename Id>
Status CheckIds(const List& list, Id id_of, std::optional<int64_t> current, const char* key) {
  std::set<int64_t> ids;
  for (const auto& one : list) {
    if (!ids.insert(id_of(one)).second) return Wrong(key, "an id that stands twice");
  }
  if (current && !ids.contains(*current)) return Wrong(key, "no element of the id that is current");
  return Status::Ok();
}

Status CheckReferences(const TableMetadata& out) {
  TG_RETURN_IF_ERROR(CheckIds(
      out.schemas, [](const auto& one) { return one.schema_id; }, out.current_schema_id, "schemas"));
  TG_RETURN_IF_ERROR(CheckIds(
      out.specs, [](const auto& one) { return one.spec_id; }, out.default_spec_id, "partition-specs"));
  TG_RETURN_IF_ERROR(CheckIds(
      out.snapshots, [](const auto& one) { return one.snapshot_id; }, out.current_snapshot_id, "snapshots"));
  if (out.last_sequence_number < 0 || out.last_sequence_number == std::numeric_limits<int64_t>::max()) {
    return Wrong("last-sequence-number", "a number out of range");
  }
  return Status::Ok();
}

// ---------------------------------------------------------------------------------------------------------------------
// Name mappings

OrderedJson MappingToJson(const std::vector<NameMapping>& mapping) {
  OrderedJson out = OrderedJson::array();
  for (const NameMapping& entry : mapping) {
    OrderedJson one = OrderedJson::object();
    one["field-id"] = entry.field_id;
    one["names"] = entry.names;
    if (!entry.children.empty()) one["fields"] = MappingToJson(entry.children);
    out.push_back(std::move(one));
  }
  return out;
}

Status BadMapping(const char* what) { return Corruption(std::string("name mapping: ") + what); }

Result<std::vector<NameMapping>> MappingFromJson(const Json& json, int depth) {
  if (depth > kMaxMappingNesting) return BadMapping("nested too deep");
  if (!json.is_array()) return BadMapping("not a list");
  std::vector<NameMapping> out;
  for (const Json& one : json) {
    NameMapping entry;
    const Json* names = one.is_object() ? Find(one, "names") : nullptr;
    if (names == nullptr || !names->is_array()) return BadMapping("an entry without a list of names");
    for (const Json& name : *names) {
      if (!name.is_string()) return BadMapping("a name that is not text");
      entry.names.push_back(name.get<std::string>());
    }
    if (Find(one, "field-id") != nullptr) {  // optional in the spec; four readers need it, so we always write it
      TG_ASSIGN_OR_RETURN(entry.field_id, GetInt(one, "field-id"));
    }
    if (const Json* fields = Find(one, "fields")) {
      TG_ASSIGN_OR_RETURN(entry.children, MappingFromJson(*fields, depth + 1));
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

std::optional<int64_t> CountIn(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  const std::string& text = found->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

OrderedJson PartitionFieldsToJson(const PartitionSpec& spec) {
  OrderedJson out = OrderedJson::array();
  for (const PartitionField& field : spec.fields) {
    OrderedJson one = OrderedJson::object();
    one["source-id"] = field.source_id;
    one["field-id"] = field.field_id;
    one["name"] = field.name;
    one["transform"] = field.transform;
    out.push_back(std::move(one));
  }
  return out;
}

const schema::Schema& TableMetadata::current_schema() const { return *FindSchema(current_schema_id); }

const schema::Schema* TableMetadata::FindSchema(int schema_id) const {
  const auto found =
      std::find_if(schemas.begin(), schemas.end(), [&](const schema::Schema& s) { return s.schema_id == schema_id; });
  return found == schemas.end() ? nullptr : &*found;
}

const schema::Schema* TableMetadata::SchemaOf(int64_t snapshot_id) const {
  const Snapshot* snapshot = FindSnapshot(snapshot_id);
  return snapshot == nullptr || !snapshot->schema_id ? nullptr : FindSchema(*snapshot->schema_id);
}

const Snapshot* TableMetadata::current_snapshot() const {
  return current_snapshot_id ? FindSnapshot(*current_snapshot_id) : nullptr;
}

const Snapshot* TableMetadata::FindSnapshot(int64_t id) const {
  const auto found =
      std::find_if(snapshots.begin(), snapshots.end(), [&](const Snapshot& s) { return s.snapshot_id == id; });
  return found == snapshots.end() ? nullptr : &*found;
}

std::vector<const Snapshot*> TableMetadata::Ancestry(std::optional<int64_t> from) const {
  std::map<int64_t, const Snapshot*> left;
  for (const Snapshot& snapshot : snapshots) left.emplace(snapshot.snapshot_id, &snapshot);
  std::vector<const Snapshot*> out;
  for (std::optional<int64_t> id = from ? from : current_snapshot_id; id;) {
    const auto found = left.find(*id);
    if (found == left.end()) break;
    out.push_back(found->second);
    id = found->second->parent_id;
    left.erase(found);
  }
  return out;
}

std::vector<Ref> TableMetadata::Refs() const {
  std::vector<Ref> out;
  const Json* refs = loaded.is_object() ? Find(loaded, "refs") : nullptr;
  if (refs == nullptr || !refs->is_object()) return out;
  for (const auto& [name, ref] : refs->items()) {
    const Json* id = ref.is_object() ? Find(ref, "snapshot-id") : nullptr;
    if (name == "main" || id == nullptr || !id->is_number_integer()) continue;
    out.push_back({name, id->get<int64_t>(), ref.value("type", Json()) == "tag"});
  }
  return out;
}

const PartitionSpec* TableMetadata::FindSpec(int spec_id) const {
  const auto found =
      std::find_if(specs.begin(), specs.end(), [&](const PartitionSpec& s) { return s.spec_id == spec_id; });
  return found == specs.end() ? nullptr : &*found;
}

std::string WriteMetadata(const TableMetadata& metadata) {
  OrderedJson out = ModelToJson(metadata);
  if (metadata.loaded.is_object()) {
    Json loaded = metadata.loaded;
    for (const char* key : kWhole) loaded.erase(key);
    MergeUnknown(loaded, out);
  }
  if (!out.contains("default-sort-order-id") || !out.contains("sort-orders")) {
    out["default-sort-order-id"] = 0;
    // Keys in the order in which a loaded document gives them back: the same bytes after every commit.
    out["sort-orders"] = OrderedJson::array({{{"fields", OrderedJson::array()}, {"order-id", 0}}});
  }
  return DumpJson(out) + "\n";
}

Result<TableMetadata> ParseMetadata(std::string_view text) {
  Result<Json> json = ParseJson(text);
  if (!json.ok()) return json.status().WithContext("table metadata");
  if (!json->is_object()) return Corruption("table metadata: not an object");
  TableMetadata out;
  TG_ASSIGN_OR_RETURN(out.format_version, GetInt(*json, "format-version"));
  if (out.format_version != 2) {
    return Unsupported("table metadata: Iceberg format " + std::to_string(out.format_version) +
                       "; this version of tidegate works on format 2");
  }
  TG_RETURN_IF_ERROR(ParseScalars(*json, out));
  TG_RETURN_IF_ERROR(ParseLists(*json, out));
  TG_RETURN_IF_ERROR(ParseLogs(*json, out));
  TG_RETURN_IF_ERROR(CheckReferences(out));
  out.loaded = *std::move(json);
  return out;
}

std::string WriteNameMapping(const std::vector<NameMapping>& mapping) { return DumpJson(MappingToJson(mapping)); }

Result<std::vector<NameMapping>> ParseNameMapping(std::string_view text) {
  Result<Json> json = ParseJson(text);
  if (!json.ok()) return json.status().WithContext("name mapping");
  return MappingFromJson(*json, 1);
}

}  // namespace tidegate::table
