#include "tidegate/store/object_store.h"

#include <gtest/gtest.h>

namespace tidegate::store {
namespace {

TEST(CheckKeyTest, UsualAndOddNamesAreKeys) {
  for (const std::string& key :
       {std::string("a"), std::string("v2/s/t/etl_date=2026-11-03/etl_hour=03/0000_part_00.parquet"),
        std::string("_SUCCESS"), std::string("..."), std::string("..a/.b/c.."), std::string("a\\b"),
        std::string("a b/\"c\"/%2F*?"), std::string("caf\xC3\xA9/\xF0\x9F\x8C\x8A"), std::string(1024, 'k')}) {
    EXPECT_TRUE(CheckKey(key).ok()) << key;
  }
}

TEST(CheckKeyTest, SegmentsThatWouldTraverseAreRefused) {
  for (const char* key : {"", "/", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/.", "a/..", "a/../b", "a/./b"}) {
    EXPECT_EQ(CheckKey(key).code(), Code::kInvalidArgument) << key;
  }
}

TEST(CheckKeyTest, ControlCharactersAreRefused) {
  EXPECT_EQ(CheckKey(std::string("a\0b", 3)).code(), Code::kInvalidArgument);
  for (const char* key : {"a\nb", "\x1B[31m", "a\x7F", "\xC2\x80", "\xC2\x9F"}) {
    EXPECT_EQ(CheckKey(key).code(), Code::kInvalidArgument) << key;
  }
  EXPECT_TRUE(CheckKey("\xC2\xA0").ok());
}

TEST(CheckKeyTest, BytesThatAreNotUtf8AreRefused) {
  for (const char* key :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "a\xC3", "\xE2\x82", "\xF0\x9F\x8C", "\xC3("}) {
    EXPECT_EQ(CheckKey(key).code(), Code::kInvalidArgument) << key;
  }
}

TEST(CheckKeyTest, LengthIsCountedInBytes) {
  EXPECT_EQ(CheckKey(std::string(1025, 'k')).code(), Code::kInvalidArgument);
  std::string wide;
  for (int i = 0; i < 513; ++i) wide += "\xC3\xA9";
  EXPECT_EQ(CheckKey(wide).code(), Code::kInvalidArgument);
}

TEST(CheckKeyTest, TheMessageQuotesTheKeySafely) {
  EXPECT_EQ(CheckKey("a\x1B[31m").message().find('\x1B'), std::string::npos);
}

}  // namespace
}  // namespace tidegate::store
