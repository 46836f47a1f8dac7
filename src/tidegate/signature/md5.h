// MD5 (RFC 1321) of many texts at once, added up: several lanes of vector registers each work on a text of their own.
//
// For signatures alone: MD5 mixes bits against accidents, it stops no adversary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tidegate/signature/machine.h"

namespace tidegate::signature {

/// Behind a text that is hashed in place so many bytes may be written: MD5's padding.
inline constexpr size_t kMd5Slack = 72;

/// Requires: kMd5Slack bytes behind it.
struct Md5Text {
  char* data;
  uint64_t bytes;
};

/// Sums modulo 2^64 of the halves of MD5s, big-endian: 900150983cd24fb0 and d6963f7d28e17f72 of "abc".
struct Md5Sums {
  uint64_t upper = 0;
  uint64_t lower = 0;
  friend bool operator==(const Md5Sums&, const Md5Sums&) = default;
};

/// Add the MD5 of each text. Pads the texts where they lie.
void AddMd5s(std::span<const Md5Text> texts, Md5Sums& sums, Machine machine);

/// 32 lower-case hex digits.
std::string Md5Hex(std::string_view text);

}  // namespace tidegate::signature
