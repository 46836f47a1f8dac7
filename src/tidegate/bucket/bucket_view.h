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
#include "tidegate/bucket/manifest_cache.h"
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
  enum class Kind {
    kNameRefused,
    kStray,
    kManifestUnreadable,
    kManifestOdd,
    kManifestsFrozen,
    kForeignKey,
    kRefusedKey
  };
  Kind kind;
  std::string subject;  // key, escaped for printing
  std::string detail;
  std::string name = {};  // kNameRefused: the name as it is, for machines
};

/// "name_refused", "stray_key", "manifest_unreadable", "manifest_odd", "manifests_frozen", …: the words that reports
/// use.
std::string_view FindingName(Finding::Kind kind);

/// Of the version in use, the deliveries of a day ("2026-11-03") and later; of v1, __initial__ too.
struct Window {
  contract::Version version = contract::Version::kV2;
  std::string since;

  bool Covers(const contract::Delivery& delivery) const {
    return delivery.version == version && (delivery.is_initial() || delivery.date >= since);
  }
  friend bool operator==(const Window&, const Window&) = default;
};

struct BucketView {
  bool has_v2_manifest_key = false;  // C-12
  std::map<contract::TableName, TableFolders> tables;
  std::map<contract::Delivery, contract::Manifest> manifests;  // readable ones
  std::vector<contract::Delivery> unreadable_manifests;        // there, but count as absent (C-33)
  std::vector<store::ObjectInfo> frozen_manifests;             // those of them that lie in cold storage
  std::vector<Finding> findings;
  size_t foreign_keys = 0;  // outside the layout
  /// What a scan of the recent days looked at; absent: a scan of everything.
  std::optional<Window> window;
  std::set<std::string> also;  // paths of older folders that were looked at all the same
  /// Manifests outside of this were not read: they are those that an earlier scan read. Absent: as `window`.
  std::optional<Window> manifest_window;
  std::vector<store::ObjectInfo> manifest_objects;  // all that were listed

  /// Would the folders of a delivery that are not in `also` have been seen? And its manifest?
  bool Covers(const contract::Delivery& delivery) const { return !window || window->Covers(delivery); }
  bool CoversManifest(const contract::Delivery& delivery) const {
    return Covers(delivery) && (!manifest_window || manifest_window->Covers(delivery));
  }
  bool Covers(const contract::Folder& folder) const { return Covers(folder.delivery) || also.contains(folder.Path()); }

  /// The folders of a table that have the shape of `mode`; empty where there are none.
  const FolderMap& FoldersOf(const contract::TableName& table, contract::TableMode mode) const;

  /// Those that have a folder or a manifest, in the order of C-20.
  std::set<contract::Delivery> Deliveries() const;

  /// What the newest manifest that delivers the table says of it.
  const contract::DeliveredTable* NewestMention(const contract::TableName& table) const;
};

/// The shapes of folders that a table has in the bucket; more than one only where its mode changed.
using Shapes = std::set<contract::TableMode>;

/// What a scan of the recent days needs to know.
struct RecentScan {
  Window window;
  std::map<contract::TableName, Shapes> tables;  // those known so far, of the version in use
  std::vector<contract::Folder> open;            // older folders to be looked at all the same
  /// Counts up from scan to scan: each looks in one of the schemas for tables that nobody named, one after the other.
  uint64_t turn = 0;
};

/// Manifests outside of a window, as they were read once.
struct PastManifests {
  Window window;
  std::string hash;  // HashOfManifests
  friend bool operator==(const PastManifests&, const PastManifests&) = default;
};

/// Over keys, sizes and ETags of those outside of the window.
std::string HashOfManifests(const std::vector<store::ObjectInfo>& manifests, const Window& window);

struct ScanOptions {
  std::vector<std::string> table_globs;  // "schema.table"; empty: all
  std::vector<std::string> exclude_globs;
  /// Manifests of deliveries before this one are not read (their keys still count as there). Absent: all are read.
  std::optional<contract::Delivery> manifests_from;
  /// Absent: list everything.
  std::optional<RecentScan> recent = {};
  /// Of a listing of everything: where the manifests outside of this window are still those, they are not read.
  std::optional<PastManifests> past_manifests = {};
  /// Manifests that are known are not read again; those read are put into it. May be null.
  ManifestCache* known_manifests = nullptr;
};

/// Does the choice of tables (`--table`, `--exclude`) take this one?
bool Chosen(const contract::TableName& table, const ScanOptions& options);

/// List the bucket and read its manifests. A scan of everything costs one listing of v1/ and one of v2/, and a read for
/// each manifest. One of the recent days costs, whatever the length of the history:
/// - one listing of the manifests, and a read for each that is not known;
/// - v2: one listing of the names of the tables of one schema; v1: one that looks whether v2 has begun;
/// - one listing of each table that is known, that a manifest names or that was found now, and one of each open folder.
/// Keys outside the layout, and names that are refused, are found by a scan of everything alone.
Result<BucketView> ScanBucket(store::ObjectStore& bucket, const ScanOptions& options);

/// Adds to a view what lies in a hole of a table's history: folders after one delivery (absent: from the first on) and
/// before another (absent: to the last). Cost: one listing, which goes on past `before` to the end of its page.
struct Hole {
  std::optional<contract::Delivery> after, before;
};
Status LookInto(store::ObjectStore& bucket, const contract::TableName& table, const Hole& hole, BucketView& view);

/// List one folder anew. What a whole-bucket listing shows of a folder may be torn: its seal can be newer than its
/// files. Once the seal was seen, this listing is whole (C-10).
Result<FolderState> ReadFolder(store::ObjectStore& bucket, const contract::Folder& folder);

}  // namespace tidegate::bucket
