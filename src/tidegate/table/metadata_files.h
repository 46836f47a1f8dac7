// MetadataFiles: the objects below a table's metadata/ folder: their names, reading them, and writing those of one
// commit so that they can be taken back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/metadata.h"

namespace tidegate::table {

/// A metadata.json larger than this is refused unread.
inline constexpr uint64_t kMaxMetadataBytes = 256'000'000;

/// N of "v<N>.metadata.json"; nullopt for any other name.
std::optional<int64_t> ParseVersionName(std::string_view name);

/// The key in `lake` of a location that table metadata names, also as other engines spell it (file:/x and /x for
/// file:///x, s3a:// for s3://). Errors: Unsupported where it lies elsewhere (a lake that was moved: metadata holds
/// absolute paths), InvalidArgument (no key).
Result<std::string> KeyOf(const store::ObjectStore& lake, std::string_view location);

class MetadataFiles {
 public:
  MetadataFiles(store::ObjectStore& lake, std::string folder) : lake_(&lake), folder_(std::move(folder)) {}

  std::string VersionKey(int64_t version) const;
  std::string HintKey() const { return folder_ + "/metadata/version-hint.text"; }
  std::string ManifestKey(int index);
  std::string ListKey(int64_t snapshot_id);

  /// The newest version, from the hint forward, or by one listing. Errors: NotFound (no version at all).
  Result<int64_t> FindNewestVersion() const;
  Result<TableMetadata> ReadVersion(int64_t version) const;
  Result<std::vector<ManifestFile>> ReadList(const Snapshot& snapshot) const;
  Result<std::vector<ManifestEntry>> ReadEntries(const ManifestFile& manifest, const TableMetadata& metadata) const;

  /// Write an object of this commit; returns its location.
  Result<std::string> Write(const std::string& key, std::string_view bytes);
  /// Take back what Write wrote or tried to. Failures are ignored: what stays is garbage that nothing points to.
  void RemoveWritten();

 private:
  store::ObjectStore* lake_;
  std::string folder_;
  std::string commit_uuid_;
  std::vector<std::string> written_;
};

}  // namespace tidegate::table
