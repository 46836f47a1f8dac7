#include "tidegate/table/lake_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "tidegate/base/hash.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/contract/folder.h"
#include "tidegate/table/metadata_files.h"
#include "tidegate/table/snapshot_builder.h"

namespace tidegate::table {
namespace {

constexpr int kPutAttempts = 3;

// ---------------------------------------------------------------------------------------------------------------------
// Is a change well formed?

Status CheckFile(const TableMetadata& next, const DataFile& file) {
  const PartitionSpec* spec = next.FindSpec(file.spec_id);
  const auto bad = [&](const std::string& why) {
    return InvalidArgument("commit: " + Quoted(file.location) + ": " + why);
  };
  if (file.location.empty()) return bad("a file without a location");
  if (spec == nullptr) return bad("no partition spec " + std::to_string(file.spec_id));
  if (file.partition.size() != spec->fields.size()) return bad("another number of partition values than its spec has");
  if (file.content == FileContent::kEqualityDeletes) return bad("equality deletes are not written");
  if (file.record_count < 0 || file.file_size_bytes < 0) return bad("a negative count");
  return Status::Ok();
}

Status CheckChange(const TableMetadata& next, const Change& change) {
  static constexpr std::array<std::string_view, 4> kOperations = {"append", "overwrite", "delete", "replace"};
  if (std::find(kOperations.begin(), kOperations.end(), change.operation) == kOperations.end()) {
    return InvalidArgument("commit: no such operation: " + Quoted(change.operation));
  }
  if (change.remove_all && !change.remove.empty()) {
    return InvalidArgument("commit: remove_all and a list of files to be removed exclude each other");
  }
  std::set<std::string_view> named(change.remove.begin(), change.remove.end());
  if (named.size() != change.remove.size()) return InvalidArgument("commit: a file is removed twice");
  for (const DataFile& file : change.add) {
    TG_RETURN_IF_ERROR(CheckFile(next, file));
    if (!named.insert(file.location).second) {
      return InvalidArgument("commit: a file is named twice: " + Quoted(file.location));
    }
  }
  return Status::Ok();
}

/// Ids used once, names used once and in UTF-8: what the text of the schema must be to be read back.
Status CheckSchema(const schema::Schema& schema) {
  try {
    (void)schema::ToJson(schema).dump();
  } catch (const OrderedJson::exception&) {
    return InvalidArgument("commit: a column name that is not UTF-8");
  }
  const Result<schema::Schema> back = schema::FromJson(Json(schema::ToJson(schema)));
  if (!back.ok()) return InvalidArgument("commit: " + back.status().message());
  return Status::Ok();
}

// ---------------------------------------------------------------------------------------------------------------------
// The metadata of the next state

int MaxMappingId(const std::vector<NameMapping>& mapping) {
  int max = 0;
  for (const NameMapping& entry : mapping) max = std::max({max, entry.field_id, MaxMappingId(entry.children)});
  return max;
}

/// Make `wanted` the current schema: an earlier one with the same fields, or a new one.
void ApplySchema(schema::Schema wanted, TableMetadata& next) {
  int max = -1;
  for (const schema::Schema& known : next.schemas) {
    max = std::max(max, known.schema_id);
    if (known.fields == wanted.fields) {
      next.current_schema_id = known.schema_id;
      return;
    }
  }
  wanted.schema_id = max + 1;
  next.current_schema_id = wanted.schema_id;
  next.last_column_id = std::max(next.last_column_id, wanted.MaxId());
  next.schemas.push_back(std::move(wanted));
}

bool SameFields(const PartitionSpec& a, const PartitionSpec& b) {
  return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const PartitionField& x, const PartitionField& y) {
                      return x.source_id == y.source_id && x.field_id == y.field_id && x.name == y.name &&
                             x.transform == y.transform;
                    });
}

Status ApplySpec(const PartitionSpec& wanted, TableMetadata& next) {
  const PartitionSpec* known = next.FindSpec(wanted.spec_id);
  if (known != nullptr && !SameFields(*known, wanted)) {
    return InvalidArgument("commit: partition spec " + std::to_string(wanted.spec_id) + " exists with other fields");
  }
  for (const PartitionField& field : wanted.fields)
    next.last_partition_id = std::max(next.last_partition_id, field.field_id);
  next.default_spec_id = wanted.spec_id;
  if (known == nullptr) next.specs.push_back(wanted);
  return Status::Ok();
}

/// Schema, spec and properties as the change wants them.
Result<TableMetadata> ApplyDefinition(const TableMetadata& base, const Change& change) {
  TableMetadata next = base;
  if (change.schema) {
    TG_RETURN_IF_ERROR(CheckSchema(*change.schema));
    ApplySchema(*change.schema, next);
  }
  if (change.spec) TG_RETURN_IF_ERROR(ApplySpec(*change.spec, next));
  for (const auto& [key, value] : change.set_properties) next.properties[key] = value;
  const auto mapping = next.properties.find(kNameMappingProperty);
  if (mapping != next.properties.end()) {
    // Columns that only the mapping knows have ids too: a new column must not get one of them.
    const Result<std::vector<NameMapping>> parsed = ParseNameMapping(mapping->second);
    if (parsed.ok())
      next.last_column_id = std::max(next.last_column_id, MaxMappingId(*parsed));
    else if (change.set_properties.contains(kNameMappingProperty))
      return InvalidArgument(parsed.status().message());
  }
  return next;
}

int64_t NewSnapshotId(const TableMetadata& metadata) {
  for (;;) {
    const auto id = static_cast<int64_t>(RandomBits() & uint64_t{std::numeric_limits<int64_t>::max()});
    if (id != 0 && metadata.FindSnapshot(id) == nullptr) return id;
  }
}

/// Readers insist on times that rise; a clock that is behind does not stop commits.
int64_t NextTimestamp(const TableMetadata& base, UtcTime now) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count();
  return base.snapshots.empty() && base.last_updated_ms == 0 ? ms : std::max<int64_t>(ms, base.last_updated_ms + 1);
}

size_t MaxPreviousVersions(const TableMetadata& metadata) {
  constexpr size_t kDefault = 100;
  const auto found = metadata.properties.find("write.metadata.previous-versions-max");
  if (found == metadata.properties.end()) return kDefault;
  size_t value = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, value);
  return error == std::errc() && stop == end && value >= 1 && value <= 10'000 ? value : kDefault;
}

void AppendMetadataLog(const TableMetadata& base, const std::string& previous_file, TableMetadata& next) {
  if (!previous_file.empty()) next.metadata_log.push_back({base.last_updated_ms, previous_file});
  const size_t keep = MaxPreviousVersions(next);
  if (next.metadata_log.size() > keep) {
    const auto surplus = static_cast<std::ptrdiff_t>(next.metadata_log.size() - keep);
    next.metadata_log.erase(next.metadata_log.begin(), next.metadata_log.begin() + surplus);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Changes of the metadata alone

Status NoSuchSnapshot(int64_t id) { return InvalidArgument("commit: no such snapshot: " + std::to_string(id)); }

Status MakeCurrent(int64_t id, TableMetadata& next) {
  const Snapshot* snapshot = next.FindSnapshot(id);
  if (snapshot == nullptr) return NoSuchSnapshot(id);
  next.current_snapshot_id = id;
  next.snapshot_log.push_back({next.last_updated_ms, id});
  if (next.SchemaOf(id) != nullptr) next.current_schema_id = *snapshot->schema_id;
  return Status::Ok();
}

/// Statistics of snapshots that are gone go with them.
void DropStatistics(const std::set<int64_t>& ids, Json& loaded) {
  for (const char* key : {"statistics", "partition-statistics"}) {
    if (!loaded.is_object() || !loaded.contains(key) || !loaded[key].is_array()) continue;
    Json kept = Json::array();
    for (const Json& one : loaded[key]) {
      const bool has_id = one.is_object() && one.contains("snapshot-id") && one["snapshot-id"].is_number_integer();
      if (!has_id || !ids.contains(one["snapshot-id"].get<int64_t>())) kept.push_back(one);
    }
    loaded[key] = std::move(kept);
  }
}

/// The log without what lies before a gap: a history with a hole would tell readers a wrong state for that time.
void CutSnapshotLog(const std::set<int64_t>& ids, TableMetadata& next) {
  const auto last_gone = std::find_if(next.snapshot_log.rbegin(), next.snapshot_log.rend(),
                                      [&](const auto& entry) { return ids.contains(entry.snapshot_id); });
  next.snapshot_log.erase(next.snapshot_log.begin(), last_gone.base());
}

Status DropSnapshots(const std::set<int64_t>& ids, TableMetadata& next) {
  const std::vector<Ref> refs = next.Refs();
  for (const int64_t id : ids) {
    if (next.FindSnapshot(id) == nullptr) return NoSuchSnapshot(id);
    const bool named = std::any_of(refs.begin(), refs.end(), [&](const Ref& ref) { return ref.snapshot_id == id; });
    if (named || next.current_snapshot_id == id) {
      return InvalidArgument("commit: a snapshot that is current, or that a branch or tag names, stays: " +
                             std::to_string(id));
    }
  }
  if (ids.empty()) return Status::Ok();
  std::erase_if(next.snapshots, [&](const Snapshot& snapshot) { return ids.contains(snapshot.snapshot_id); });
  CutSnapshotLog(ids, next);
  DropStatistics(ids, next.loaded);
  return Status::Ok();
}

Status CheckLakeFormat(const TableMetadata& metadata, const std::string& folder) {
  const auto format = metadata.properties.find(kLakeFormatProperty);
  if (format == metadata.properties.end() || format->second == kLakeFormat) return Status::Ok();
  return Unsupported("lake: " + Quoted(folder) + " was written by a newer tidegate (lake format " +
                     Quoted(format->second) + ", this one reads " + kLakeFormat + "): install that version");
}

// ---------------------------------------------------------------------------------------------------------------------
// The pointer

enum class Flip { kOurs, kForeign, kNotThere };

/// Whose is the version that now stands under `key`?
Result<Flip> LookAtVersion(store::ObjectStore& lake, const std::string& key, const std::string& bytes) {
  const Result<std::string> found = lake.Read(key, kMaxMetadataBytes);
  if (found.ok()) return *found == bytes ? Flip::kOurs : Flip::kForeign;
  if (found.status().code() == Code::kNotFound) return Flip::kNotThere;
  return found.status();
}

/// Was the put refused, so that nothing of it can appear later?
bool IsRefusal(Code code) {
  return code == Code::kInvalidArgument || code == Code::kUnauthenticated || code == Code::kPermissionDenied ||
         code == Code::kNotFound || code == Code::kUnsupported;
}

/// Create the version if nobody has. A reply that is lost is made up for by reading; while the outcome is open the same
/// bytes are offered again, so that a late first attempt cannot appear after we gave up on it.
/// *settled: nothing of ours can appear there any more.
Status CreateVersion(store::ObjectStore& lake, const std::string& key, const std::string& bytes, bool* settled) {
  Status put_status;
  Result<Flip> flip = Flip::kNotThere;
  for (int attempt = 0; attempt < kPutAttempts && put_status.code() != Code::kCancelled; ++attempt) {
    const Result<store::ObjectInfo> put = lake.Put(key, bytes, store::PutMode::kCreateOnly);
    if (put.ok()) return Status::Ok();
    put_status = put.status();
    flip = LookAtVersion(lake, key, bytes);
    if (flip.ok() && *flip == Flip::kOurs) return Status::Ok();
    *settled = flip.ok() && (*flip == Flip::kForeign || IsRefusal(put_status.code()));
    if (*settled && *flip == Flip::kNotThere) return put_status.WithContext("commit: " + key);
    if (*settled) {
      return PreconditionFailed("commit: somebody else has committed meanwhile: load the table and plan again: " +
                                Quoted(key));
    }
  }
  const bool known_absent =
      flip.ok() && put_status.code() != Code::kUnknownOutcome && put_status.code() != Code::kAlreadyExists;
  if (known_absent) return put_status.WithContext("commit: " + key);
  return UnknownOutcome("commit: it may have happened: load the table to find out: " + Quoted(key) + ": " +
                        put_status.message() + (flip.ok() ? "" : "; " + flip.status().message()));
}

}  // namespace

Result<LakeTable> LakeTable::Load(store::ObjectStore& lake, std::string folder) {
  LakeTable table(lake, std::move(folder));
  const MetadataFiles files(lake, table.folder_);
  TG_ASSIGN_OR_RETURN(table.version_, files.FindNewestVersion());
  TG_ASSIGN_OR_RETURN(table.metadata_, files.ReadVersion(table.version_));
  TG_RETURN_IF_ERROR(CheckLakeFormat(table.metadata_, table.folder_));
  std::string stated = table.metadata_.location;
  while (stated.ends_with('/')) stated.pop_back();
  const Result<std::string> key = KeyOf(lake, stated);
  if (!key.ok() || *key != table.folder_) {
    return Unsupported("lake: the table was moved: " + Quoted(table.folder_) + ": its metadata names " +
                       Quoted(stated) + ", but it lies at " + Quoted(lake.Location(table.folder_)) +
                       ": open it where it was made");
  }
  return table;
}

LakeTable LakeTable::New(store::ObjectStore& lake, std::string folder, schema::Schema schema, PartitionSpec spec,
                         std::map<std::string, std::string> properties) {
  LakeTable table(lake, std::move(folder));
  TableMetadata& metadata = table.metadata_;
  metadata.table_uuid = NewUuid();
  metadata.location = lake.Location(table.folder_);
  metadata.last_column_id = schema.MaxId();
  metadata.current_schema_id = schema.schema_id;
  metadata.default_spec_id = spec.spec_id;
  for (const PartitionField& field : spec.fields)
    metadata.last_partition_id = std::max(metadata.last_partition_id, field.field_id);
  metadata.schemas.push_back(std::move(schema));
  metadata.specs.push_back(std::move(spec));
  metadata.properties = std::move(properties);
  return table;
}

std::string LakeTable::MetadataLocation() const {
  return lake_->Location(MetadataFiles(*lake_, folder_).VersionKey(version_));
}

Result<LiveFiles> LakeTable::ReadLiveFiles(std::optional<int64_t> snapshot_id) const {
  LiveFiles out;
  const Snapshot* snapshot = snapshot_id ? metadata_.FindSnapshot(*snapshot_id) : metadata_.current_snapshot();
  if (snapshot == nullptr && snapshot_id) {
    return NotFound("lake: " + Quoted(folder_) + ": no snapshot " + std::to_string(*snapshot_id));
  }
  if (snapshot == nullptr) return out;
  const MetadataFiles files(*lake_, folder_);
  TG_ASSIGN_OR_RETURN(const std::vector<ManifestFile> manifests, files.ReadList(*snapshot));
  for (const ManifestFile& manifest : manifests) {
    if (!manifest.has_live_files()) continue;
    TG_ASSIGN_OR_RETURN(std::vector<ManifestEntry> entries, files.ReadEntries(manifest, metadata_));
    for (ManifestEntry& entry : entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      if (entry.file.content == FileContent::kEqualityDeletes) {
        return Unsupported("lake: " + Quoted(folder_) + ": another engine wrote equality deletes: " +
                           Quoted(entry.file.location) + ": compact the table with that engine first");
      }
      std::vector<LiveFile>& list = entry.file.content == FileContent::kData ? out.data : out.position_deletes;
      list.push_back({std::move(entry.file), *entry.sequence_number, *entry.snapshot_id});
    }
  }
  return out;
}

Status LakeTable::Commit(const Change& change, UtcTime now) {
  if (version_ == 0) TG_RETURN_IF_ERROR(CheckSchema(metadata_.current_schema()));
  TG_ASSIGN_OR_RETURN(TableMetadata next, ApplyDefinition(metadata_, change));
  TG_RETURN_IF_ERROR(CheckChange(next, change));
  Snapshot snapshot;
  snapshot.snapshot_id = NewSnapshotId(metadata_);
  snapshot.parent_id = metadata_.current_snapshot_id;
  snapshot.sequence_number = metadata_.last_sequence_number + 1;
  snapshot.timestamp_ms = NextTimestamp(metadata_, now);
  snapshot.schema_id = next.current_schema_id;

  MetadataFiles files(*lake_, folder_);
  Status written = SnapshotBuilder(files, metadata_, next, change).Build(snapshot);
  if (written.ok()) written = lake_->Sync();
  if (!written.ok()) {
    files.RemoveWritten();
    return written.WithContext(folder_);
  }
  next.last_sequence_number = snapshot.sequence_number;
  next.last_updated_ms = snapshot.timestamp_ms;
  next.current_snapshot_id = snapshot.snapshot_id;
  next.snapshot_log.push_back({snapshot.timestamp_ms, snapshot.snapshot_id});
  AppendMetadataLog(metadata_, version_ == 0 ? "" : MetadataLocation(), next);
  next.snapshots.push_back(std::move(snapshot));
  bool settled = false;
  Status published = Publish(std::move(next), &settled);
  if (!published.ok() && settled) files.RemoveWritten();
  return published;
}

Status LakeTable::CommitMetadata(const MetadataChange& change, UtcTime now) {
  TableMetadata next = metadata_;
  for (const auto& [key, value] : change.set_properties) next.properties[key] = value;
  for (const std::string& key : change.remove_properties) next.properties.erase(key);
  next.last_updated_ms = NextTimestamp(metadata_, now);
  if (change.current_snapshot) TG_RETURN_IF_ERROR(MakeCurrent(*change.current_snapshot, next));
  TG_RETURN_IF_ERROR(DropSnapshots(change.drop_snapshots, next));
  AppendMetadataLog(metadata_, MetadataLocation(), next);
  bool settled = false;
  return Publish(std::move(next), &settled);
}

Status LakeTable::Publish(TableMetadata next, bool* settled) {
  const MetadataFiles files(*lake_, folder_);
  const int64_t version = version_ + 1;
  TG_RETURN_IF_ERROR(CreateVersion(*lake_, files.VersionKey(version), WriteMetadata(next), settled));
  if (const Status durable = lake_->Sync(); !durable.ok()) {
    return UnknownOutcome("commit: done, but not known to be durable: load the table again: " + folder_ + ": " +
                          durable.message());
  }
  metadata_ = std::move(next);
  version_ = version;
  if (const Status hint = MendHint(); !hint.ok()) {
    Log(LogLevel::kWarning, "version hint not written (the next run writes it): " + hint.message());
  }
  return Status::Ok();
}

Status LakeTable::MendHint() const {
  constexpr uint64_t kMaxHintBytes = 1'000;
  const MetadataFiles files(*lake_, folder_);
  const std::string wanted = std::to_string(version_);
  const auto found = lake_->Read(files.HintKey(), kMaxHintBytes);
  if (found.ok() && *found == wanted) return Status::Ok();
  return lake_->Put(files.HintKey(), wanted, store::PutMode::kOverwrite).status();
}

std::string FolderOf(const contract::TableName& table) { return table.schema + "/" + table.table; }

Result<std::vector<contract::TableName>> ListTables(store::ObjectStore& lake) {
  std::vector<contract::TableName> out;
  const auto children = [&](const std::string& prefix) -> Result<std::vector<std::string>> {
    store::ListRequest request;
    request.prefix = prefix;
    request.delimited = true;
    TG_ASSIGN_OR_RETURN(const store::Listing listing, lake.List(request));
    std::vector<std::string> names;
    for (const std::string& child : listing.prefixes) {
      const std::string name = child.substr(prefix.size(), child.size() - prefix.size() - 1);
      if (contract::IsName(name)) names.push_back(name);
    }
    return names;
  };
  TG_ASSIGN_OR_RETURN(const std::vector<std::string> schemas, children(""));
  for (const std::string& schema : schemas) {
    TG_ASSIGN_OR_RETURN(const std::vector<std::string> tables, children(schema + "/"));
    for (const std::string& table : tables) {
      store::ListRequest request;
      request.prefix = FolderOf({schema, table}) + "/metadata/v";
      request.max_entries = 1;
      TG_ASSIGN_OR_RETURN(const store::Listing listing, lake.List(request));
      if (!listing.objects.empty()) out.push_back({schema, table});
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace tidegate::table
