#include "tidegate/store/copy_object.h"

namespace tidegate::store {

Result<ObjectInfo> CopyObject(ObjectStore& from, const ObjectInfo& source, ObjectStore& to, std::string_view key) {
  TG_ASSIGN_OR_RETURN(const auto reader, from.Open(source));
  TG_ASSIGN_OR_RETURN(const auto writer, to.NewWriter(key, PutMode::kOverwrite));
  TG_RETURN_IF_ERROR(reader->ReadAll([&](std::string_view piece) { return writer->Append(piece); }));
  return writer->Finish();
}

}  // namespace tidegate::store
