// The text of one value, by domain (docs/formats/signature.md). Each writes at `out` and returns the end of the text.
// A text is no longer than its room: kValueRoom or what is said here, for text and bytes TextRoom and BytesRoom. Behind
// it kOvershoot more bytes may be written.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "tidegate/signature/digits.h"

namespace tidegate::signature {

inline constexpr size_t kValueRoom = 40;
inline constexpr size_t kShortIntegerRoom = 12;  // of 32 bits, with a sign
inline constexpr size_t kIntegerRoom = 21;
inline constexpr size_t kShortDecimalRoom = 24;
inline constexpr size_t kTimeRoom = 28;
inline constexpr size_t kDoubleRoom = 18;
inline constexpr size_t kOvershoot = 16;
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

inline char* PutUnsigned(char* out, uint64_t value) {
  out = PutDigits(out, value);
  *out = ';';
  return out + 1;
}

inline char* PutInteger(char* out, int64_t value) {
  const uint64_t magnitude = PutSign(out, value);
  return PutUnsigned(out, magnitude);
}

/// A decimal whose scale is from 1 to 8.
class ShortScale {
 public:
  explicit ShortScale(int scale) : power_(PowerOfTen(scale)), fill_(PowerOfTen(8 - scale)) {}

  char* Put(char* out, int64_t value) const {
    const uint64_t magnitude = PutSign(out, value);
    const uint64_t whole = power_ == 100 ? magnitude / 100 : magnitude / power_;  // by a constant, where it is money
    const uint64_t fraction = magnitude - whole * power_;
    out = PutDigits(out, whole);
    if (fraction != 0) {
      *out++ = '.';
      out = PutFraction(out, fraction * fill_);
    }
    *out = ';';
    return out + 1;
  }

 private:
  static constexpr uint64_t PowerOfTen(int power) {
    uint64_t value = 1;
    for (int i = 0; i < power; ++i) value *= 10;
    return value;
  }

  uint64_t power_;
  uint64_t fill_;
};

/// Any decimal from its unscaled digits. A scale below 0 is so many zeros at the end. Room: kWideNumberRoom.
/// Requires: at most 78 digits, a scale from -kMostScale to kMostScale.
char* PutDecimal(char* out, bool negative, std::string_view digits, int scale);

/// A decimal from its two's complement. Requires: 1 to 32 bytes, big-endian, and the rest as above.
char* PutDecimalBytes(char* out, const uint8_t* bytes, size_t size, int scale);

inline char* PutDouble(char* out, double value) {
  constexpr double kWholeNumbers = 9007199254740992.0;  // 2^53
  constexpr uint64_t kNan = 0x7FF8'0000'0000'0000;
  if (std::fabs(value) <= kWholeNumbers) {
    const auto whole = static_cast<int64_t>(value);
    if (static_cast<double>(whole) == value) return PutInteger(out, whole);
  }
  *out = 'd';
  return PutHex16(out + 1, std::isnan(value) ? kNan : std::bit_cast<uint64_t>(value));
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

/// INT96: a day of the Julian calendar and nanoseconds of that day.
char* PutInt96(char* out, uint32_t julian_day, uint64_t nanos_of_day);

/// Requires: 16 bytes.
char* PutUuid(char* out, const uint8_t* bytes);

inline size_t TextRoom(size_t size) { return size + 24; }

/// "s17:" of each short length.
struct TextHeads {
  static constexpr size_t kSizes = 128;
  char texts[kSizes][8] = {};
  uint8_t lengths[kSizes] = {};

  constexpr TextHeads() {
    for (size_t size = 0; size < kSizes; ++size) {
      char* out = texts[size];
      *out++ = 's';
      for (size_t power = size < 10 ? 1 : size < 100 ? 10 : 100; power > 0; power /= 10)
        *out++ = static_cast<char>('0' + size / power % 10);
      *out++ = ':';
      lengths[size] = static_cast<uint8_t>(out - texts[size]);
    }
  }
};

inline constexpr TextHeads kTextHeads;

inline char* PutText(char* out, const char* data, size_t size) {
  if (size < TextHeads::kSizes) {
    std::memcpy(out, kTextHeads.texts[size], sizeof kTextHeads.texts[size]);
    return PutBytes(out + kTextHeads.lengths[size], data, size);
  }
  *out = 's';
  out = PutDigits(out + 1, size);
  *out = ':';
  return PutBytes(out + 1, data, size);
}

inline size_t BytesRoom(size_t size) { return size * 2 + 2; }

inline char* PutBinary(char* out, const uint8_t* data, size_t size) {
  *out++ = 'x';
  for (size_t i = 0; i < size; ++i) out = PutHexByte(out, data[i], "0123456789ABCDEF");
  *out = ';';
  return out + 1;
}

}  // namespace tidegate::signature
