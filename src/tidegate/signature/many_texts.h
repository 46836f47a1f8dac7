// The texts of many values of a column at once, on AVX2: whole numbers, decimals, times, floats.
//
// Values that do not suit are left to the functions of value_text.h, which are the definition: this is the same,
// faster. A text may be followed by kManyOvershoot bytes of anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidegate::signature {

inline constexpr size_t kManyOvershoot = 16;
inline constexpr size_t kManyAtOnce = 4;
inline constexpr int kManyMostScale = 14;

/// How the numbers of a column are written: `tag` in front where there is one, `scale` digits behind the point, each
/// first multiplied by `factor`.
struct NumberShape {
  struct Options {
    char tag = '\0';
    int scale = 0;  // 0 to kManyMostScale
    int64_t factor = 1;
    bool is_unsigned = false;  // a negative value stands for a large one
  };
  explicit NumberShape(const Options& options);

  static constexpr int kDigits = 16;
  Options options;
  int64_t most;  // larger magnitudes do not suit
  // For a number whose first digit is that of 16: which digit each character is, and what makes a character of it.
  alignas(16) uint8_t pick[kDigits][kDigits];
  alignas(16) uint8_t add[kDigits][kDigits];
};

/// Write the texts of values[i] at ends[i], and move these, kManyAtOnce by kManyAtOnce up to the first ones of which
/// one does not suit. Returns of how many values. Requires: AVX2.
size_t WriteManyAvx2(const NumberShape& shape, const int32_t* values, size_t count, char** ends);
size_t WriteManyAvx2(const NumberShape& shape, const int64_t* values, size_t count, char** ends);
size_t WriteManyAvx2(const NumberShape& whole, const float* values, size_t count, char** ends);
size_t WriteManyAvx2(const NumberShape& whole, const double* values, size_t count, char** ends);

}  // namespace tidegate::signature
