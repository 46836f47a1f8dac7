#include "tidegate/publish/runs.h"

#include <algorithm>
#include <map>

#include "tidegate/base/text.h"
#include "tidegate/catalog/location.h"
#include "tidegate/publish/layout.h"

namespace tidegate::publish {
namespace {

/// "run=<id>/name" below a prefix that ends in "run=": the id, and the rest; nothing for other keys.
std::optional<std::pair<RunId, std::string>> Parse(std::string_view key, size_t prefix_size) {
  key.remove_prefix(prefix_size);
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos || !IsRunId(key.substr(0, slash))) return std::nullopt;
  return std::pair(RunId(key.substr(0, slash)), std::string(key.substr(slash + 1)));
}

void Take(Run& run, const std::string& name, const store::ObjectInfo& object) {
  if (name.find('/') != std::string::npos) {
    run.foreign.push_back(object.key);
    return;
  }
  run.files.push_back(object);
  if (name == kRunFile) run.complete = true;
  if (name == kSignatureFile) run.published = true;
  if (name == kFailedFile) run.failed = object.modified;
  if (name == kRetiredFile) run.retired = true;
}

Status ListBelow(store::ObjectStore& store, const std::string& prefix, std::map<std::string, Run>& runs) {
  TG_ASSIGN_OR_RETURN(const store::Listing listing, store.List({.prefix = prefix}));
  const auto run_of = [&](const RunId& id) -> Run& {
    Run& run = runs[prefix + id];
    run.id = id;
    run.folder = prefix + id;
    return run;
  };
  for (const store::ObjectInfo& object : listing.objects) {
    if (const auto place = Parse(object.key, prefix.size())) Take(run_of(place->first), place->second, object);
  }
  for (const std::string& key : listing.refused) {
    if (const auto place = Parse(key, prefix.size())) run_of(place->first).foreign.push_back(key);
  }
  return {};
}

}  // namespace

Result<std::vector<Run>> ListRuns(store::ObjectStore& store, const std::string& partition_path) {
  std::map<std::string, Run> runs;
  for (const bool aside : {false, true}) {
    TG_RETURN_IF_ERROR(ListBelow(store, RunsPrefix(partition_path, aside), runs));
  }
  std::vector<Run> out;
  out.reserve(runs.size());
  for (auto& [folder, run] : runs) out.push_back(std::move(run));
  std::sort(out.begin(), out.end(), [](const Run& a, const Run& b) { return a.id < b.id; });
  return out;
}

const Run* FindRun(const std::vector<Run>& runs, const std::string& folder) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) { return run.folder == folder; });
  return found == runs.end() ? nullptr : &*found;
}

const Run* RunAt(const std::vector<Run>& runs, const std::string& root_url, const std::string& location) {
  const auto folder = catalog::FolderOf(root_url, location);
  return folder ? FindRun(runs, *folder) : nullptr;
}

Result<RunManifest> ReadRun(store::ObjectStore& store, const Run& run) {
  const std::string key = KeyIn(run.folder, kRunFile);
  TG_ASSIGN_OR_RETURN(const std::string text, store.Read(key, kMaxManifestBytes));
  auto manifest = ReadRunManifest(text);
  if (!manifest.ok()) return manifest.status().WithContext(Quoted(store.Location(key), 1200));
  return manifest;
}

Status CheckWhole(const Run& run, const RunManifest& manifest) {
  for (const RunFile& file : manifest.files) {
    const std::string key = KeyIn(run.folder, file.name);
    const auto found = std::find_if(run.files.begin(), run.files.end(),
                                    [&](const store::ObjectInfo& object) { return object.key == key; });
    if (found != run.files.end() && found->size_bytes == file.bytes) continue;
    return Corruption("run " + run.id + " is not whole any more: " + Quoted(key, 1200) +
                      (found == run.files.end() ? " is gone" : " has another size"));
  }
  return {};
}

}  // namespace tidegate::publish
