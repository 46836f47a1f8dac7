#include "tidegate/signature/md5.h"

#include <algorithm>
#include <cstring>

#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {
namespace {

constexpr uint64_t kLengthBytes = 8;

/// Bit 1, zeros, the length in bits: up to the end of a block.
Md5Job Pad(const Md5Text& text) {
  const uint64_t blocks = (text.bytes + 1 + kLengthBytes + kMd5BlockBytes - 1) / kMd5BlockBytes;
  const uint64_t bits = text.bytes * 8;
  char* const end = text.data + blocks * kMd5BlockBytes;
  std::memset(text.data + text.bytes, 0, kMd5Slack);  // more than is needed, but of a constant size
  text.data[text.bytes] = '\x80';
  std::memcpy(end - kLengthBytes, &bits, kLengthBytes);
  return {text.data, blocks};
}

/// Of one call: as many texts as fit on the stack.
class Batch {
 public:
  static constexpr size_t kMost = 256;

  explicit Batch(std::span<const Md5Text> texts) : count_(texts.size()) {
    Md5Job padded[kMost];
    uint16_t begins[kLengths + 1] = {};  // of the texts of each length, in blocks
    for (size_t i = 0; i < count_; ++i) {
      padded[i] = Pad(texts[i]);
      ++begins[LengthOf(padded[i]) + 1];
    }
    for (size_t length = 0; length < kLengths; ++length) begins[length + 1] += begins[length];
    for (size_t i = 0; i < count_; ++i) {
      const size_t place = begins[LengthOf(padded[i])]++;
      jobs_[place] = padded[i];
      text_of_[place] = static_cast<uint16_t>(i);
    }
  }

  void Hash(Md5Way way, Md5Halves* out) {
    Md5State states[kMost];
    (way == Md5Way::kAvx2 ? RunMd5Avx2 : RunMd5Sse2)(jobs_, count_, states);
    for (size_t i = 0; i < count_; ++i) {
      const uint32_t* words = states[i].words;
      out[text_of_[i]] = {BigEndian(words[0], words[1]), BigEndian(words[2], words[3])};
    }
  }

 private:
  static constexpr size_t kLengths = 64;  // longer texts count as one length, and are not sorted
  static size_t LengthOf(const Md5Job& job) { return std::min<uint64_t>(job.blocks, kLengths) - 1; }

  static uint64_t BigEndian(uint32_t first, uint32_t second) {
    return uint64_t{__builtin_bswap32(first)} << 32 | __builtin_bswap32(second);
  }

  size_t count_;
  Md5Job jobs_[kMost];
  uint16_t text_of_[kMost];
};

}  // namespace

std::vector<Md5Way> Md5Ways() {
  std::vector<Md5Way> ways = {Md5Way::kSse2};
  if (__builtin_cpu_supports("avx2")) ways.push_back(Md5Way::kAvx2);
  return ways;
}

void Md5OfEach(std::span<const Md5Text> texts, std::span<Md5Halves> out, Md5Way way) {
  for (size_t first = 0; first < texts.size(); first += Batch::kMost) {
    Batch(texts.subspan(first, std::min(Batch::kMost, texts.size() - first))).Hash(way, out.data() + first);
  }
}

void Md5OfEach(std::span<const Md5Text> texts, std::span<Md5Halves> out) {
  static const Md5Way kWidest = Md5Ways().back();
  Md5OfEach(texts, out, kWidest);
}

std::string Md5Hex(std::string_view text) {
  std::string padded(text);
  padded.resize(text.size() + kMd5Slack);
  const Md5Text one[] = {{padded.data(), text.size()}};
  Md5Halves halves[1];
  Md5OfEach(one, halves);
  std::string hex;
  for (const uint64_t half : {halves[0].upper, halves[0].lower}) {
    for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[half >> shift & 15];
  }
  return hex;
}

}  // namespace tidegate::signature
