#include "tidegate/parquet/footer_bytes.h"

#include <cstdint>

namespace tidegate::parquet {
namespace {

// Types of the Thrift compact protocol.
constexpr int kStop = 0;
constexpr int kTrue = 1;
constexpr int kFalse = 2;
constexpr int kByte = 3;
constexpr int kI16 = 4;
constexpr int kI32 = 5;
constexpr int kI64 = 6;
constexpr int kDouble = 7;
constexpr int kBinary = 8;
constexpr int kList = 9;
constexpr int kSet = 10;
constexpr int kMap = 11;
constexpr int kStruct = 12;

constexpr int kMaxDepth = 32;  // FileMetaData needs 6
constexpr int64_t kKeyValueField = 5;

struct FieldHeader {
  int type = kStop;
  int64_t id = 0;
};

/// Walks over bytes without looking at values. After the first mistake ok() is false and stays so.
class ThriftWalker {
 public:
  explicit ThriftWalker(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }

  FieldHeader NextField(int64_t last_id) {
    const uint8_t head = Byte();
    FieldHeader field;
    field.type = head & 0x0f;
    const int delta = head >> 4;
    if (field.type != kStop) field.id = delta != 0 ? last_id + delta : ZigZag();
    return field;
  }

  /// Skip a value. In containers a boolean takes a byte; in a struct it lies in the field's type.
  void Skip(int type, bool in_container, int depth) {
    if (depth > kMaxDepth) return Fail();
    switch (type) {
      case kTrue:
      case kFalse:
        return Advance(in_container ? 1 : 0);
      case kByte:
        return Advance(1);
      case kI16:
      case kI32:
      case kI64:
        Varint();
        return;
      case kDouble:
        return Advance(8);
      case kBinary:
        return Advance(Varint());
      case kList:
      case kSet:
        return SkipList(depth);
      case kMap:
        return SkipMap(depth);
      case kStruct:
        return SkipStruct(depth);
      default:
        return Fail();
    }
  }

 private:
  void Fail() { ok_ = false; }

  void Advance(uint64_t count) {
    if (!ok_ || count > bytes_.size() - position_) return Fail();
    position_ += static_cast<size_t>(count);
  }

  uint8_t Byte() {
    if (!ok_ || position_ >= bytes_.size()) {
      Fail();
      return 0;
    }
    return static_cast<uint8_t>(bytes_[position_++]);
  }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }

  int64_t ZigZag() {
    const uint64_t raw = Varint();
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }

  void SkipList(int depth) {
    const uint8_t head = Byte();
    const uint64_t count = head >> 4 == 15 ? Varint() : head >> 4;
    if (count > bytes_.size() - position_) return Fail();  // each element takes a byte or more
    for (uint64_t i = 0; i < count && ok_; ++i) Skip(head & 0x0f, true, depth + 1);
  }

  void SkipMap(int depth) {
    const uint64_t count = Varint();
    if (count == 0) return;
    const uint8_t types = Byte();
    if (count > bytes_.size() - position_) return Fail();
    for (uint64_t i = 0; i < count && ok_; ++i) {
      Skip(types >> 4, true, depth + 1);
      Skip(types & 0x0f, true, depth + 1);
    }
  }

  void SkipStruct(int depth) {
    int64_t last_id = 0;
    while (ok_) {
      const FieldHeader field = NextField(last_id);
      if (field.type == kStop) return;
      Skip(field.type, false, depth + 1);
      last_id = field.id;
    }
  }

  std::string_view bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

void AppendFieldHeader(FieldHeader field, std::string& out) {
  out += static_cast<char>(field.type);  // long form: the id follows, so that no delta depends on what was left out
  uint64_t zigzag = (static_cast<uint64_t>(field.id) << 1) ^ static_cast<uint64_t>(field.id >> 63);
  while (zigzag >= 0x80) {
    out += static_cast<char>((zigzag & 0x7f) | 0x80);
    zigzag >>= 7;
  }
  out += static_cast<char>(zigzag);
}

}  // namespace

Result<std::string> WithoutKeyValues(std::string_view footer) {
  ThriftWalker walker(footer);
  std::string kept;
  kept.reserve(footer.size());
  int64_t last_id = 0;
  while (walker.ok()) {
    const FieldHeader field = walker.NextField(last_id);
    if (field.type == kStop) break;
    const size_t begin = walker.position();
    walker.Skip(field.type, false, 0);
    if (walker.ok() && field.id != kKeyValueField) {
      AppendFieldHeader(field, kept);
      kept += footer.substr(begin, walker.position() - begin);
    }
    last_id = field.id;
  }
  if (!walker.ok()) return Corruption("the footer is not a well-formed Thrift structure");
  kept += static_cast<char>(kStop);
  return kept;
}

}  // namespace tidegate::parquet
