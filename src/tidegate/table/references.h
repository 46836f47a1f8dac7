// References: which objects of a lake snapshots need, so that all others can be told from them.
//
// Guarantees
// - What cannot be read, or lies where its key is not known, is an error, never "needs nothing".
#pragma once

#include <set>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/metadata.h"
#include "tidegate/table/metadata_files.h"

namespace tidegate::table {

class References {
 public:
  /// `metadata` must outlive this.
  References(store::ObjectStore& lake, const std::string& folder, const TableMetadata& metadata)
      : lake_(lake), files_(lake, folder), metadata_(metadata) {}

  /// Put the keys of everything that a snapshot needs into `keys`: its manifest list, its manifests, its live data and
  /// delete files, its statistics. A manifest that an earlier call has read is not read again: its files stand in the
  /// keys of that call.
  Status Add(const Snapshot& snapshot, std::set<std::string>& keys);

 private:
  Status AddLocation(const std::string& location, std::set<std::string>& keys);
  Status AddStatistics(int64_t snapshot_id, std::set<std::string>& keys);

  store::ObjectStore& lake_;
  MetadataFiles files_;
  const TableMetadata& metadata_;
  std::set<std::string> manifests_read_;
};

}  // namespace tidegate::table
