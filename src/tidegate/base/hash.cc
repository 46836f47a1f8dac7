#include "tidegate/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <random>

namespace tidegate {

std::string Hash128::ToHex() const {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
}

Hash128 HashBytes(std::string_view bytes, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

uint64_t RandomBits() {
  thread_local std::random_device device;
  return uint64_t{device()} << 32 | device();
}

std::string NewUuid() {
  const uint64_t high = (RandomBits() & ~uint64_t{0xF000}) | 0x4000;
  const uint64_t low = (RandomBits() & ~(uint64_t{3} << 62)) | uint64_t{1} << 63;
  char text[48];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", unsigned(high >> 32), unsigned(high >> 16 & 0xFFFF),
                unsigned(high & 0xFFFF), unsigned(low >> 48), static_cast<unsigned long long>(low & 0xFFFFFFFFFFFF));
  return text;
}

}  // namespace tidegate
