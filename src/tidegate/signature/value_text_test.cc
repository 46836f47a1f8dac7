#include "tidegate/signature/value_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace tidegate::signature {
namespace {

/// What a function writes; a canary behind the room must stay.
template <typename Put>
std::string Text(size_t room, const Put& put) {
  std::string bytes(room + 8, '#');
  const size_t size = static_cast<size_t>(put(bytes.data()) - bytes.data());
  EXPECT_LE(size, room);
  EXPECT_EQ(bytes.substr(room), "########");
  return bytes.substr(0, size);
}

std::string Integer(int64_t value) {
  return Text(kValueRoom, [&](char* out) { return PutInteger(out, value); });
}

/// A decimal of 64 bits.
std::string Scaled(int64_t value, int scale) {
  const uint64_t bytes = __builtin_bswap64(static_cast<uint64_t>(value));
  return Text(kWideNumberRoom, [&](char* out) {
    return PutDecimalBytes(out, reinterpret_cast<const uint8_t*>(&bytes), sizeof bytes, scale);
  });
}

std::string Wide(const std::string& digits, int scale, bool negative = false) {
  return Text(kWideNumberRoom, [&](char* out) { return PutDecimal(out, negative, digits, scale); });
}

std::string Double(double value) {
  return Text(kValueRoom, [&](char* out) { return PutDouble(out, value); });
}

std::string Time(TimeUnit unit, int64_t value) {
  return Text(kValueRoom, [&](char* out) { return PutTime(out, 'P', unit, value); });
}

TEST(ValueText, IntegersOfEveryLength) {
  int64_t power = 1;
  for (int digits = 1; digits <= 18; ++digits, power *= 10) {
    for (const int64_t value : {power, power - 1, power + 1, power * 9, -power, 1 - power}) {
      EXPECT_EQ(Integer(value), std::to_string(value) + ";");
    }
  }
  for (const int64_t value : {INT64_MAX, INT64_MIN, INT64_MIN + 1, int64_t{0}})
    EXPECT_EQ(Integer(value), std::to_string(value) + ";");
  EXPECT_EQ(Text(kValueRoom, [](char* out) { return PutInteger(out, UINT64_MAX); }), "18446744073709551615;");
}

TEST(ValueText, RandomIntegersAreTheirDecimalText) {
  const unsigned seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = static_cast<int64_t>(random() >> (random() % 64));
    ASSERT_EQ(Integer(value), std::to_string(value) + ";");
  }
}

TEST(ValueText, DecimalsHaveNoZerosAtTheirEnd) {
  EXPECT_EQ(Scaled(150, 2), "1.5;");
  EXPECT_EQ(Scaled(100, 2), "1;");
  EXPECT_EQ(Scaled(5, 2), "0.05;");
  EXPECT_EQ(Scaled(-5, 2), "-0.05;");
  EXPECT_EQ(Scaled(0, 2), "0;");
  EXPECT_EQ(Scaled(12'345'678, 8), "0.12345678;");
  EXPECT_EQ(Scaled(INT64_MIN, 1), "-922337203685477580.8;");
  EXPECT_EQ(Scaled(INT64_MIN, 8), "-92233720368.54775808;");
}

TEST(ValueText, DecimalsOfAnyScale) {
  EXPECT_EQ(Wide("12345678901234567890123456789012345678", 38), "0.12345678901234567890123456789012345678;");
  EXPECT_EQ(Wide("1", 76), "0." + std::string(75, '0') + "1;");
  EXPECT_EQ(Wide("12", -3, true), "-12000;");
  EXPECT_EQ(Wide("1000", 3), "1;");
  EXPECT_EQ(Wide("0", 3), "0;");
  const uint8_t least[32] = {0x80};
  EXPECT_EQ(Text(kWideNumberRoom, [&](char* out) { return PutDecimalBytes(out, least, sizeof least, 0); }),
            "-57896044618658097711785492504343953926634992332820282019728792003956564819968;");
}

TEST(ValueText, DoublesAreIntegersOrBits) {
  EXPECT_EQ(Double(3), "3;");
  EXPECT_EQ(Double(-0.0), "0;");
  EXPECT_EQ(Double(-9007199254740992.0), "-9007199254740992;");
  EXPECT_EQ(Double(9007199254740994.0), "d4340000000000001");
  EXPECT_EQ(Double(0.1), "d3FB999999999999A");
  EXPECT_EQ(Double(-std::numeric_limits<double>::quiet_NaN()), "d7FF8000000000000");
  EXPECT_EQ(Double(-std::numeric_limits<double>::infinity()), "dFFF0000000000000");
  EXPECT_EQ(Double(std::bit_cast<double>(uint64_t{0xABCDEF0123456789})), "dABCDEF0123456789");
}

TEST(ValueText, InstantsOfEveryUnit) {
  EXPECT_EQ(Time(TimeUnit::kSecond, -1), "P-1000000;");
  EXPECT_EQ(Time(TimeUnit::kMilli, INT64_MAX), "P9223372036854775807000;");
  EXPECT_EQ(Time(TimeUnit::kSecond, INT64_MIN), "P-9223372036854775808000000;");
  EXPECT_EQ(Time(TimeUnit::kNano, 1'500), "P1.500;");
  EXPECT_EQ(Time(TimeUnit::kNano, -1), "P-1.999;");
  EXPECT_EQ(Time(TimeUnit::kNano, -1'000), "P-1;");
  EXPECT_EQ(Time(TimeUnit::kNano, INT64_MIN), "P-9223372036854776.192;");
}

TEST(ValueText, TextAndBinaryTellTheirLength) {
  const auto text = [](const std::string& value) {
    return Text(TextRoom(value.size()), [&](char* out) { return PutText(out, value); });
  };
  for (size_t size = 0; size < 100; ++size) {
    std::string value;
    for (size_t i = 0; i < size; ++i) value += static_cast<char>('a' + i % 26);
    EXPECT_EQ(text(value), "s" + std::to_string(size) + ":" + value);
  }
  EXPECT_EQ(Text(BinaryRoom(3), [](char* out) { return PutBinary(out, {"\x00\xFF\x1A", 3}); }), "x00FF1A;");
}

}  // namespace
}  // namespace tidegate::signature
