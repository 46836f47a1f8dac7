#include "tidegate/store/object_store.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::store {
namespace {

constexpr size_t kMaxKeyBytes = 1024;

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

CodePoint DecodeFirst(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t value = lead & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // longer spellings of a small value are not UTF-8
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[bytes] || value > 0x10FFFF || surrogate) return {};
  return {value, bytes};
}

Status BadKey(std::string_view key, const char* why) {
  return InvalidArgument("not a usable object key: " + Quoted(key) + ": " + why);
}

Status CheckCharacters(std::string_view key) {
  for (size_t at = 0; at < key.size();) {
    const CodePoint point = DecodeFirst(key.substr(at));
    if (point.bytes == 0) return BadKey(key, "it is not UTF-8; rename the object");
    const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
    if (control) return BadKey(key, "it holds a control character; rename the object");
    at += point.bytes;
  }
  return Status::Ok();
}

}  // namespace

Status RandomReader::ReadAll(const std::function<Status(std::string_view)>& take) {
  constexpr uint64_t kStepBytes = 4 << 20;
  const uint64_t size = info().size_bytes;
  std::string buffer(std::min(size, kStepBytes), '\0');
  for (uint64_t offset = 0; offset < size;) {
    const std::span<char> step = std::span(buffer).first(std::min(size - offset, kStepBytes));
    TG_ASSIGN_OR_RETURN(const size_t read, ReadAt(offset, step));
    offset += read;
    if (read != step.size()) {
      return Corruption("cannot read object: " + Quoted(info().key) + ": it ended early, after " +
                        std::to_string(offset) + " of " + std::to_string(size) + " bytes");
    }
    TG_RETURN_IF_ERROR(take({step.data(), step.size()}));
  }
  return {};
}

Result<std::string> ObjectStore::Read(std::string_view key, uint64_t max_bytes) {
  TG_ASSIGN_OR_RETURN(FetchedObject object, Fetch(key, max_bytes));
  return std::move(object.bytes);
}

Result<ObjectInfo> ObjectStore::Replace(std::string_view key, std::string_view, const std::string&) {
  return Unsupported("cannot replace object: " + Quoted(Location(key)) + ": this store cannot compare and swap");
}

Status ObjectStore::RequestRestore(std::string_view key, const RestoreRequest&) {
  return Unsupported("cannot restore object: " + Quoted(Location(key)) + ": this store has no cold storage");
}

Status CheckKey(std::string_view key) {
  if (key.empty()) return BadKey(key, "it is empty");
  if (key.size() > kMaxKeyBytes) return BadKey(key, "it is longer than 1,024 bytes");
  for (const std::string_view segment : Split(key, '/')) {
    if (segment.empty()) return BadKey(key, "it has an empty segment (a '/' at an end, or two in a row)");
    if (segment == "." || segment == "..") return BadKey(key, "'.' and '..' may not be segments");
  }
  return CheckCharacters(key);
}

}  // namespace tidegate::store
