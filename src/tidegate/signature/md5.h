// MD5 (RFC 1321) of many texts at once: several lanes of vector registers each work on a text of their own.
//
// For signatures alone: MD5 mixes bits against accidents, it stops no adversary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tidegate/signature/machine.h"

namespace tidegate::signature {

struct Md5Text {
  const char* data;
  uint64_t bytes;
};

/// The halves, big-endian: 900150983cd24fb0 and d6963f7d28e17f72 of "abc".
struct Md5 {
  uint64_t upper = 0;
  uint64_t lower = 0;
  friend bool operator==(const Md5&, const Md5&) = default;
};

/// The MD5 of each text, in their order. Requires: as much room in `out`.
void Md5s(std::span<const Md5Text> texts, Md5* out, Machine machine);

Md5 Md5Of(std::string_view text);

/// 32 lower-case hex digits.
std::string Md5Hex(std::string_view text);

}  // namespace tidegate::signature
