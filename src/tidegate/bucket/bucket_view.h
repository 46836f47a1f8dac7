// BucketView: what stands in a delivery bucket, as one consistent answer to a listing and the manifests it holds.
//
// Guarantees
// - Facts only: which folders exist, whether each is sealed, which data files it holds. What to do with them is decided
//   elsewhere (ingest/, status/).
// - A listing that fails is an error, never an empty bucket (C-12).
// - The seal is looked at in the same listing as the files; a file that appears later is not in the folder.
//
// Not here: reading of data files; what a lake has already taken.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/contract/manifest.h"
#include "tidegate/store/object_store.h"

namespace tidegate::bucket {

/// One folder as listed.
struct FolderState {
  contract::Folder folder;
  std::optional<store::ObjectInfo> seal;  // its _SUCCESS; absent: in progress or failed, never read (C-10)
  std::vector<store::ObjectInfo> files;   // data files, sorted by key
  std::vector<std::string> refused;       // keys of data files that the store cannot read (a symlink, …)
  std::vector<std::string> strays;        // keys in it that are neither data nor control

  bool sealed() const { return seal.has_value(); }
  int64_t bytes() const;
  /// 16 hex digits over the names, sizes and ETags of the files: the identity of what was applied (C-14).
  std::string Fingerprint() const;
};

using FolderMap = std::map<contract::Delivery, FolderState>;

/// The folders of one table, by the shape of their paths (C-1, C-2).
struct TableFolders {
  FolderMap full;
  FolderMap parts;
};

/// Something in the bucket that is passed over and said.
struct Finding {
  enum class Kind { kNameRefused, kStray, kManifestUnreadable, kManifestOdd, kForeignKey, kRefusedKey };
  Kind kind;
  std::string subject;  // key, escaped for printing
  std::string detail;
  std::string name = {};  // kNameRefused: the name as it is, for machines
};

/// "name_refused", "stray_key", "manifest_unreadable", "manifest_odd": the words that reports use.
std::string_view FindingName(Finding::Kind kind);

struct BucketView {
  bool has_v2_manifest_key = false;  // C-12
  std::map<contract::TableName, TableFolders> tables;
  std::map<contract::Delivery, contract::Manifest> manifests;  // readable ones
  std::vector<contract::Delivery> unreadable_manifests;        // there, but count as absent (C-33)
  std::vector<Finding> findings;
  size_t foreign_keys = 0;  // outside the layout
  /// Deliveries of earlier days were not looked at, but for __initial__; absent: all were.
  std::optional<std::string> since;

  bool Covers(const contract::Delivery& delivery) const {
    return !since || delivery.is_initial() || delivery.date >= *since;
  }

  /// The folders of a table that have the shape of `mode`; empty where there are none.
  const FolderMap& FoldersOf(const contract::TableName& table, contract::TableMode mode) const;

  /// Those that have a folder or a manifest, in the order of C-20.
  std::set<contract::Delivery> Deliveries() const;

  /// What the newest manifest that delivers the table says of it.
  const contract::DeliveredTable* NewestMention(const contract::TableName& table) const;
};

struct ScanOptions {
  std::vector<std::string> table_globs;  // "schema.table"; empty: all
  std::vector<std::string> exclude_globs;
  /// Manifests of deliveries before this one are not read (their keys still count as there). Absent: all are read.
  std::optional<contract::Delivery> manifests_from;
  /// List deliveries of this day ("2026-11-03") and later, and __initial__, alone. Absent: list everything.
  std::optional<std::string> since = {};
};

/// Does the choice of tables (`--table`, `--exclude`) take this one?
bool Chosen(const contract::TableName& table, const ScanOptions& options);

/// List the bucket and read its manifests. Cost: one listing of v1/ and one of v2/, one read a manifest; with `since`
/// instead of the two one for each schema and three for each table, whatever the length of the history. Keys outside
/// the layout, and names that are refused, are found by a listing of everything alone.
Result<BucketView> ScanBucket(store::ObjectStore& bucket, const ScanOptions& options);

/// List one folder anew. What a whole-bucket listing shows of a folder may be torn: its seal can be newer than its
/// files. Once the seal was seen, this listing is whole (C-10).
Result<FolderState> ReadFolder(store::ObjectStore& bucket, const contract::Folder& folder);

}  // namespace tidegate::bucket
