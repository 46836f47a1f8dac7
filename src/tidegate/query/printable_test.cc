#include "tidegate/query/printable.h"

#include <gtest/gtest.h>

namespace tidegate::query {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
  for (const std::string_view text : {"", "plain", "it's \"quoted\" \\ x", "é ü 日本語 🙂"})
    EXPECT_EQ(Printable(text), text);
}

TEST(Printable, EscapesWhatCouldSteerATerminal) {
  EXPECT_EQ(Printable("a\nb\tc\x1b[31md\x7f"), "a\\x0Ab\\x09c\\x1B[31md\\x7F");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "\\xC2\\x9B31m");  // U+009B, CSI
  EXPECT_EQ(Printable("a\xE2\x80\xAE"
                      "b"),
            "a\\xE2\\x80\\xAEb");  // U+202E, right-to-left override
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("\xFF"), "\\xFF");
  EXPECT_EQ(Printable("\xC3"), "\\xC3");                             // cut
  EXPECT_EQ(Printable("\xC0\x80"), "\\xC0\\x80");                    // overlong
  EXPECT_EQ(Printable("\xED\xA0\x80"), "\\xED\\xA0\\x80");           // a surrogate
  EXPECT_EQ(Printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");  // beyond Unicode
}

TEST(Printable, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("éü"), 2u);
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(DisplayWidth("🙂"), 2u);
}

TEST(Printable, CuttingNeverSplitsACharacterAndNeverExceedsTheWidth) {
  EXPECT_EQ(CutToWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(CutToWidth("abcdef", 4), "abc…");
  EXPECT_EQ(CutToWidth("日本語", 4), "日…");
  EXPECT_EQ(CutToWidth("日本語", 5), "日本…");
  EXPECT_EQ(CutToWidth("ab", 1), "…");
  for (size_t width = 1; width < 12; ++width) EXPECT_LE(DisplayWidth(CutToWidth("a日b本c語🙂é", width)), width);
}

}  // namespace
}  // namespace tidegate::query
