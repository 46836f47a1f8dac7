#include "tidegate/table/snapshot_builder.h"

#include <algorithm>
#include <numeric>

#include "tidegate/base/text.h"
#include "tidegate/table/manifest.h"

namespace tidegate::table {
namespace {

constexpr int64_t kMinCountToMerge = 100;
constexpr int64_t kTargetManifestBytes = int64_t{8} << 20;
/// Keeps a manifest of a first load to some megabytes.
constexpr size_t kMaxEntries = 10'000;

ManifestEntry AsExisting(ManifestEntry entry) {
  entry.status = EntryStatus::kExisting;
  return entry;
}

void SetCount(Summary& summary, const std::string& key, int64_t value) {
  if (value > 0) summary[key] = std::to_string(value);
}

}  // namespace

int64_t SnapshotBuilder::NumberProperty(const char* key, int64_t otherwise, int64_t least) const {
  const std::optional<int64_t> value = CountIn(next_.properties, key);
  return value && *value >= least ? *value : otherwise;
}

Status SnapshotBuilder::Build(Snapshot& snapshot) {
  to_remove_.insert(change_.remove.begin(), change_.remove.end());
  Add(snapshot);
  if (const Snapshot* parent = base_.current_snapshot()) {
    TG_ASSIGN_OR_RETURN(const std::vector<ManifestFile> old, files_.ReadList(*parent));
    TG_RETURN_IF_ERROR(CarryOver(snapshot, old));
  }
  if (!to_remove_.empty()) {
    return InvalidArgument("commit: a file to be removed is not in the table: " + Quoted(*to_remove_.begin()));
  }
  TG_RETURN_IF_ERROR(Merge());
  TG_ASSIGN_OR_RETURN(const std::vector<ManifestFile> manifests, WriteManifests(snapshot));
  TG_ASSIGN_OR_RETURN(snapshot.manifest_list,
                      files_.Write(files_.ListKey(snapshot.snapshot_id), WriteManifestList(snapshot, manifests)));
  snapshot.summary = MakeSummary(manifests);
  return Status::Ok();
}

void SnapshotBuilder::Add(const Snapshot& snapshot) {
  std::map<std::pair<bool, int>, std::vector<ManifestEntry>> groups;
  for (const DataFile& file : change_.add) {
    ManifestEntry entry;
    entry.snapshot_id = snapshot.snapshot_id;
    entry.file = file;
    groups[{file.content != FileContent::kData, file.spec_id}].push_back(std::move(entry));
    Counters& counters = added_[file.content];
    ++counters.files;
    counters.records += file.record_count;
    counters.bytes += file.file_size_bytes;
  }
  for (auto& [group, entries] : groups) {
    Manifest manifest;
    manifest.row.deletes = group.first;
    manifest.row.spec_id = group.second;
    manifest.entries = std::move(entries);
    manifests_.push_back(std::move(manifest));
  }
}

Status SnapshotBuilder::CarryOver(const Snapshot& snapshot, const std::vector<ManifestFile>& old) {
  const size_t first = manifests_.size();
  for (const ManifestFile& row : old) {
    if (row.has_live_files()) manifests_.push_back({row, std::nullopt});
  }
  // Where removed files are: mostly in the newest delete manifests. The rest stays unread once all are found.
  std::vector<size_t> order(manifests_.size() - first);
  std::iota(order.begin(), order.end(), first);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const ManifestFile& x = manifests_[a].row;
    const ManifestFile& y = manifests_[b].row;
    if (x.deletes != y.deletes) return x.deletes;
    return x.sequence_number != y.sequence_number ? x.sequence_number > y.sequence_number : a < b;
  });
  for (const size_t i : order) {
    if (!change_.remove_all && to_remove_.empty()) break;
    TG_RETURN_IF_ERROR(Lose(snapshot, manifests_[i]));
  }
  return Status::Ok();
}

Status SnapshotBuilder::Lose(const Snapshot& snapshot, Manifest& manifest) {
  TG_ASSIGN_OR_RETURN(std::vector<ManifestEntry> read, files_.ReadEntries(manifest.row, base_));
  std::vector<ManifestEntry> entries;
  bool loses = false;
  for (ManifestEntry& entry : read) {
    if (entry.status == EntryStatus::kDeleted) continue;
    entry.status = EntryStatus::kExisting;
    if (change_.remove_all || to_remove_.erase(entry.file.location) > 0) {
      loses = true;
      entry.status = EntryStatus::kDeleted;
      entry.snapshot_id = snapshot.snapshot_id;
      Counters& counters = removed_[entry.file.content];
      ++counters.files;
      counters.records += entry.file.record_count;
      counters.bytes += entry.file.file_size_bytes;
    }
    entries.push_back(std::move(entry));
  }
  if (loses) manifest.entries = std::move(entries);
  return Status::Ok();
}

Status SnapshotBuilder::Merge() {
  const auto least = static_cast<size_t>(NumberProperty("commit.manifest.min-count-to-merge", kMinCountToMerge, 2));
  const int64_t target = NumberProperty("commit.manifest.target-size-bytes", kTargetManifestBytes, 1);
  std::map<std::pair<bool, int>, std::vector<size_t>> groups;
  for (size_t i = 0; i < manifests_.size(); ++i) {
    const ManifestFile& row = manifests_[i].row;
    if (row.length_bytes < target) groups[{row.deletes, row.spec_id}].push_back(i);
  }
  for (const auto& [group, members] : groups) {
    if (members.size() > least) TG_RETURN_IF_ERROR(MergeGroup(members, target));
  }
  std::erase_if(manifests_, [](const Manifest& one) { return one.entries && one.entries->empty(); });
  return Status::Ok();
}

/// Move the entries of small manifests together until a manifest has about the target size. Members are newest first.
Status SnapshotBuilder::MergeGroup(const std::vector<size_t>& members, int64_t target_bytes) {
  size_t into = members[0];
  int64_t bytes = 0;
  std::vector<ManifestEntry> entries;
  for (const size_t member : members) {
    if (bytes >= target_bytes) {
      manifests_[into].entries = std::move(entries);
      entries.clear();
      into = member;
      bytes = 0;
    }
    bytes += manifests_[member].row.length_bytes;
    TG_RETURN_IF_ERROR(AppendEntries(manifests_[member], entries));
    manifests_[member].entries.emplace();  // empty: gone, unless it is the one merged into
  }
  manifests_[into].entries = std::move(entries);
  return Status::Ok();
}

Status SnapshotBuilder::AppendEntries(const Manifest& manifest, std::vector<ManifestEntry>& out) const {
  if (manifest.entries) {
    out.insert(out.end(), manifest.entries->begin(), manifest.entries->end());
    return Status::Ok();
  }
  TG_ASSIGN_OR_RETURN(std::vector<ManifestEntry> read, files_.ReadEntries(manifest.row, base_));
  for (ManifestEntry& entry : read) {
    if (entry.status != EntryStatus::kDeleted) out.push_back(AsExisting(std::move(entry)));
  }
  return Status::Ok();
}

Result<std::vector<ManifestFile>> SnapshotBuilder::WriteManifests(const Snapshot& snapshot) {
  std::vector<ManifestFile> out;
  for (const Manifest& manifest : manifests_) {
    if (!manifest.entries) {
      out.push_back(manifest.row);
      continue;
    }
    const PartitionSpec& spec = *next_.FindSpec(manifest.row.spec_id);
    for (size_t begin = 0; begin < manifest.entries->size(); begin += kMaxEntries) {
      const size_t end = std::min(begin + kMaxEntries, manifest.entries->size());
      const std::vector<ManifestEntry> part(manifest.entries->begin() + static_cast<std::ptrdiff_t>(begin),
                                            manifest.entries->begin() + static_cast<std::ptrdiff_t>(end));
      ManifestFile row = SummarizeManifest(spec, manifest.row.deletes, snapshot.sequence_number, part);
      const std::string bytes = WriteManifest(next_.current_schema(), spec, manifest.row.deletes, part);
      TG_ASSIGN_OR_RETURN(row.location, files_.Write(files_.ManifestKey(written_++), bytes));
      row.length_bytes = static_cast<int64_t>(bytes.size());
      row.added_snapshot_id = snapshot.snapshot_id;
      out.push_back(std::move(row));
    }
  }
  return out;
}

/// The counters that Iceberg's readers know, over those that the caller gave.
Summary SnapshotBuilder::MakeSummary(const std::vector<ManifestFile>& manifests) const {
  Summary out = change_.summary;
  out["operation"] = change_.operation;
  SetChanges(out);
  SetTotals(manifests, out);
  return out;
}

SnapshotBuilder::Counters SnapshotBuilder::Of(const ContentCounters& counters, FileContent content) {
  const auto found = counters.find(content);
  return found == counters.end() ? Counters{} : found->second;
}

void SnapshotBuilder::SetChanges(Summary& out) const {
  const Counters data = Of(added_, FileContent::kData);
  const Counters positions = Of(added_, FileContent::kPositionDeletes);
  SetCount(out, "added-data-files", data.files);
  SetCount(out, "added-records", data.records);
  SetCount(out, "added-files-size", data.bytes + positions.bytes);
  SetCount(out, "added-delete-files", positions.files);
  SetCount(out, "added-position-delete-files", positions.files);
  SetCount(out, "added-position-deletes", positions.records);
  const Counters gone = Of(removed_, FileContent::kData);
  const Counters gone_positions = Of(removed_, FileContent::kPositionDeletes);
  const Counters gone_equality = Of(removed_, FileContent::kEqualityDeletes);
  SetCount(out, "deleted-data-files", gone.files);
  SetCount(out, "deleted-records", gone.records);
  SetCount(out, "removed-files-size", gone.bytes + gone_positions.bytes + gone_equality.bytes);
  SetCount(out, "removed-delete-files", gone_positions.files + gone_equality.files);
  SetCount(out, "removed-position-delete-files", gone_positions.files);
  SetCount(out, "removed-position-deletes", gone_positions.records);
  SetCount(out, "removed-equality-delete-files", gone_equality.files);
  SetCount(out, "removed-equality-deletes", gone_equality.records);
}

void SnapshotBuilder::SetTotals(const std::vector<ManifestFile>& manifests, Summary& out) const {
  int64_t files[2] = {0, 0};  // data, deletes
  int64_t records = 0;
  for (const ManifestFile& manifest : manifests) {
    files[manifest.deletes ? 1 : 0] += int64_t{manifest.added_files} + manifest.existing_files;
    if (!manifest.deletes) records += manifest.added_rows + manifest.existing_rows;
  }
  out["total-data-files"] = std::to_string(files[0]);
  out["total-records"] = std::to_string(records);
  out["total-delete-files"] = std::to_string(files[1]);
  const auto carry = [&](const char* key, int64_t plus, int64_t minus) {
    // What manifest lists do not say goes on from the parent. A total that the parent lacks stays out: none is better
    // than a wrong one.
    const Snapshot* parent = base_.current_snapshot();
    const bool afresh = parent == nullptr || change_.remove_all;
    const std::optional<int64_t> before = afresh ? std::optional<int64_t>(0) : CountIn(parent->summary, key);
    if (before)
      out[key] = std::to_string(std::max<int64_t>(0, *before + plus - (afresh ? 0 : minus)));
    else
      out.erase(key);
  };
  const auto sum = [](const ContentCounters& counters) {
    int64_t bytes = 0;
    for (const auto& [content, counter] : counters) bytes += counter.bytes;
    return bytes;
  };
  carry("total-files-size", sum(added_), sum(removed_));
  carry("total-position-deletes", Of(added_, FileContent::kPositionDeletes).records,
        Of(removed_, FileContent::kPositionDeletes).records);
  carry("total-equality-deletes", 0, Of(removed_, FileContent::kEqualityDeletes).records);
}

}  // namespace tidegate::table
