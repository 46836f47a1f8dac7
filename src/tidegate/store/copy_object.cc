#include "tidegate/store/copy_object.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::store {

Result<ObjectInfo> CopyObject(ObjectStore& from, const ObjectInfo& source, ObjectStore& to, std::string_view key) {
  constexpr uint64_t kStepBytes = 4 << 20;
  TG_ASSIGN_OR_RETURN(const auto reader, from.Open(source));
  TG_ASSIGN_OR_RETURN(const auto writer, to.NewWriter(key, PutMode::kOverwrite));
  const uint64_t size = reader->info().size_bytes;
  std::string buffer(std::min(size, kStepBytes), '\0');
  for (uint64_t offset = 0; offset < size;) {
    const std::span<char> step(buffer.data(), std::min(size - offset, kStepBytes));
    TG_ASSIGN_OR_RETURN(const size_t read, reader->ReadAt(offset, step));
    if (read != step.size()) {
      return Corruption("cannot copy object: " + Quoted(from.Location(source.key)) + ": it ended early, after " +
                        std::to_string(offset + read) + " of " + std::to_string(size) + " bytes");
    }
    TG_RETURN_IF_ERROR(writer->Append({buffer.data(), read}));
    offset += read;
  }
  return writer->Finish();
}

}  // namespace tidegate::store
