#include "tidegate/bucket/manifest_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tidegate/base/json.h"

namespace tidegate::bucket {
namespace {

constexpr int64_t kFormat = 1;

/// JSON holds UTF-8 alone.
bool GoesThroughJson(const std::string& text) {
  const auto again = ParseJson(DumpJson(OrderedJson(text)));
  return again.ok() && again->is_string() && again->get_ref<const std::string&>() == text;
}

}  // namespace

const std::string* ManifestCache::Find(const store::ObjectInfo& object) {
  const auto found = entries_.find(object.key);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  if (object.etag.empty() || entry.etag != object.etag || entry.size != object.size_bytes) return nullptr;
  entry.used = true;
  return &entry.text;
}

void ManifestCache::Take(const store::ObjectInfo& object, const std::string& text) {
  const bool fits = text.size() == object.size_bytes && text.size() <= kMaxCachedManifestBytes;
  if (!fits || object.etag.empty() || !GoesThroughJson(text)) return;
  entries_[object.key] = {object.etag, object.size_bytes, text, true};
  taken_ = true;
}

bool ManifestCache::changed() const {
  return taken_ || std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) { return !entry.second.used; });
}

std::string ManifestCache::Write(const std::string& bucket_url) const {
  OrderedJson manifests = OrderedJson::array();
  uint64_t bytes = 0;
  for (auto it = entries_.rbegin(); it != entries_.rend() && manifests.size() < kManifestsKept; ++it) {
    const auto& [key, entry] = *it;
    if (!entry.used) continue;
    bytes += entry.text.size();
    if (bytes > kMaxCachedBytes) break;
    manifests.push_back(OrderedJson{{"key", key}, {"etag", entry.etag}, {"size", entry.size}, {"text", entry.text}});
  }
  return DumpJson(OrderedJson{{"format", kFormat}, {"bucket", bucket_url}, {"manifests", std::move(manifests)}}) + "\n";
}

Result<ManifestCache> ManifestCache::Parse(std::string_view text, const std::string& bucket_url) {
  TG_ASSIGN_OR_RETURN(const Json document, ParseJson(text));
  TG_RETURN_IF_ERROR(RequireFormat(document, kFormat));
  TG_ASSIGN_OR_RETURN(const std::string of, RequireText(document, "bucket"));
  if (of != bucket_url) return Corruption("of another bucket");
  const auto manifests = document.find("manifests");
  if (manifests == document.end() || !manifests->is_array()) return Corruption("no array \"manifests\"");
  ManifestCache out;
  for (const Json& manifest : *manifests) {
    TG_ASSIGN_OR_RETURN(std::string key, RequireText(manifest, "key"));
    Entry entry;
    TG_ASSIGN_OR_RETURN(entry.etag, RequireText(manifest, "etag"));
    TG_ASSIGN_OR_RETURN(const int64_t size, RequireInteger(manifest, "size"));
    TG_ASSIGN_OR_RETURN(entry.text, RequireText(manifest, "text"));
    entry.size = static_cast<uint64_t>(size);
    if (size < 0 || entry.size != entry.text.size()) return Corruption("a size that is not that of its text");
    out.entries_[std::move(key)] = std::move(entry);
  }
  return out;
}

}  // namespace tidegate::bucket
