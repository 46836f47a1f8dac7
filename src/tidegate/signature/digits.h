// Numbers and bytes as text, written fast; inlined whatever the compiler thinks, since a call costs as much as the
// work. Each function writes at `out` and returns the end of the text; it may write up to seven bytes behind that end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace tidegate::signature {

static_assert(std::endian::native == std::endian::little, "the eight digits below are one number, first digit lowest");

/// The digits of a number below 10^8, one a byte, the first digit in the lowest byte. All digits at once: two halves of
/// four digits, each two of two, each two of one.
[[gnu::always_inline]] inline uint64_t EightDigits(uint64_t value) {
  const uint64_t fours = value / 10'000 | (value % 10'000) << 32;
  const uint64_t hundreds = (fours * 10'486 >> 20) & 0x0000'007F'0000'007F;  // each four / 100
  const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
  const uint64_t tens = (twos * 103 >> 10) & 0x000F'000F'000F'000F;  // each two / 10
  return tens | (twos - tens * 10) << 8;
}

constexpr uint64_t kEightZeros = 0x3030'3030'3030'3030;
constexpr uint64_t kTenToThe8 = 100'000'000;

[[gnu::always_inline]] inline char* PutEight(char* out, uint64_t value) {
  const uint64_t text = EightDigits(value) + kEightZeros;
  std::memcpy(out, &text, sizeof text);
  return out + sizeof text;
}

/// Below 10^8, without leading zeros.
[[gnu::always_inline]] inline char* PutUpToEight(char* out, uint64_t value) {
  const uint64_t digits = EightDigits(value);
  const int zeros = std::countr_zero(digits | uint64_t{1} << 56) / 8;  // the last digit stays, also where it is 0
  const uint64_t text = (digits + kEightZeros) >> (8 * zeros);
  std::memcpy(out, &text, sizeof text);
  return out + (8 - zeros);
}

[[gnu::always_inline]] inline char* PutDigits(char* out, uint64_t value) {
  if (value < kTenToThe8) return PutUpToEight(out, value);
  const uint64_t high = value / kTenToThe8;
  if (high < kTenToThe8) {
    out = PutUpToEight(out, high);
  } else {
    out = PutUpToEight(out, high / kTenToThe8);
    out = PutEight(out, high % kTenToThe8);
  }
  return PutEight(out, value % kTenToThe8);
}

/// Eight digits behind a point, without the zeros at their end. Requires: 0 < value < 10^8.
[[gnu::always_inline]] inline char* PutFraction(char* out, uint64_t value) {
  const uint64_t digits = EightDigits(value);
  const uint64_t text = digits + kEightZeros;
  std::memcpy(out, &text, sizeof text);
  return out + (8 - std::countl_zero(digits) / 8);
}

/// '-' where it is negative, and the magnitude.
[[gnu::always_inline]] inline uint64_t PutSign(char*& out, int64_t value) {
  *out = '-';
  out += value < 0;
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

/// The 16 digits of a number in upper-case hex: a nibble a byte, first to last, then each to its letter.
[[gnu::always_inline]] inline char* PutHex16(char* out, uint64_t value) {
  for (const uint32_t half : {static_cast<uint32_t>(value >> 32), static_cast<uint32_t>(value)}) {
    uint64_t spread = __builtin_bswap32(half);
    spread = (spread | spread << 16) & 0x0000'FFFF'0000'FFFF;
    spread = (spread | spread << 8) & 0x00FF'00FF'00FF'00FF;
    const uint64_t nibbles = (spread >> 4 | spread << 8) & 0x0F0F'0F0F'0F0F'0F0F;
    const uint64_t letters = (nibbles + 0x0606'0606'0606'0606) >> 4 & 0x0101'0101'0101'0101;
    const uint64_t text = nibbles + kEightZeros + letters * ('A' - '0' - 10);
    std::memcpy(out, &text, sizeof text);
    out += sizeof text;
  }
  return out;
}

[[gnu::always_inline]] inline char* PutHexByte(char* out, uint8_t byte, const char* digits) {
  *out++ = digits[byte >> 4];
  *out++ = digits[byte & 15];
  return out;
}

/// Short texts without a call; never reads outside of them.
[[gnu::always_inline]] inline char* PutBytes(char* out, const char* data, size_t size) {
  const auto both_ends = [&](auto word) {  // two words that may overlap
    auto last = word;
    std::memcpy(&word, data, sizeof word);
    std::memcpy(&last, data + size - sizeof last, sizeof last);
    std::memcpy(out, &word, sizeof word);
    std::memcpy(out + size - sizeof last, &last, sizeof last);
  };
  if (size > 32) {
    std::memcpy(out, data, size);
  } else if (size > 16) {
    std::memcpy(out, data, 16);
    std::memcpy(out + size - 16, data + size - 16, 16);
  } else if (size >= 8) {
    both_ends(uint64_t{});
  } else if (size >= 4) {
    both_ends(uint32_t{});
  } else {
    for (size_t i = 0; i < size; ++i) out[i] = data[i];
  }
  return out + size;
}

}  // namespace tidegate::signature
