// Compiled for AVX2 (CMakeLists.txt): no function of another header may be left to the linker, which might take this
// one for all.
#include <immintrin.h>

#include "tidegate/signature/many_texts.h"

namespace tidegate::signature {
namespace {

using Vector = __m256i;

constexpr long long kMagic = 0x4330'0000'0000'0000;  // 2^52 as a double: its last bits count ones
constexpr double kTwoTo52 = 4503599627370496.0;
constexpr int kUnits = 15;  // the last of 16 digits

/// The compiler must not know these factors: it would multiply by them in many shifts and sums.
Vector All16(short value) {
  Vector all = _mm256_set1_epi16(value);
  __asm__("" : "+x"(all));
  return all;
}

Vector All64(long long value) { return _mm256_set1_epi64x(value); }

/// Numbers below 2^52, one per 64 bits, in two halves of eight digits.
struct Halves {
  Vector high;
  Vector low;
};

/// Of numbers below 2^32. The factor is 2^57 / 10^8, rounded up.
Halves SplitShort(Vector numbers) {
  const Vector quotient = _mm256_srli_epi64(_mm256_mul_epu32(numbers, All64(1'441'151'881)), 57);
  return {quotient, _mm256_sub_epi64(numbers, _mm256_mul_epu32(quotient, All64(100'000'000)))};
}

/// By way of doubles: AVX2 neither divides nor multiplies 64 bits. The quotient is rounded, maybe up; then one is taken
/// back.
Halves Split(Vector numbers) {
  const Vector magic = All64(kMagic);
  const Vector divisor = All64(100'000'000);
  const __m256d two_to_52 = _mm256_set1_pd(kTwoTo52);
  const __m256d exact = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(numbers, magic)), two_to_52);
  const __m256d rounded = _mm256_add_pd(_mm256_mul_pd(exact, _mm256_set1_pd(1e-8)), two_to_52);
  const Vector quotient = _mm256_xor_si256(_mm256_castpd_si256(rounded), magic);
  const Vector rest = _mm256_sub_epi64(numbers, _mm256_mul_epu32(quotient, divisor));
  const Vector too_much = _mm256_cmpgt_epi64(_mm256_setzero_si256(), rest);
  return {_mm256_add_epi64(quotient, too_much), _mm256_add_epi64(rest, _mm256_and_si256(too_much, divisor))};
}

/// The digits of numbers below 10^8, a byte each, the first one lowest: as EightDigits in digits.h.
Vector EightDigitsEach(Vector numbers) {
  const Vector ten_thousands = _mm256_srli_epi64(_mm256_mul_epu32(numbers, All64(109'951'163)), 40);
  const Vector rest = _mm256_sub_epi64(numbers, _mm256_mul_epu32(ten_thousands, All64(10'000)));
  const Vector fours = _mm256_or_si256(ten_thousands, _mm256_slli_epi64(rest, 32));
  const Vector hundreds = _mm256_srli_epi16(_mm256_mulhi_epu16(fours, _mm256_set1_epi16(5'243)), 3);
  const Vector below = _mm256_sub_epi16(fours, _mm256_mullo_epi16(hundreds, All16(100)));
  const Vector twos = _mm256_or_si256(hundreds, _mm256_slli_epi32(below, 16));
  const Vector tens = _mm256_mulhi_epu16(twos, _mm256_set1_epi16(6'554));
  const Vector ones = _mm256_sub_epi16(twos, _mm256_mullo_epi16(tens, All16(10)));
  return _mm256_or_si256(tens, _mm256_slli_epi16(ones, 8));
}

/// The same of numbers below 100.
Vector LastTwoDigitsEach(Vector numbers) {
  const Vector tens = _mm256_srli_epi64(_mm256_mul_epu32(numbers, All64(103)), 10);
  const Vector ones = _mm256_sub_epi64(numbers, _mm256_mul_epu32(tens, All64(10)));
  return _mm256_or_si256(_mm256_slli_epi64(tens, 48), _mm256_slli_epi64(ones, 56));
}

/// Times a number below 2^31, where the product is below 2^63.
Vector Times(Vector numbers, long long factor) {
  const Vector upper = _mm256_mul_epu32(_mm256_srli_epi64(numbers, 32), All64(factor));
  return _mm256_add_epi64(_mm256_mul_epu32(numbers, All64(factor)), _mm256_slli_epi64(upper, 32));
}

Vector Load(const int64_t* values) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(values)); }
Vector Load(const int32_t* values) {
  return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
}
__m256d Load(const double* values) { return _mm256_loadu_pd(values); }
__m256d Load(const float* values) { return _mm256_cvtps_pd(_mm_loadu_ps(values)); }

int Signs(Vector numbers) { return _mm256_movemask_pd(_mm256_castsi256_pd(numbers)); }

/// A bit for each digit, from the first or from the last one on: of two numbers.
uint32_t NonZero(Vector digits) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpgt_epi8(digits, _mm256_setzero_si256())));
}

uint32_t NonZeroFromLast(Vector digits) {
  const __m128i reverse = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return NonZero(_mm256_shuffle_epi8(digits, _mm256_broadcastsi128_si256(reverse)));
}

/// Writes numbers of one shape, four at a time. What it knows is copied, since a written character might be a part of
/// the shape for all that the compiler knows.
template <bool kHasPoint>
class NumberWriter {
 public:
  explicit NumberWriter(const NumberShape& shape)
      : pick_(shape.pick[0]),
        add_(shape.add[0]),
        most_(shape.most),
        factor_(shape.options.factor),
        refused_signs_(shape.options.is_unsigned ? 15 : 0),
        units_(kUnits - shape.options.scale),
        tag_(shape.options.tag),
        tag_length_(shape.options.tag != '\0') {}

  /// False where one of the four does not suit.
  template <bool kShort>
  [[gnu::always_inline]] bool Write(Vector values, char** ends) const {
    const Vector negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), values);
    Vector magnitude = _mm256_sub_epi64(_mm256_xor_si256(values, negative), negative);
    const Vector large = _mm256_or_si256(magnitude, _mm256_cmpgt_epi64(magnitude, All64(most_)));
    const int minus = Signs(negative);
    if ((Signs(large) | (minus & refused_signs_)) != 0) return false;
    if (!kShort && factor_ != 1) magnitude = Times(magnitude, factor_);
    const Halves halves = kShort ? SplitShort(magnitude) : Split(magnitude);
    const Vector high = kShort ? LastTwoDigitsEach(halves.high) : EightDigitsEach(halves.high);
    const Vector low = EightDigitsEach(halves.low);
    const Vector even = _mm256_unpacklo_epi64(high, low);
    const Vector odd = _mm256_unpackhi_epi64(high, low);
    Two(ends, 0, minus, even);
    Two(ends, 1, minus, odd);
    return true;
  }

 private:
  /// Numbers i and i + 2 of four.
  [[gnu::always_inline]] void Two(char** ends, int i, int minus, Vector digits) const {
    const uint32_t from_first = NonZero(digits);
    const uint32_t from_last = kHasPoint ? NonZeroFromLast(digits) : 0;
    ends[i] = Put(ends[i], minus >> i & 1, _mm256_castsi256_si128(digits), from_first & 0xFFFF, from_last & 0xFFFF);
    ends[i + 2] =
        Put(ends[i + 2], minus >> (i + 2) & 1, _mm256_extracti128_si256(digits, 1), from_first >> 16, from_last >> 16);
  }

  /// From the first digit that is not 0, at the latest the one before the point, to the last one, at the earliest that.
  [[gnu::always_inline]] char* Put(char* out, int minus, __m128i digits, uint32_t from_first,
                                   uint32_t from_last) const {
    *out = tag_;
    out += tag_length_;
    *out = '-';
    out += minus;
    const uint32_t first = _tzcnt_u32(from_first | 1U << units_);
    const __m128i pick = _mm_load_si128(reinterpret_cast<const __m128i*>(pick_ + first * size_t{NumberShape::kDigits}));
    __m128i add = _mm_set1_epi8('0');
    if (kHasPoint) add = _mm_load_si128(reinterpret_cast<const __m128i*>(add_ + first * size_t{NumberShape::kDigits}));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_add_epi8(_mm_shuffle_epi8(digits, pick), add));
    out += units_ + 1 - first;
    if (kHasPoint) {
      const uint32_t scale = kUnits - units_;
      const uint32_t behind = scale - _tzcnt_u32(from_last | 1U << scale);
      out += behind + (behind > 0);
    }
    *out = ';';
    return out + 1;
  }

  const uint8_t* pick_;
  const uint8_t* add_;
  int64_t most_;
  int64_t factor_;
  int refused_signs_;
  uint32_t units_;
  char tag_;
  size_t tag_length_;
};

template <bool kShort, bool kHasPoint, typename Value>
size_t WriteAll(const NumberShape& shape, const Value* values, size_t count, char** ends) {
  const NumberWriter<kHasPoint> writer(shape);
  size_t done = 0;
  while (done + kManyAtOnce <= count && writer.template Write<kShort>(Load(values + done), ends + done))
    done += kManyAtOnce;
  return done;
}

/// kShort: no number has more than 32 bits.
template <bool kShort, typename Value>
size_t WriteNumbers(const NumberShape& shape, const Value* values, size_t count, char** ends) {
  return shape.options.scale > 0 ? WriteAll<kShort, true>(shape, values, count, ends)
                                 : WriteAll<kShort, false>(shape, values, count, ends);
}

/// Four texts of a double's bits: a 'd', and the upper-case hex digits, first the highest.
void WriteHex(__m256d values, char** ends) {
  const __m256d canonical = _mm256_castsi256_pd(All64(0x7FF8'0000'0000'0000));
  const Vector bits =
      _mm256_castpd_si256(_mm256_blendv_pd(values, canonical, _mm256_cmp_pd(values, values, _CMP_UNORD_Q)));
  const Vector turn = _mm256_broadcastsi128_si256(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
  const Vector letters = _mm256_broadcastsi128_si256(
      _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'));
  const Vector nibble = _mm256_set1_epi8(15);
  const Vector turned = _mm256_shuffle_epi8(bits, turn);
  const Vector upper = _mm256_and_si256(_mm256_srli_epi16(turned, 4), nibble);
  const Vector lower = _mm256_and_si256(turned, nibble);
  const Vector even = _mm256_shuffle_epi8(letters, _mm256_unpacklo_epi8(upper, lower));
  const Vector odd = _mm256_shuffle_epi8(letters, _mm256_unpackhi_epi8(upper, lower));
  const auto put = [](char*& end, __m128i text) {
    *end = 'd';
    _mm_storeu_si128(reinterpret_cast<__m128i*>(end + 1), text);
    end += 17;
  };
  put(ends[0], _mm256_castsi256_si128(even));
  put(ends[1], _mm256_castsi256_si128(odd));
  put(ends[2], _mm256_extracti128_si256(even, 1));
  put(ends[3], _mm256_extracti128_si256(odd, 1));
}

/// Whole numbers below 2^51, as integers: the double 3 * 2^51 has them in its last bits.
Vector WholeNumbers(__m256d values) {
  const __m256d magic = _mm256_set1_pd(6755399441055744.0);
  return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(values, magic)), _mm256_castpd_si256(magic));
}

/// Four that are all whole numbers, or all not. False where they are mixed or large.
[[gnu::always_inline]] inline bool WriteDoubles(const NumberWriter<false>& writer, __m256d values, char** ends) {
  const __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), values);
  const __m256d rounded = _mm256_round_pd(values, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m256d in_range = _mm256_cmp_pd(magnitude, _mm256_set1_pd(kTwoTo52 * 2), _CMP_LE_OQ);
  const __m256d whole = _mm256_and_pd(in_range, _mm256_cmp_pd(values, rounded, _CMP_EQ_OQ));
  if (_mm256_movemask_pd(whole) == 0) {
    WriteHex(values, ends);
    return true;
  }
  const __m256d small = _mm256_and_pd(whole, _mm256_cmp_pd(magnitude, _mm256_set1_pd(kTwoTo52 / 2), _CMP_LT_OQ));
  return _mm256_movemask_pd(small) == 15 && writer.Write<false>(WholeNumbers(values), ends);
}

template <typename Value>
size_t WriteFloats(const NumberShape& whole, const Value* values, size_t count, char** ends) {
  const NumberWriter<false> writer(whole);
  size_t done = 0;
  while (done + kManyAtOnce <= count && WriteDoubles(writer, Load(values + done), ends + done)) done += kManyAtOnce;
  return done;
}

}  // namespace

size_t WriteManyAvx2(const NumberShape& shape, const int32_t* values, size_t count, char** ends) {
  return shape.options.factor == 1 ? WriteNumbers<true>(shape, values, count, ends)
                                   : WriteNumbers<false>(shape, values, count, ends);
}
size_t WriteManyAvx2(const NumberShape& shape, const int64_t* values, size_t count, char** ends) {
  return WriteNumbers<false>(shape, values, count, ends);
}
size_t WriteManyAvx2(const NumberShape& whole, const float* values, size_t count, char** ends) {
  return WriteFloats(whole, values, count, ends);
}
size_t WriteManyAvx2(const NumberShape& whole, const double* values, size_t count, char** ends) {
  return WriteFloats(whole, values, count, ends);
}

}  // namespace tidegate::signature
