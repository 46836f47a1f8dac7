// LakeTable: one Iceberg table of a lake, its current state and the commit protocol.
//
// On disk (keys below the table's folder `<schema>/<table>/`):
//   metadata/v1.metadata.json, v2…      created only if absent: N *is* the compare-and-swap
//   metadata/version-hint.text          "N", written after the commit; a hint only, readers of ours look past it
//   metadata/snap-<snapshot>-<uuid>.avro    manifest lists
//   metadata/<uuid>-m<n>.avro               manifests
//   data/…                                  data and delete files; named by who adds them
//
// A commit: write manifests and manifest list → Sync() → create vN+1.metadata.json only if absent → Sync() →
// version-hint.text. AlreadyExists on N+1 whose content is ours (same snapshot id) is success whose reply was lost;
// whose content is foreign: PreconditionFailed: load again and plan again.
//
// Not here: what to add or remove (ingest/ decides), catalogs (catalog/).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/metadata.h"

namespace tidegate::table {

struct LiveFile {
  DataFile file;
  int64_t sequence_number = 0;
  int64_t added_snapshot_id = 0;
};

/// The property of a table that says how tidegate keeps its lakes: another value is of a newer version, and refused.
inline constexpr const char* kLakeFormatProperty = "tidegate.lake-format";
inline constexpr const char* kLakeFormat = "1";

/// A writer plans again when another one committed first; after so many times it gives up.
inline constexpr int kMaxPlans = 5;

/// Everything a snapshot holds that is live.
struct LiveFiles {
  std::vector<LiveFile> data;
  std::vector<LiveFile> position_deletes;
};

/// What one commit changes. Removed files are named by location; what is not removed stays.
struct Change {
  std::string operation = "append";      // append, overwrite, delete, replace
  std::vector<DataFile> add;             // data and position-delete files
  std::vector<std::string> remove;       // locations, data or delete files, each must be live
  bool remove_all = false;               // replace all files
  std::optional<schema::Schema> schema;  // new current schema (ids assigned by the caller)
  std::optional<PartitionSpec> spec;     // only together with a new table or a new spec id
  std::map<std::string, std::string> set_properties;
  Summary summary;  // ours; the standard counters are added by Commit
};

/// A change of the metadata alone: no snapshot is added, no file of the table is written or removed.
struct MetadataChange {
  std::optional<int64_t> current_snapshot;  // becomes the current one again, with the schema of its time
  std::set<int64_t> drop_snapshots;         // are forgotten; none may be current or named by a branch or tag
  std::map<std::string, std::string> set_properties;
  std::set<std::string> remove_properties;
};

class LakeTable {
 public:
  /// Read the newest metadata: from version-hint.text forward to the last N that exists; a missing or wrong hint costs
  /// one listing. Errors: NotFound (no such table), Corruption, Unsupported.
  static Result<LakeTable> Load(store::ObjectStore& lake, std::string folder);

  /// The first metadata of a new table: no snapshot yet, nothing written until the first Commit.
  static LakeTable New(store::ObjectStore& lake, std::string folder, schema::Schema schema, PartitionSpec spec,
                       std::map<std::string, std::string> properties);

  const TableMetadata& metadata() const { return metadata_; }
  int64_t version() const { return version_; }  // N of vN.metadata.json; 0: nothing is written yet
  const std::string& folder() const { return folder_; }
  std::string MetadataLocation() const;

  /// Write version-hint.text where it does not name this version: a commit may have died before it could. Readers that
  /// follow the hint would see an older table. Requires: version() > 0.
  Status MendHint() const;

  /// Files of a snapshot (default: current; none: empty).
  Result<LiveFiles> ReadLiveFiles(std::optional<int64_t> snapshot_id = std::nullopt) const;

  /// Commit a change on top of this state; this object then is the new state. Manifests that lose no file are carried
  /// over unread; added files go into new manifests, deletes apart from data. With few manifests it stays so; more than
  /// `commit.manifest.min-count-to-merge` (100) small ones are merged into one.
  /// Errors: PreconditionFailed (somebody else committed: load and plan again; what was written is removed),
  /// UnknownOutcome (neither could be found out), any store error.
  Status Commit(const Change& change, UtcTime now);

  /// Commit a change of the metadata alone, by the same protocol and with the same errors.
  /// Requires: version() > 0. InvalidArgument: a snapshot that is not there, or one to drop that is current or has a
  /// name.
  Status CommitMetadata(const MetadataChange& change, UtcTime now);

 private:
  LakeTable(store::ObjectStore& lake, std::string folder) : lake_(&lake), folder_(std::move(folder)) {}

  /// Make `next` the newest version. *settled: whatever the answer, nothing of it can appear any more.
  Status Publish(TableMetadata next, bool* settled);

  store::ObjectStore* lake_;
  std::string folder_;
  int64_t version_ = 0;
  TableMetadata metadata_;
};

/// "shop/orders", the folder of a table in a lake.
std::string FolderOf(const contract::TableName& table);

/// Tables of a lake: folders `<schema>/<table>/` that hold metadata/, sorted. Names that C-5 refuses are passed over.
Result<std::vector<contract::TableName>> ListTables(store::ObjectStore& lake);

}  // namespace tidegate::table
