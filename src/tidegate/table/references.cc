#include "tidegate/table/references.h"

#include <vector>

namespace tidegate::table {

Status References::AddLocation(const std::string& location, std::set<std::string>& keys) {
  TG_ASSIGN_OR_RETURN(std::string key, KeyOf(lake_, location));
  keys.insert(std::move(key));
  return Status::Ok();
}

Status References::AddStatistics(int64_t snapshot_id, std::set<std::string>& keys) {
  for (const char* list : {"statistics", "partition-statistics"}) {
    const Json& loaded = metadata_.loaded;
    if (!loaded.is_object() || !loaded.contains(list) || !loaded[list].is_array()) continue;
    for (const Json& one : loaded[list]) {
      const bool mine = one.is_object() && one.contains("snapshot-id") && one["snapshot-id"] == snapshot_id;
      if (!mine || !one.contains("statistics-path") || !one["statistics-path"].is_string()) continue;
      TG_RETURN_IF_ERROR(AddLocation(one["statistics-path"].get<std::string>(), keys));
    }
  }
  return Status::Ok();
}

Status References::Add(const Snapshot& snapshot, std::set<std::string>& keys) {
  TG_RETURN_IF_ERROR(AddLocation(snapshot.manifest_list, keys));
  TG_RETURN_IF_ERROR(AddStatistics(snapshot.snapshot_id, keys));
  TG_ASSIGN_OR_RETURN(const std::vector<ManifestFile> manifests, files_.ReadList(snapshot));
  for (const ManifestFile& manifest : manifests) {
    if (!manifests_read_.insert(manifest.location).second) continue;
    TG_RETURN_IF_ERROR(AddLocation(manifest.location, keys));
    TG_ASSIGN_OR_RETURN(const std::vector<ManifestEntry> entries, files_.ReadEntries(manifest, metadata_));
    for (const ManifestEntry& entry : entries) {
      if (entry.status != EntryStatus::kDeleted) TG_RETURN_IF_ERROR(AddLocation(entry.file.location, keys));
    }
  }
  return Status::Ok();
}

}  // namespace tidegate::table
