// MD5 (RFC 1321) of many texts at once: several lanes of a vector register each work on a text of their own.
//
// For signatures alone: MD5 mixes bits against accidents, it stops no adversary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::signature {

/// Behind a text that is hashed in place so many bytes may be written: MD5's padding.
inline constexpr size_t kMd5Slack = 72;

/// Requires: kMd5Slack bytes behind it.
struct Md5Text {
  char* data;
  uint64_t bytes;
};

/// The two halves of an MD5, big-endian: 900150983cd24fb0 and d6963f7d28e17f72 of "abc".
struct Md5Halves {
  uint64_t upper = 0;
  uint64_t lower = 0;
  friend bool operator==(const Md5Halves&, const Md5Halves&) = default;
};

/// Ways to compute it; the widest that the machine has is used.
enum class Md5Way { kSse2, kAvx2 };
std::vector<Md5Way> Md5Ways();

/// out[i] is of texts[i]. Requires: as many of the one as of the other. Pads the texts where they lie.
void Md5OfEach(std::span<const Md5Text> texts, std::span<Md5Halves> out);
void Md5OfEach(std::span<const Md5Text> texts, std::span<Md5Halves> out, Md5Way way);

/// 32 lower-case hex digits.
std::string Md5Hex(std::string_view text);

}  // namespace tidegate::signature
