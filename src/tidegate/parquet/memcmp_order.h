// Values as bytes that memcmp puts in the order of the values.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tidegate::parquet {

inline void AppendBigEndian(uint64_t value, std::string& out) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

inline void AppendOrderedInt(int64_t value, std::string& out) {
  AppendBigEndian(static_cast<uint64_t>(value) ^ (uint64_t{1} << 63), out);
}

/// One NaN, and no negative zero: floats that are equal have equal bits.
inline double CanonicalDouble(double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
  return value == 0.0 ? 0.0 : value;
}

/// NaN is greatest, as in Iceberg's and SQL engines' order.
inline void AppendOrderedDouble(double value, std::string& out) {
  const auto bits = std::bit_cast<uint64_t>(CanonicalDouble(value));
  const uint64_t sign = uint64_t{1} << 63;
  AppendBigEndian((bits & sign) != 0 ? ~bits : bits | sign, out);
}

/// A 128-bit integer in two halves.
inline void AppendOrderedInt128(int64_t high, uint64_t low, std::string& out) {
  AppendOrderedInt(high, out);
  AppendBigEndian(low, out);
}

/// Ends by itself, so that another value may follow: 0x00 becomes 0x00 0xFF, the end is 0x00 0x00.
inline void AppendOrderedBytes(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    out += c;
    if (c == '\0') out += '\xff';
  }
  out.append(2, '\0');
}

}  // namespace tidegate::parquet
