// The text of one value inside of a nested one, by kind (docs/formats/signature.md). Each writes at `out` and returns
// the end of the text. A text is no longer than kValueRoom or what is said here.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidegate::signature {

inline constexpr size_t kValueRoom = 40;
inline constexpr size_t kWideNumberRoom = 176;  // a decimal of 256 bits
inline constexpr int kMostScale = 76;

inline char* PutNull(char* out) {
  *out = 'n';
  return out + 1;
}

inline char* PutBool(char* out, bool value) {
  *out = value ? 't' : 'f';
  return out + 1;
}

/// A signed or unsigned number of at most 64 bits.
template <typename Number>
char* PutInteger(char* out, Number value) {
  constexpr size_t kMostDigits = 20;
  out = std::to_chars(out, out + kMostDigits, value).ptr;
  *out = ';';
  return out + 1;
}

/// Any decimal from its unscaled digits. A scale below 0 is so many zeros at the end. Room: kWideNumberRoom.
/// Requires: at most 78 digits, a scale from -kMostScale to kMostScale.
char* PutDecimal(char* out, bool negative, std::string_view digits, int scale);

/// A decimal from its two's complement. Requires: 1 to 32 bytes, big-endian, and the rest as above.
char* PutDecimalBytes(char* out, const uint8_t* bytes, size_t size, int scale);

inline char* PutHexByte(char* out, uint8_t byte, const char* digits) {
  *out++ = digits[byte >> 4];
  *out++ = digits[byte & 15];
  return out;
}

inline constexpr const char* kUpperHex = "0123456789ABCDEF";

/// Is a float taken as a number?
inline bool IsWhole(double value) {
  constexpr double kWholeNumbers = 9007199254740992.0;  // 2^53
  return std::fabs(value) <= kWholeNumbers && static_cast<double>(static_cast<int64_t>(value)) == value;
}

/// Of a float that is not: one NaN for all.
inline int64_t FloatBits(double value) {
  constexpr int64_t kNan = 0x7FF8'0000'0000'0000;
  return std::isnan(value) ? kNan : std::bit_cast<int64_t>(value);
}

inline char* PutDouble(char* out, double value) {
  if (IsWhole(value)) return PutInteger(out, static_cast<int64_t>(value));
  *out++ = 'd';
  for (int shift = 56; shift >= 0; shift -= 8)
    out = PutHexByte(out, static_cast<uint8_t>(FloatBits(value) >> shift), kUpperHex);
  return out;
}

inline char* PutDate(char* out, int64_t days) {
  *out = 'D';
  return PutInteger(out + 1, days);
}

enum class TimeUnit { kSecond, kMilli, kMicro, kNano };

/// Microseconds from a count of coarser units, exactly, whatever their range.
inline char* PutMicros(char* out, int64_t value, int64_t micros_each) {
  int64_t micros = 0;
  if (!__builtin_mul_overflow(value, micros_each, &micros)) return PutInteger(out, micros);
  out = PutInteger(out, value) - 1;  // over the ';'
  for (int64_t rest = micros_each; rest > 1; rest /= 10) *out++ = '0';
  *out = ';';
  return out + 1;
}

inline char* PutNanos(char* out, int64_t value) {
  constexpr int64_t kNanosPerMicro = 1'000;
  const int64_t nanos = ((value % kNanosPerMicro) + kNanosPerMicro) % kNanosPerMicro;
  const int64_t micros = value / kNanosPerMicro - (value % kNanosPerMicro < 0 ? 1 : 0);
  out = PutInteger(out, micros);
  if (nanos == 0) return out;
  out[-1] = '.';
  *out++ = static_cast<char>('0' + nanos / 100);
  *out++ = static_cast<char>('0' + nanos / 10 % 10);
  *out++ = static_cast<char>('0' + nanos % 10);
  *out = ';';
  return out + 1;
}

/// tag: 'T' of a time of day, 'P' of a timestamp.
inline char* PutTime(char* out, char tag, TimeUnit unit, int64_t value) {
  *out++ = tag;
  switch (unit) {
    case TimeUnit::kSecond:
      return PutMicros(out, value, 1'000'000);
    case TimeUnit::kMilli:
      return PutMicros(out, value, 1'000);
    case TimeUnit::kMicro:
      return PutInteger(out, value);
    case TimeUnit::kNano:
      break;
  }
  return PutNanos(out, value);
}

inline constexpr size_t kUuidText = 36;

/// Its characters. Requires: 16 bytes.
char* PutUuid(char* out, const uint8_t* bytes);

inline size_t TextRoom(size_t size) { return size + 24; }

inline char* PutText(char* out, std::string_view text) {
  *out = 's';
  out = PutInteger(out + 1, text.size());
  out[-1] = ':';
  return out + text.copy(out, text.size());
}

inline size_t BinaryRoom(size_t size) { return size * 2 + 2; }

inline char* PutBinary(char* out, std::string_view bytes) {
  *out++ = 'x';
  for (const char byte : bytes) out = PutHexByte(out, static_cast<uint8_t>(byte), kUpperHex);
  *out = ';';
  return out + 1;
}

}  // namespace tidegate::signature
