// SnapshotBuilder: which manifests a new snapshot has, and its summary.
//
// Guarantees
// - A manifest that loses no file is carried over unread.
// - A manifest that loses a file is written anew: what stays is EXISTING with its own sequence numbers, what goes is
//   DELETED, once, in this snapshot. Older DELETED entries are dropped then.
// - Added files stand in manifests of their own, one per partition spec, delete files apart from data files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/table/metadata.h"
#include "tidegate/table/metadata_files.h"

namespace tidegate::table {

class SnapshotBuilder {
 public:
  /// `base` is the state before; `next` has the schema and the specs of the state to be.
  SnapshotBuilder(MetadataFiles& files, const TableMetadata& base, const TableMetadata& next, const Change& change)
      : files_(files), base_(base), next_(next), change_(change) {}

  /// Write manifests and manifest list; fills `manifest_list` and `summary` of the snapshot.
  /// Errors: InvalidArgument (a file to remove is not live), Corruption, any store error.
  Status Build(Snapshot& snapshot);

 private:
  /// A manifest of the new snapshot: carried over as it is, or with entries still to be written.
  struct Manifest {
    ManifestFile row;
    std::optional<std::vector<ManifestEntry>> entries;
  };
  struct Counters {
    int64_t files = 0, records = 0, bytes = 0;
  };
  using ContentCounters = std::map<FileContent, Counters>;

  Status CarryOver(const Snapshot& snapshot, const std::vector<ManifestFile>& old);
  Status Lose(const Snapshot& snapshot, Manifest& manifest);
  void Add(const Snapshot& snapshot);
  Status Merge();
  Status MergeGroup(const std::vector<size_t>& members, int64_t target_bytes);
  Status AppendEntries(const Manifest& manifest, std::vector<ManifestEntry>& out) const;
  Result<std::vector<ManifestFile>> WriteManifests(const Snapshot& snapshot);
  Summary MakeSummary(const std::vector<ManifestFile>& manifests) const;
  void SetChanges(Summary& out) const;
  void SetTotals(const std::vector<ManifestFile>& manifests, Summary& out) const;
  static Counters Of(const ContentCounters& counters, FileContent content);
  int64_t NumberProperty(const char* key, int64_t otherwise, int64_t least) const;

  MetadataFiles& files_;
  const TableMetadata& base_;
  const TableMetadata& next_;
  const Change& change_;
  std::vector<Manifest> manifests_;
  std::set<std::string> to_remove_;
  ContentCounters added_, removed_;
  int written_ = 0;
};

}  // namespace tidegate::table
