// The arithmetic of content signatures (docs/formats/signature.md): pairs of numbers, one modulo p = 2^61 - 1, one
// modulo q = 2^61 - 31.
//
// As 2^61 is 1 modulo p and 31 modulo q, what is above bit 61 is multiplied by that and added below: no division.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidegate/signature/md5.h"

namespace tidegate::signature {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

inline constexpr int kFieldBits = 61;
inline constexpr uint64_t kFieldMask = (uint64_t{1} << kFieldBits) - 1;

/// Numbers modulo 2^61 - kRest, which is a prime. Each result is below it.
template <uint64_t kRest>
struct Field {
  static constexpr uint64_t kPrime = (uint64_t{1} << kFieldBits) - kRest;

  /// Requires: x < kPrime * 2.
  static constexpr uint64_t Once(uint64_t x) { return x >= kPrime ? x - kPrime : x; }

  /// With x's remainder, at most 7 * kRest above 2^61; below 2^61 where x is at most 2^32 above it.
  static constexpr uint64_t Near(uint64_t x) { return (x & kFieldMask) + (x >> kFieldBits) * kRest; }

  static constexpr uint64_t Of(uint64_t x) { return Once(Near(x)); }

  /// Less than 2^61 + 2^17, with x's remainder.
  static constexpr uint64_t Folded(Uint128 x) {
    constexpr uint64_t kWord = 8 * kRest;  // 2^64
    const Uint128 once = Uint128{static_cast<uint64_t>(x >> 64)} * kWord + static_cast<uint64_t>(x);
    const auto low = static_cast<uint64_t>(once);
    const auto high = static_cast<uint64_t>(once >> 64);  // at most kWord
    return (low & kFieldMask) + (low >> kFieldBits) * kRest + high * kWord;
  }

  static constexpr uint64_t Of(Uint128 x) { return Of(Folded(x)); }

  /// A multiple of the prime: what is added to a signed number to have one without a sign.
  static constexpr Uint128 kMultiple = Uint128{kPrime} << 66;

  /// Requires: its magnitude is below 2^126.9.
  static constexpr uint64_t OfSigned(Int128 x) { return Of(static_cast<Uint128>(x) + kMultiple); }

  static constexpr uint64_t Plus(uint64_t a, uint64_t b) { return Once(a + b); }
  static constexpr uint64_t Minus(uint64_t a, uint64_t b) { return Once(a + kPrime - b); }
  static constexpr uint64_t Times(uint64_t a, uint64_t b) { return Of(Uint128{a} * b); }

  /// Requires: a < 2^61, of p. The halves of the product's 122 bits, without a shift over two words.
  static constexpr uint64_t Square(uint64_t a) requires(kRest == 1) {
    const Uint128 eightfold = Uint128{a << 3} * a;
    return Of((static_cast<uint64_t>(eightfold) >> 3) + static_cast<uint64_t>(eightfold >> 64));
  }
};

using FieldP = Field<1>;
using FieldQ = Field<31>;

struct Element {
  uint64_t p = 0;
  uint64_t q = 0;
  friend bool operator==(const Element&, const Element&) = default;
};

constexpr Element operator+(const Element& a, const Element& b) {
  return {FieldP::Plus(a.p, b.p), FieldQ::Plus(a.q, b.q)};
}
constexpr Element operator-(const Element& a, const Element& b) {
  return {FieldP::Minus(a.p, b.p), FieldQ::Minus(a.q, b.q)};
}
constexpr Element operator*(const Element& a, const Element& b) {
  return {FieldP::Times(a.p, b.p), FieldQ::Times(a.q, b.q)};
}

constexpr Element ElementOf(Int128 number) {
  return {FieldP::OfSigned(number % FieldP::kPrime), FieldQ::OfSigned(number % FieldQ::kPrime)};
}
constexpr Element ElementOf(int64_t number) { return {FieldP::OfSigned(number), FieldQ::OfSigned(number)}; }
constexpr Element ElementOf(uint64_t number) { return {FieldP::Of(number), FieldQ::Of(number)}; }

/// Two's complement, big-endian. Requires: 1 to 32 bytes.
Element ElementOfWide(const uint8_t* bytes, size_t size);

/// 10^exponent; of a negative one, its inverse.
Element TenTo(int exponent);

constexpr Element ElementOf(const Md5& hash) { return {FieldP::Of(hash.upper), FieldQ::Of(hash.lower)}; }

/// H of the document.
Element HashElement(std::string_view bytes);

/// A column's: H of its name, no part of it 0.
Element ColumnKey(std::string_view name);

/// H of the version and a name: "tgs2 date". What keeps kinds of values apart, and what a row begins with.
Element TagElement(std::string_view name);

/// What a row begins with.
const Element& RowStart();

}  // namespace tidegate::signature
