#include "tidegate/publish/small_object.h"

#include <chrono>
#include <thread>

namespace tidegate::publish {
namespace {

/// Fails with PreconditionFailed where another one is written between the look and the read.
Result<SeenObject> ReadOnce(store::ObjectStore& store, const std::string& key, uint64_t max_bytes,
                            const std::string& too_large) {
  TG_ASSIGN_OR_RETURN(const auto reader, store::OpenCurrent(store, key));
  const store::ObjectInfo& info = reader->info();
  if (info.size_bytes > max_bytes) return Corruption(too_large);
  SeenObject out{.text = std::string(info.size_bytes, '\0'), .etag = info.etag};
  TG_RETURN_IF_ERROR(reader->ReadAt(0, out.text).status());
  return out;
}

}  // namespace

Result<SeenObject> ReadSeen(store::ObjectStore& store, const std::string& key, uint64_t max_bytes,
                            const std::string& too_large) {
  constexpr int kLooks = 12;
  for (int look = 1;; ++look) {
    auto seen = ReadOnce(store, key, max_bytes, too_large);
    if (seen.ok() || seen.status().code() != Code::kPreconditionFailed || look == kLooks) return seen;
    std::this_thread::sleep_for(std::chrono::milliseconds(1 << (look / 2)));  // up to 64, and 190 in all
  }
}

Result<Json> ReadMark(store::ObjectStore& store, const std::string& key) {
  constexpr uint64_t kMaxBytes = 4096;
  TG_ASSIGN_OR_RETURN(const std::string text, store.Read(key, kMaxBytes));
  TG_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("not a JSON object");
  return json;
}

}  // namespace tidegate::publish
