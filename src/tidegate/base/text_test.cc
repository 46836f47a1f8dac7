#include "tidegate/base/text.h"

#include <gtest/gtest.h>

namespace tidegate {
namespace {

TEST(TextTest, QuotedEscapesWhatCouldFoolATerminal) {
  EXPECT_EQ(Quoted("plain-name_1"), "'plain-name_1'");
  EXPECT_EQ(Quoted("a\nb\x1b[31m"), "'a\\x0Ab\\x1B[31m'");
  EXPECT_EQ(Quoted("it's"), "'it\\x27s'");
  EXPECT_EQ(Quoted("caf\xC3\xA9"), "'caf\xC3\xA9'");
  EXPECT_EQ(Quoted("\xFF\xC3"), "'\\xFF\\xC3'");
  EXPECT_EQ(Quoted("\xC2\x9B"), "'\\xC2\\x9B'");
  EXPECT_EQ(Quoted("\xE2\x80\xAE"), "'\\xE2\\x80\\xAE'");
  EXPECT_EQ(Quoted("abcdef", 3), "'abc…'");
}

TEST(TextTest, GlobsMatchWholeTexts) {
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("shop.*", "shop.orders"));
  EXPECT_FALSE(GlobMatches("shop.*", "xshop.orders"));
  EXPECT_TRUE(GlobMatches("*.o?ders", "shop.orders"));
  EXPECT_FALSE(GlobMatches("a*b", "ac"));
  EXPECT_TRUE(GlobMatches("a*b*c", "a__b__b_c"));
  EXPECT_FALSE(GlobMatches("a*a*a*a*a*a*a*a*b", std::string(10000, 'a')));
}

TEST(TextTest, NumbersReadLikeAPersonWritesThem) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(999), "999 B");
  EXPECT_EQ(HumanBytes(1000), "1.0 kB");
  EXPECT_EQ(HumanBytes(256'000'000), "256.0 MB");
  EXPECT_EQ(HumanBytes(999'999), "1.0 MB");
  EXPECT_EQ(HumanCount(0), "0");
  EXPECT_EQ(HumanCount(336776), "336,776");
  EXPECT_EQ(HumanCount(-1000), "-1,000");
  EXPECT_EQ(Plural(1, "folder", "folders"), "1 folder");
  EXPECT_EQ(Plural(0, "folder", "folders"), "0 folders");
  EXPECT_EQ(Plural(2000, "folder", "folders"), "2,000 folders");
}

TEST(TextTest, SplitKeepsEmptyParts) {
  EXPECT_EQ(Split("a//b", '/').size(), 3u);
  EXPECT_EQ(Split("", '/').size(), 1u);
}

TEST(TextTest, TrimTakesWhatStandsAround) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim("a"), "a");
  EXPECT_EQ(Trim(" \r\n"), "");
  EXPECT_EQ(Trim(""), "");
}

}  // namespace
}  // namespace tidegate
