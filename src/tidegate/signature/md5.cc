#include "tidegate/signature/md5.h"

#include <algorithm>
#include <cstring>

#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {
namespace {

constexpr size_t kAtOnce = 256;  // jobs kept on the stack
constexpr uint64_t kLengthBytes = 8;

/// Bit 1, zeros, the length in bits: up to the end of a block.
Md5Job Pad(const Md5Text& text) {
  const uint64_t blocks = (text.bytes + 1 + kLengthBytes + kMd5BlockBytes - 1) / kMd5BlockBytes;
  const uint64_t bits = text.bytes * 8;
  char* const end = text.data + blocks * kMd5BlockBytes;
  std::memset(text.data + text.bytes, 0, static_cast<size_t>(end - text.data) - text.bytes);
  text.data[text.bytes] = '\x80';
  std::memcpy(end - kLengthBytes, &bits, kLengthBytes);
  return {text.data, blocks};
}

uint64_t BigEndian(uint32_t first, uint32_t second) {
  return uint64_t{__builtin_bswap32(first)} << 32 | __builtin_bswap32(second);
}

}  // namespace

std::vector<Md5Way> Md5Ways() {
  std::vector<Md5Way> ways = {Md5Way::kSse2};
  if (__builtin_cpu_supports("avx2")) ways.push_back(Md5Way::kAvx2);
  return ways;
}

void Md5OfEach(std::span<const Md5Text> texts, std::span<Md5Halves> out, Md5Way way) {
  Md5Job jobs[kAtOnce];
  Md5State states[kAtOnce];
  for (size_t first = 0; first < texts.size(); first += kAtOnce) {
    const size_t count = std::min(kAtOnce, texts.size() - first);
    for (size_t i = 0; i < count; ++i) jobs[i] = Pad(texts[first + i]);
    (way == Md5Way::kAvx2 ? RunMd5Avx2 : RunMd5Sse2)(jobs, count, states);
    for (size_t i = 0; i < count; ++i) {
      const uint32_t* words = states[i].words;
      out[first + i] = {BigEndian(words[0], words[1]), BigEndian(words[2], words[3])};
    }
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
