#include "tidegate/parquet/footer_bytes.h"

#include <gtest/gtest.h>

#include <random>

namespace tidegate::parquet {
namespace {

std::string Text(const char* bytes, size_t length) { return std::string(bytes, length); }

TEST(FooterBytesTest, TheKeyValuesGoAndTheRestStays) {
  // Field 1 (i32) = 1, field 5 (list of one struct {1: "k"}), field 6 (binary) = "me".
  const std::string footer = Text("\x15\x02\x49\x1c\x18\x01k\x00\x18\x02me\x00", 13);
  const auto kept = WithoutKeyValues(footer);
  ASSERT_TRUE(kept.ok()) << kept.status().ToString();
  EXPECT_EQ(*kept, Text("\x05\x02\x02\x08\x0c\x02me\x00", 9));  // long-form headers
  EXPECT_EQ(WithoutKeyValues(*kept).value(), *kept);
}

TEST(FooterBytesTest, BytesThatEndEarlyAreRefusedAtEveryLength) {
  const std::string footer = Text("\x15\x02\x49\x1c\x18\x01k\x00\x18\x02me\x00", 13);
  for (size_t length = 0; length < footer.size(); ++length) {
    EXPECT_EQ(WithoutKeyValues(footer.substr(0, length)).status().code(), Code::kCorruption) << length;
  }
}

TEST(FooterBytesTest, DeepNestingIsRefused) {
  EXPECT_EQ(WithoutKeyValues(std::string(100'000, '\x1c')).status().code(),
            Code::kCorruption);  // struct in struct in …
  EXPECT_EQ(WithoutKeyValues("\x19" + std::string(100'000, '\x19')).status().code(), Code::kCorruption);
}

TEST(FooterBytesTest, AListThatClaimsMoreThanThereIsIsRefused) {
  EXPECT_EQ(WithoutKeyValues(Text("\x19\xf5\xff\xff\xff\xff\x0f\x00", 8)).status().code(), Code::kCorruption);
}

TEST(FooterBytesTest, RandomBytesNeverCrash) {
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (uint32_t n = random() % 40; n > 0; --n) bytes += static_cast<char>(random());
    const auto kept = WithoutKeyValues(bytes);
    if (!kept.ok()) continue;
    EXPECT_TRUE(WithoutKeyValues(*kept).ok());
  }
}

}  // namespace
}  // namespace tidegate::parquet
