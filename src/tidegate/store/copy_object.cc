#include "tidegate/store/copy_object.h"

#include <algorithm>
#include <future>
#include <string>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::store {

namespace {

/// Fills the buffer with what comes at `offset`, as much as a step has. Errors: Corruption where the object ends early.
Status ReadStep(RandomReader& reader, uint64_t offset, const std::string& location, std::string& buffer) {
  const uint64_t size = reader.info().size_bytes;
  buffer.resize(std::min<uint64_t>(size - offset, reader.step_bytes()));
  TG_ASSIGN_OR_RETURN(const size_t read, reader.ReadAt(offset, buffer));
  if (read == buffer.size()) return {};
  return Corruption("cannot copy object: " + Quoted(location) + ": it ended early, after " +
                    std::to_string(offset + read) + " of " + std::to_string(size) + " bytes");
}

}  // namespace

Result<ObjectInfo> CopyObject(ObjectStore& from, const ObjectInfo& source, ObjectStore& to, std::string_view key) {
  TG_ASSIGN_OR_RETURN(const auto reader, from.Open(source));
  TG_ASSIGN_OR_RETURN(const auto writer, to.NewWriter(key, PutMode::kOverwrite));
  const uint64_t size = reader->info().size_bytes;
  const std::string location = from.Location(source.key);
  std::string now, next;
  if (size > 0) TG_RETURN_IF_ERROR(ReadStep(*reader, 0, location, now));
  for (uint64_t offset = 0; offset < size;) {
    offset += now.size();
    std::future<Status> reading;
    if (offset < size) {
      reading = std::async(std::launch::async, [&] { return ReadStep(*reader, offset, location, next); });
    }
    const Status written = writer->Append(now);
    const Status read = reading.valid() ? reading.get() : Status();
    TG_RETURN_IF_ERROR(written);
    TG_RETURN_IF_ERROR(read);
    std::swap(now, next);
  }
  return writer->Finish();
}

}  // namespace tidegate::store
