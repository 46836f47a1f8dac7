#include "tidegate/signature/many_texts.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tidegate/signature/machine.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {
namespace {

/// Where some texts go: side by side, with room for one and its overshoot each.
class Places {
 public:
  explicit Places(size_t count) : bytes_(count * kEach, '#') {
    for (size_t i = 0; i < count; ++i) ends_.push_back(Begin(i));
  }
  char** ends() { return ends_.data(); }
  std::string Text(size_t i) { return {Begin(i), ends_[i]}; }

 private:
  static constexpr size_t kEach = 64;
  char* Begin(size_t i) { return bytes_.data() + i * kEach; }

  std::string bytes_;
  std::vector<char*> ends_;
};

/// Compares the texts of all values that suit with those of `put`. Returns how many these are.
template <typename Value, typename Put>
size_t Compare(const NumberShape& shape, const std::vector<Value>& values, const Put& put) {
  Places places(values.size());
  size_t suit = 0;
  for (size_t done = 0; done < values.size();) {
    const size_t more = WriteManyAvx2(shape, values.data() + done, values.size() - done, places.ends() + done);
    EXPECT_EQ(more % kManyAtOnce, 0U);
    EXPECT_LE(done + more, values.size());
    for (size_t i = done; i < done + more; ++i) {
      char expected[256];
      EXPECT_EQ(places.Text(i), std::string(expected, put(expected, values[i]))) << "value " << i << " " << values[i];
    }
    suit += more;
    done += more;
    for (const size_t stop = std::min(values.size(), done + kManyAtOnce); done < stop; ++done)
      EXPECT_EQ(places.Text(done), "") << "not written, but moved";
  }
  return suit;
}

/// Numbers of all lengths, fours of which are of one length or of all.
template <typename Value>
std::vector<Value> ManyNumbers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Value> values;
  constexpr int kBits = sizeof(Value) * 8;
  for (int i = 0; i < 40'003; ++i) {
    const int bits = i < 20'000 ? i / 4 % kBits : static_cast<int>(random() % kBits);
    values.push_back(static_cast<Value>(random() & (UINT64_MAX >> (63 - bits))));
    if (random() % 3 == 0) values.back() = static_cast<Value>(0 - static_cast<uint64_t>(values.back()));
  }
  int64_t power = 1;
  for (int digits = 0; digits < 18 && power <= int64_t{std::numeric_limits<Value>::max()}; ++digits, power *= 10) {
    for (const int64_t value : {power - 1, power, power + 1, -power, 1 - power, power / 2 * 10, power * 3 / 2})
      values.push_back(static_cast<Value>(value));
  }
  return values;
}

class ManyTexts : public testing::Test {
 protected:
  void SetUp() override {
    if (ThisMachine() != Machine::kAvx2) GTEST_SKIP() << "this processor has no AVX2";
  }
};

TEST_F(ManyTexts, IntegersAreAsOneByOne) {
  const auto put = [](char* out, int64_t value) { return PutInteger(out, value); };
  EXPECT_GT(Compare(NumberShape({}), ManyNumbers<int32_t>(1), put), 40'000U) << "each of 32 bits suits";
  EXPECT_GT(Compare(NumberShape({}), ManyNumbers<int64_t>(2), put), 15'000U);
}

TEST_F(ManyTexts, UnsignedOnesToo) {
  EXPECT_GT(Compare(NumberShape({.is_unsigned = true}), ManyNumbers<int32_t>(3),
                    [](char* out, int32_t value) { return PutUnsigned(out, static_cast<uint32_t>(value)); }),
            1'000U);
  EXPECT_GT(Compare(NumberShape({.is_unsigned = true}), ManyNumbers<int64_t>(4),
                    [](char* out, int64_t value) { return PutUnsigned(out, static_cast<uint64_t>(value)); }),
            1'000U);
}

TEST_F(ManyTexts, DecimalsOfEachScale) {
  for (int scale = 0; scale <= kManyMostScale; ++scale) {
    SCOPED_TRACE("scale " + std::to_string(scale));
    const auto put = [&](char* out, int64_t value) {
      const uint64_t bytes = __builtin_bswap64(static_cast<uint64_t>(value));
      return PutDecimalBytes(out, reinterpret_cast<const uint8_t*>(&bytes), sizeof bytes, scale);
    };
    const NumberShape shape({.scale = scale});
    EXPECT_GT(Compare(shape, ManyNumbers<int32_t>(5), put), 40'000U);
    EXPECT_GT(Compare(shape, ManyNumbers<int64_t>(6), put), 14'000U);
  }
}

TEST_F(ManyTexts, DatesAndTimes) {
  EXPECT_GT(Compare(NumberShape({.tag = 'D'}), ManyNumbers<int32_t>(7),
                    [](char* out, int32_t days) { return PutDate(out, days); }),
            40'000U);
  EXPECT_GT(Compare(NumberShape({.tag = 'P'}), ManyNumbers<int64_t>(8),
                    [](char* out, int64_t value) { return PutTime(out, 'P', TimeUnit::kMicro, value); }),
            15'000U);
  const NumberShape millis({.tag = 'T', .factor = 1'000});
  const auto put = [](char* out, int64_t value) { return PutTime(out, 'T', TimeUnit::kMilli, value); };
  EXPECT_GT(Compare(millis, ManyNumbers<int64_t>(9), put), 10'000U);
  EXPECT_GT(Compare(millis, ManyNumbers<int32_t>(10), put), 40'000U);
}

/// Fours of any bits, of whole numbers, of halves, of those that are not finite; and mixed fours.
std::vector<double> ManyDoubles(unsigned seed) {
  std::mt19937_64 random(seed);
  const double special[] = {0.0,
                            -0.0,
                            std::numeric_limits<double>::quiet_NaN(),
                            -std::numeric_limits<double>::quiet_NaN(),
                            std::bit_cast<double>(uint64_t{0x7FF0'0000'0000'0001}),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::denorm_min(),
                            9007199254740992.0,
                            -9007199254740994.0,
                            2251799813685248.0,
                            -2251799813685247.0,
                            4503599627370496.5};
  const auto make = [&](int kind) {
    switch (kind) {
      case 0:
        return std::bit_cast<double>(random());
      case 1:
        return static_cast<double>(static_cast<int64_t>(random()) >> (random() % 64));
      case 2:
        return static_cast<double>(static_cast<int32_t>(random())) + 0.5;
      default:
        return special[random() % std::size(special)];
    }
  };
  constexpr int kCount = 40'001;
  std::vector<double> values;
  values.reserve(kCount);
  for (int i = 0; i < kCount; ++i) values.push_back(make(i < 30'000 ? i / 4 % 4 : static_cast<int>(random() % 4)));
  return values;
}

TEST_F(ManyTexts, DoublesAndFloats) {
  const auto put = [](char* out, double value) { return PutDouble(out, value); };
  const std::vector<double> doubles = ManyDoubles(11);
  EXPECT_GT(Compare(NumberShape({}), doubles, put), 10'000U);
  std::vector<float> floats;
  floats.reserve(doubles.size());
  for (const double value : doubles) floats.push_back(static_cast<float>(value));
  EXPECT_GT(Compare(NumberShape({}), floats, put), 10'000U);
}

TEST_F(ManyTexts, FewerThanFourAreLeft) {
  for (size_t count = 0; count < 12; ++count) {
    const std::vector<int64_t> values(count, 7);
    Places places(count);
    EXPECT_EQ(WriteManyAvx2(NumberShape({}), values.data(), count, places.ends()), count / 4 * 4);
  }
}

}  // namespace
}  // namespace tidegate::signature
