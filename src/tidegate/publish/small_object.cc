#include "tidegate/publish/small_object.h"

namespace tidegate::publish {

Result<SeenObject> ReadSeen(store::ObjectStore& store, const std::string& key, uint64_t max_bytes,
                            const std::string& too_large) {
  TG_ASSIGN_OR_RETURN(const auto reader, store::OpenCurrent(store, key));
  const store::ObjectInfo& info = reader->info();
  if (info.size_bytes > max_bytes) return Corruption(too_large);
  SeenObject out{.text = std::string(info.size_bytes, '\0'), .etag = info.etag};
  TG_RETURN_IF_ERROR(reader->ReadAt(0, out.text).status());
  return out;
}

Result<Json> ReadMark(store::ObjectStore& store, const std::string& key) {
  constexpr uint64_t kMaxBytes = 4096;
  TG_ASSIGN_OR_RETURN(const std::string text, store.Read(key, kMaxBytes));
  TG_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("not a JSON object");
  return json;
}

}  // namespace tidegate::publish
