#include "tidegate/publish/mark.h"

namespace tidegate::publish {

Result<Json> ReadMark(store::ObjectStore& store, const std::string& key) {
  constexpr uint64_t kMaxBytes = 4096;
  TG_ASSIGN_OR_RETURN(const std::string text, store.Read(key, kMaxBytes));
  TG_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("not a JSON object");
  return json;
}

}  // namespace tidegate::publish
