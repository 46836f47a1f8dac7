#include "tidegate/parquet/snappy.h"

#include <array>
#include <bit>
#include <cstring>

namespace tidegate::parquet {
namespace {

static_assert(std::endian::native == std::endian::little, "offsets and lengths are read as they lie there");

constexpr size_t kMostSizeBytes = 5;
constexpr size_t kMostExpansion = 32;  // a copy of 64 bytes takes 3
constexpr size_t kStep = 16;
static_assert(4 * kStep <= kSnappySlack);
constexpr uint32_t kShortLiteral = 60;  // beyond, so many bytes of length follow

/// What a copy's tag says: the length, the offset's upper bits, how many bytes of offset follow.
struct CopyTag {
  uint8_t length = 0;
  uint8_t offset_bytes = 0;
  uint16_t upper = 0;
};

constexpr std::array<CopyTag, 256> CopyTags() {
  std::array<CopyTag, 256> tags;
  for (uint32_t tag = 0; tag < tags.size(); ++tag) {
    const uint32_t kind = tag & 3;
    if (kind == 1) tags[tag] = {static_cast<uint8_t>(4 + (tag >> 2 & 7)), 1, static_cast<uint16_t>(tag >> 5 << 8)};
    if (kind > 1) tags[tag] = {static_cast<uint8_t>(1 + (tag >> 2)), static_cast<uint8_t>(kind == 2 ? 2 : 4), 0};
  }
  return tags;
}

constexpr std::array<CopyTag, 256> kCopyTags = CopyTags();

/// The size's end, or null.
const uint8_t* ReadSize(std::span<const uint8_t> block, uint64_t* size) {
  *size = 0;
  for (size_t i = 0; i < block.size() && i < kMostSizeBytes; ++i) {
    *size |= uint64_t{block[i] & 0x7FU} << (7 * i);
    if (block[i] < 0x80) return *size <= UINT32_MAX ? block.data() + i + 1 : nullptr;
  }
  return nullptr;
}

void CopyStep(uint8_t* to, const uint8_t* from) { std::memcpy(to, from, kStep); }

/// `length` bytes, at most four steps, and what else these hold: it lies in the slack, or is written over. Requires:
/// they do not overlap within a step.
void CopySteps(uint8_t* to, const uint8_t* from, size_t length) {
  CopyStep(to, from);
  if (length <= kStep) return;
  CopyStep(to + kStep, from + kStep);
  if (length <= 2 * kStep) return;
  CopyStep(to + 2 * kStep, from + 2 * kStep);
  CopyStep(to + 3 * kStep, from + 3 * kStep);
}

class Decompression {
 public:
  Decompression(const uint8_t* in, const uint8_t* in_end, uint8_t* out, size_t size)
      : in_(in), in_end_(in_end), begin_(out), out_(out), end_(out + size) {}

  bool Run() {
    while (in_ < in_end_) {
      const uint32_t tag = *in_++;
      if ((tag & 3) == 0) {
        if (!Literal(tag >> 2)) return false;
      } else if (!Copy(kCopyTags[tag])) {
        return false;
      }
    }
    return out_ == end_;
  }

 private:
  size_t InLeft() const { return static_cast<size_t>(in_end_ - in_); }
  size_t OutLeft() const { return static_cast<size_t>(end_ - out_); }

  /// Up to four bytes, little-endian.
  bool ReadNumber(size_t bytes, uint32_t* number) {
    *number = 0;
    if (InLeft() >= sizeof *number) {
      std::memcpy(number, in_, sizeof *number);
      *number &= UINT32_MAX >> (32 - 8 * bytes);
    } else if (InLeft() >= bytes) {
      std::memcpy(number, in_, bytes);
    } else {
      return false;
    }
    in_ += bytes;
    return true;
  }

  bool Literal(uint32_t code) {
    size_t length = size_t{code} + 1;
    if (length <= kStep && InLeft() >= kStep && OutLeft() >= length) {
      CopyStep(out_, in_);
    } else if (code < kShortLiteral && InLeft() >= 4 * kStep && OutLeft() >= length) {
      CopySteps(out_, in_, length);
    } else {
      uint32_t number = code;
      if (code >= kShortLiteral && !ReadNumber(code - kShortLiteral + 1, &number)) return false;
      length = size_t{number} + 1;
      if (InLeft() < length || OutLeft() < length) return false;
      std::memcpy(out_, in_, length);
    }
    in_ += length;
    out_ += length;
    return true;
  }

  bool Copy(const CopyTag& tag) {
    uint32_t lower = 0;
    if (!ReadNumber(tag.offset_bytes, &lower)) return false;
    const size_t offset = size_t{tag.upper} + lower;
    if (offset == 0 || offset > static_cast<size_t>(out_ - begin_) || tag.length > OutLeft()) return false;
    if (offset >= kStep) {
      CopySteps(out_, out_ - offset, tag.length);
    } else {
      Repeat(offset, tag.length);
    }
    out_ += tag.length;
    return true;
  }

  /// The last `offset` bytes, again and again. A word holds them as often as they fit; so the copies need not wait for
  /// what was just written.
  void Repeat(size_t offset, size_t length) {
    constexpr size_t kWord = sizeof(uint64_t);
    if (offset >= kWord) {
      for (size_t i = 0; i < length; i += kWord) std::memcpy(out_ + i, out_ + i - offset, kWord);
      return;
    }
    uint64_t pattern = 0;
    std::memcpy(&pattern, out_ - offset, kWord);
    const size_t bits = 8 * offset;
    pattern &= UINT64_MAX >> (64 - bits);
    for (size_t shift = bits; shift < 64; shift *= 2) pattern |= pattern << shift;
    const size_t stride = kWord / offset * offset;
    for (size_t i = 0; i < length; i += stride) std::memcpy(out_ + i, &pattern, kWord);
  }

  const uint8_t* in_;
  const uint8_t* in_end_;
  const uint8_t* begin_;
  uint8_t* out_;
  uint8_t* end_;
};

}  // namespace

std::optional<uint32_t> SnappySize(std::span<const uint8_t> block) {
  uint64_t size = 0;
  if (ReadSize(block, &size) == nullptr || size > block.size() * kMostExpansion) return std::nullopt;
  return static_cast<uint32_t>(size);
}

bool DecompressSnappy(std::span<const uint8_t> block, uint8_t* out, size_t size) {
  uint64_t claimed = 0;
  const uint8_t* const in = ReadSize(block, &claimed);
  if (in == nullptr || claimed != size) return false;
  return Decompression(in, block.data() + block.size(), out, size).Run();
}

}  // namespace tidegate::parquet
