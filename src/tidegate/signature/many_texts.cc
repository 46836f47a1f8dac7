#include "tidegate/signature/many_texts.h"

namespace tidegate::signature {

NumberShape::NumberShape(const Options& how) : options(how) {
  constexpr int64_t kMostWhole = (int64_t{1} << 52) - 1;  // what a double's mantissa holds
  constexpr int64_t kMostDecimal = 999'999'999'999'999;   // the point takes the sixteenth place
  constexpr uint8_t kNothing = 0x80;                      // picks a zero
  most = (options.scale == 0 ? kMostWhole : kMostDecimal) / options.factor;
  const int whole_end = kDigits - options.scale;
  for (int first = 0; first < kDigits; ++first) {
    const int point = whole_end - first;
    for (int i = 0; i < kDigits; ++i) {
      const bool is_point = options.scale > 0 && i == point;
      const int digit = first + i - (options.scale > 0 && i > point ? 1 : 0);
      pick[first][i] = is_point || digit >= kDigits ? kNothing : static_cast<uint8_t>(digit);
      add[first][i] = is_point ? '.' : '0';
    }
  }
}

}  // namespace tidegate::signature
