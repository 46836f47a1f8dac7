#include "tidegate/table/metadata_files.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/table/manifest.h"

namespace tidegate::table {
namespace {

constexpr uint64_t kMaxHintBytes = 64;
constexpr size_t kMaxVersionDigits = 18;
constexpr int64_t kMaxProbes = 16;
constexpr std::string_view kVersionSuffix = ".metadata.json";

/// A whole number from 1 on, written as we write it: no sign, no zero in front.
std::optional<int64_t> ParseVersionNumber(std::string_view text) {
  int64_t value = 0;
  if (text.empty() || text.size() > kMaxVersionDigits || text[0] < '1' || text[0] > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// How engines spell one place differently, brought to one form.
std::string Normalized(std::string_view location) {
  if (location.starts_with("/")) return "file://" + std::string(location);
  if (location.starts_with("file:/") && !location.starts_with("file://"))
    return "file://" + std::string(location.substr(5));
  for (const std::string_view scheme : {"s3a://", "s3n://"}) {
    if (location.starts_with(scheme)) return "s3://" + std::string(location.substr(scheme.size()));
  }
  return std::string(location);
}

}  // namespace

std::optional<int64_t> ParseVersionName(std::string_view name) {
  if (!name.starts_with('v') || !name.ends_with(kVersionSuffix) || name.size() <= kVersionSuffix.size() + 1) {
    return std::nullopt;
  }
  return ParseVersionNumber(name.substr(1, name.size() - 1 - kVersionSuffix.size()));
}

std::string MetadataFiles::VersionKey(int64_t version) const {
  return folder_ + "/metadata/v" + std::to_string(version) + std::string(kVersionSuffix);
}

std::string MetadataFiles::ManifestKey(int index) {
  if (commit_uuid_.empty()) commit_uuid_ = NewUuid();
  return folder_ + "/metadata/" + commit_uuid_ + "-m" + std::to_string(index) + ".avro";
}

std::string MetadataFiles::ListKey(int64_t snapshot_id) {
  if (commit_uuid_.empty()) commit_uuid_ = NewUuid();
  return folder_ + "/metadata/snap-" + std::to_string(snapshot_id) + "-" + commit_uuid_ + ".avro";
}

Result<std::string> KeyOf(const store::ObjectStore& lake, std::string_view location) {
  std::string root = Normalized(lake.Location("x"));
  root.pop_back();
  const std::string whole = Normalized(location);
  if (!whole.starts_with(root)) {
    return Unsupported("lake: a path that lies outside of it: " + Quoted(location) + ": the lake is at " +
                       Quoted(root) + " (was it moved? Its metadata holds absolute paths: move it back)");
  }
  std::string key = whole.substr(root.size());
  TG_RETURN_IF_ERROR(store::CheckKey(key));
  return key;
}

Result<int64_t> MetadataFiles::FindNewestVersion() const {
  const Result<std::string> hint = lake_->Read(HintKey(), kMaxHintBytes);
  if (!hint.ok() && hint.status().code() != Code::kNotFound && hint.status().code() != Code::kCorruption) {
    return hint.status();
  }
  std::string_view text = hint.ok() ? std::string_view(*hint) : std::string_view();
  while (text.ends_with('\n') || text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  std::optional<int64_t> newest;
  bool ended = false;
  for (std::optional<int64_t> next = ParseVersionNumber(text); next && !ended; ++*next) {
    const Result<store::ObjectInfo> found = lake_->Head(VersionKey(*next));
    if (!found.ok() && found.status().code() != Code::kNotFound) return found.status();
    ended = !found.ok();
    if (!ended) newest = *next;
    if (*next - *ParseVersionNumber(text) >= kMaxProbes) break;  // far behind: one listing is cheaper
  }
  if (newest && ended) return *newest;
  store::ListRequest request;
  request.prefix = folder_ + "/metadata/v";
  TG_ASSIGN_OR_RETURN(const store::Listing listing, lake_->List(request));
  for (const store::ObjectInfo& object : listing.objects) {
    const auto version = ParseVersionName(std::string_view(object.key).substr(request.prefix.size() - 1));
    if (version) newest = std::max(newest.value_or(0), *version);
  }
  if (!newest) return NotFound("lake: no such table: " + Quoted(folder_) + ": no metadata in " + lake_->url());
  return *newest;
}

Result<TableMetadata> MetadataFiles::ReadVersion(int64_t version) const {
  TG_ASSIGN_OR_RETURN(const std::string text, lake_->Read(VersionKey(version), kMaxMetadataBytes));
  Result<TableMetadata> metadata = ParseMetadata(text);
  if (!metadata.ok()) return metadata.status().WithContext(lake_->Location(VersionKey(version)));
  return metadata;
}

Result<std::vector<ManifestFile>> MetadataFiles::ReadList(const Snapshot& snapshot) const {
  TG_ASSIGN_OR_RETURN(const std::string key, KeyOf(*lake_, snapshot.manifest_list));
  TG_ASSIGN_OR_RETURN(const std::string bytes, lake_->Read(key, kMaxManifestBytes));
  Result<std::vector<ManifestFile>> list = ReadManifestList(bytes);
  if (!list.ok()) return list.status().WithContext(Quoted(snapshot.manifest_list));
  return list;
}

Result<std::vector<ManifestEntry>> MetadataFiles::ReadEntries(const ManifestFile& manifest,
                                                              const TableMetadata& metadata) const {
  const PartitionSpec* spec = metadata.FindSpec(manifest.spec_id);
  if (spec == nullptr) {
    return Corruption("manifest: a partition spec that the table lacks: " + Quoted(manifest.location) + ": spec " +
                      std::to_string(manifest.spec_id));
  }
  TG_ASSIGN_OR_RETURN(const std::string key, KeyOf(*lake_, manifest.location));
  TG_ASSIGN_OR_RETURN(const std::string bytes, lake_->Read(key, kMaxManifestBytes));
  Result<std::vector<ManifestEntry>> entries = ReadManifest(bytes, manifest, *spec);
  if (!entries.ok()) return entries.status().WithContext(Quoted(manifest.location));
  return entries;
}

Result<std::string> MetadataFiles::Write(const std::string& key, std::string_view bytes) {
  written_.push_back(key);  // before the call: a reply that is lost may have written it
  // Not create-only: the name is ours alone, and a store that repeats a put would then find its own object.
  const Result<store::ObjectInfo> put = lake_->Put(key, bytes, store::PutMode::kOverwrite);
  if (!put.ok()) return put.status();
  return lake_->Location(key);
}

void MetadataFiles::RemoveWritten() {
  if (!written_.empty()) (void)lake_->Delete(written_);
  written_.clear();
}

}  // namespace tidegate::table
