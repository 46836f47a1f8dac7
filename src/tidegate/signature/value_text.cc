#include "tidegate/signature/value_text.h"

#include <algorithm>
#include <array>
#include <string>

namespace tidegate::signature {
namespace {

constexpr size_t kMostDecimalBytes = 32;
constexpr size_t kLimbs = kMostDecimalBytes / 4;
constexpr size_t kMostDigits = 78;  // of 2^255
constexpr uint32_t kChunk = 1'000'000'000;
constexpr int kChunkDigits = 9;

/// A magnitude of 256 bits, lowest limb first.
using Magnitude = std::array<uint32_t, kLimbs>;

Magnitude MagnitudeOf(const uint8_t* bytes, size_t size, bool negative) {
  Magnitude limbs;
  limbs.fill(negative ? UINT32_MAX : 0);
  for (size_t i = 0; i < size; ++i) {
    const size_t shift = i % 4 * 8;
    uint32_t& limb = limbs[i / 4];
    limb = (limb & ~(uint32_t{0xFF} << shift)) | uint32_t{bytes[size - 1 - i]} << shift;
  }
  if (!negative) return limbs;
  uint64_t carry = 1;
  for (uint32_t& limb : limbs) {
    carry += static_cast<uint32_t>(~limb);
    limb = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  return limbs;
}

uint32_t DivideByChunk(Magnitude& limbs) {
  uint64_t rest = 0;
  for (size_t i = kLimbs; i-- > 0;) {
    rest = rest << 32 | limbs[i];
    limbs[i] = static_cast<uint32_t>(rest / kChunk);
    rest %= kChunk;
  }
  return static_cast<uint32_t>(rest);
}

/// The digits end at `end`; returns where they begin.
char* DigitsBefore(char* end, Magnitude limbs) {
  char* out = end;
  while (std::any_of(limbs.begin(), limbs.end(), [](uint32_t limb) { return limb != 0; })) {
    uint32_t chunk = DivideByChunk(limbs);
    for (int i = 0; i < kChunkDigits; ++i, chunk /= 10) *--out = static_cast<char>('0' + chunk % 10);
  }
  while (out != end && *out == '0') ++out;
  if (out == end) *--out = '0';
  return out;
}

char* Append(char* out, std::string_view text) { return std::copy(text.begin(), text.end(), out); }

char* AppendZeros(char* out, int count) { return std::fill_n(out, count, '0'); }

}  // namespace

char* PutDecimal(char* out, bool negative, std::string_view digits, int scale) {
  if (digits == "0") return PutInteger(out, 0);
  if (negative) *out++ = '-';
  const int size = static_cast<int>(digits.size());
  if (scale <= 0) {
    out = AppendZeros(Append(out, digits), -scale);
  } else {
    out = size <= scale ? Append(out, "0") : Append(out, digits.substr(0, static_cast<size_t>(size - scale)));
    *out++ = '.';
    out = AppendZeros(out, std::max(0, scale - size));
    out = Append(out, digits.substr(static_cast<size_t>(std::max(0, size - scale))));
    while (out[-1] == '0') --out;
    if (out[-1] == '.') --out;
  }
  *out = ';';
  return out + 1;
}

char* PutDecimalBytes(char* out, const uint8_t* bytes, size_t size, int scale) {
  const bool negative = size > 0 && (bytes[0] & 0x80) != 0;
  char digits[kMostDigits + kChunkDigits];
  char* const end = digits + sizeof digits;
  const char* const begin = DigitsBefore(end, MagnitudeOf(bytes, size, negative));
  return PutDecimal(out, negative, {begin, static_cast<size_t>(end - begin)}, scale);
}

char* PutUuid(char* out, const uint8_t* bytes) {
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
    out = PutHexByte(out, bytes[i], "0123456789abcdef");
  }
  return out;
}

}  // namespace tidegate::signature
