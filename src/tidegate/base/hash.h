// Hashes over bytes. XXH3 (https://github.com/Cyan4973/xxHash) for keys and checksums; never for secrets.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidegate {

struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
  /// 32 lower-case hex digits.
  std::string ToHex() const;
};

/// XXH3-128 of the bytes, keyed by a 64-bit seed.
Hash128 HashBytes(std::string_view bytes, uint64_t seed = 0);

/// Random bits from the operating system.
uint64_t RandomBits();

/// A random UUID (version 4) as text.
std::string NewUuid();

}  // namespace tidegate
