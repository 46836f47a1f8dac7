// The element of one value, by kind (docs/formats/signature.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidegate/signature/element.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {

enum class Kind { kNull, kBoolean, kNumber, kFloat, kText, kBinary, kDate, kTime, kTimestamp, kUuid, kNested };

/// What keeps the kind apart from others; 0 of a number.
const Element& KindElement(Kind kind);

inline const Element& NullElement() { return KindElement(Kind::kNull); }
inline Element HashedElement(Kind kind, std::string_view bytes) { return KindElement(kind) + HashElement(bytes); }

inline Element FloatElement(double value) {
  if (IsWhole(value)) return ElementOf(static_cast<int64_t>(value));
  return KindElement(Kind::kFloat) + ElementOf(FloatBits(value));
}

/// Of a unit, how many microseconds.
inline Element UnitFactor(TimeUnit unit) {
  constexpr int kExponents[] = {6, 3, 0, -3};
  return TenTo(kExponents[static_cast<int>(unit)]);
}

/// Of INT96: microseconds since 1970.
inline Int128 Int96Micros(uint32_t julian_day, uint64_t nanos_of_day) {
  constexpr int64_t kJulianEpoch = 2'440'588;
  constexpr int64_t kMicrosPerDay = 86'400'000'000;
  return Int128{int64_t{julian_day} - kJulianEpoch} * kMicrosPerDay + nanos_of_day / 1'000;
}

}  // namespace tidegate::signature
