#include "tidegate/app/manifest_watch.h"

#include <vector>

namespace tidegate::app {
namespace {

using contract::Version;

std::string ManifestsOf(Version version) {
  return std::string(contract::VersionName(version)) + "/" + std::string(contract::kManifestsName) + "/";
}

}  // namespace

Result<bool> ManifestWatch::Look(store::ObjectStore& bucket, Version in_use, const std::string& from_date) {
  std::vector<store::ObjectInfo> found;
  for (const Version version : {Version::kV1, Version::kV2}) {
    if (version < in_use) continue;
    const std::string prefix = ManifestsOf(version);
    store::ListRequest request{.prefix = prefix};
    if (!from_date.empty()) request.start_after = prefix + "snapshot_date=" + from_date;
    auto listing = bucket.List(request);
    if (!listing.ok()) return listing.status().WithContext("cannot list the manifests of " + bucket.url());
    found.insert(found.end(), listing->objects.begin(), listing->objects.end());
  }
  bool changed = false;
  for (store::ObjectInfo& object : found) {
    const auto [it, added] = seen_.try_emplace(std::move(object.key), object.etag);
    changed = changed || added || it->second != object.etag;
    it->second = std::move(object.etag);
  }
  return changed;
}

std::optional<contract::Delivery> ManifestWatch::Newest(const contract::Delivery& latest) const {
  const std::string prefix = ManifestsOf(latest.version);
  auto it = seen_.upper_bound(contract::ManifestKey(latest));
  while (it != seen_.begin()) {
    --it;
    if (!it->first.starts_with(prefix)) return std::nullopt;
    const auto key = contract::ParseKey(it->first);
    if (key.kind == contract::ParsedKey::Kind::kManifest) return key.folder.delivery;
  }
  return std::nullopt;
}

}  // namespace tidegate::app
