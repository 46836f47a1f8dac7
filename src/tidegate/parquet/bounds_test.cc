#include "tidegate/parquet/bounds.h"

#include <gtest/gtest.h>

#include <limits>

namespace tidegate::parquet {
namespace {

using schema::Kind;
using schema::Type;

template <typename T>
std::string Bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

Bounds TextBounds(std::string_view min, std::string_view max) {
  Bounds bounds(Type(Kind::kString), false);
  bounds.Add(min, max);
  return bounds;
}

TEST(BoundsTest, LongTextIsCutToSixteenCodePointsAndTheUpperCutGrows) {
  const Bounds bounds = TextBounds("abcdefghijklmnopqrst", "abcdefghijklmnopqrst");
  EXPECT_EQ(bounds.lower(), "abcdefghijklmnop");
  EXPECT_EQ(bounds.upper(), "abcdefghijklmnoq");
}

TEST(BoundsTest, TextOfSixteenCodePointsStaysWhole) {
  const std::string text = "éééééééééééééééé";  // 16 code points, 32 bytes
  EXPECT_EQ(TextBounds(text, text).upper(), text);
}

TEST(BoundsTest, CodePointsAreNeverCutInTheMiddle) {
  std::string emoji;
  for (int i = 0; i < 20; ++i) emoji += "\xF0\x9F\x98\x80";
  const auto lower = TextBounds(emoji, emoji).lower();
  EXPECT_EQ(lower, emoji.substr(0, 64));
  EXPECT_EQ(TextBounds(emoji, emoji).upper(), emoji.substr(0, 60) + "\xF0\x9F\x98\x81");
}

TEST(BoundsTest, GrowingACodePointSkipsSurrogatesAndTheLastOne) {
  EXPECT_EQ(TextAfter("a\xED\x9F\xBF"), "a\xEE\x80\x80");  // U+D7FF -> U+E000
  EXPECT_EQ(TextAfter("a\xF4\x8F\xBF\xBF"), "b");          // U+10FFFF cannot grow
  EXPECT_EQ(TextAfter("\xF4\x8F\xBF\xBF"), std::nullopt);
  EXPECT_EQ(TextAfter("\x7f"), "\xC2\x80");  // grows into two bytes
}

TEST(BoundsTest, BytesThatAreNotTextGiveNoBound) {
  EXPECT_EQ(TextBounds("\xff\xfe", "\xff\xff").lower(), std::nullopt);
  EXPECT_EQ(CutText("\xC0\x80", 4), std::nullopt);      // overlong
  EXPECT_EQ(CutText("\xED\xA0\x80", 4), std::nullopt);  // a surrogate
  EXPECT_EQ(CutText("\xE2\x82", 4), std::nullopt);      // cut short
}

TEST(BoundsTest, BinaryIsCutToSixteenBytes) {
  Bounds bounds(Type(Kind::kBinary), false);
  bounds.Add(std::string(20, '\x01'), std::string(15, '\x01') + std::string(5, '\xff'));
  EXPECT_EQ(bounds.lower(), std::string(16, '\x01'));
  EXPECT_EQ(bounds.upper(), std::string(14, '\x01') + "\x02");
  Bounds top(Type(Kind::kBinary), false);
  top.Add("a", std::string(20, '\xff'));
  EXPECT_EQ(top.upper(), std::nullopt);
}

TEST(BoundsTest, ZerosOfFloatsCoverBothSigns) {
  Bounds bounds(Type(Kind::kDouble), false);
  bounds.Add(Bytes(0.0), Bytes(-0.0));
  EXPECT_EQ(bounds.lower(), Bytes(-0.0));
  EXPECT_EQ(bounds.upper(), Bytes(0.0));
}

TEST(BoundsTest, OneRowGroupWithNaNSpoilsTheColumn) {
  Bounds bounds(Type(Kind::kFloat), false);
  bounds.Add(Bytes(1.0f), Bytes(2.0f));
  bounds.Add(Bytes(std::numeric_limits<float>::quiet_NaN()), Bytes(3.0f));
  EXPECT_EQ(bounds.lower(), std::nullopt);
  EXPECT_EQ(bounds.upper(), std::nullopt);
}

TEST(BoundsTest, StatisticsOfTheWrongLengthOrOrderAreNotBelieved) {
  Bounds shorter(Type(Kind::kLong), false);
  shorter.Add("abc", Bytes<int64_t>(1));
  EXPECT_EQ(shorter.upper(), std::nullopt);
  Bounds reversed(Type(Kind::kInt), false);
  reversed.Add(Bytes<int32_t>(5), Bytes<int32_t>(4));
  EXPECT_EQ(reversed.lower(), std::nullopt);
}

TEST(BoundsTest, DecimalsOfEveryStorageBecomeMinimalBigEndian) {
  Bounds integers(Type::Decimal(9, 2), true);
  integers.Add(Bytes<int32_t>(-129), Bytes<int32_t>(127));
  EXPECT_EQ(integers.lower(), "\xff\x7f");
  EXPECT_EQ(integers.upper(), "\x7f");
  Bounds fixed(Type::Decimal(20, 2), false);
  fixed.Add(std::string(9, '\xff'), std::string(8, '\0') + "\x05");
  fixed.Add(std::string("\xfe", 1) + std::string(8, '\0'), std::string(8, '\0') + "\x09");
  EXPECT_EQ(fixed.lower(), std::string("\xfe", 1) + std::string(8, '\0'));
  EXPECT_EQ(fixed.upper(), "\x09");
}

TEST(BoundsTest, WithoutAnyStatisticsThereIsNoBound) {
  EXPECT_EQ(Bounds(Type(Kind::kInt), false).lower(), std::nullopt);
}

}  // namespace
}  // namespace tidegate::parquet
