#include "tidegate/contract/toml_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tidegate::contract {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(std::string_view toml) {
  const auto document = ParseToml(toml, "t.toml");
  EXPECT_FALSE(document.ok()) << toml;
  if (document.ok()) return "";
  EXPECT_EQ(document.status().code(), Code::kInvalidArgument);
  return document.status().message();
}

TEST(ParseTomlTest, WhatIsNoTomlNamesItsLine) {
  EXPECT_THAT(ErrorOf("\n\nname = \n"), HasSubstr("t.toml:3: not TOML: "));
  EXPECT_THAT(ErrorOf("a = 1\na = 2\n"), HasSubstr("t.toml:2: not TOML: "));
  EXPECT_THAT(ErrorOf("x = \"\xff\"\n"), HasSubstr("not TOML: "));
  EXPECT_THAT(ErrorOf(std::string_view("x = \"a\0b\"", 9)), HasSubstr("not TOML: "));
  EXPECT_THAT(ErrorOf("x = '''never closed"), HasSubstr("not TOML: "));
  EXPECT_THAT(ErrorOf("x = \"never closed\ny = 1"), HasSubstr("not TOML: "));
  EXPECT_THAT(ErrorOf("x = \"ends in a backslash\\"), HasSubstr("not TOML: "));
}

TEST(ParseTomlTest, AHeaderThatIsNoKeyIsAnErrorNotAnAssertion) {
  for (const char* text : {"[!]", "[", "[]", "[[!]]", "[a.!]", "[=", "x={!=1}", "[ \xC3\xA9]", "a.=1", "=1", "!"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("t.toml:1: not TOML: ")) << text;
  }
}

TEST(ParseTomlTest, ATooLargeTextIsNotParsed) {
  EXPECT_THAT(ErrorOf(std::string(kMaxTomlBytes + 1, '\n')), HasSubstr("t.toml: larger than 4.0 MB"));
  EXPECT_TRUE(ParseToml(std::string(kMaxTomlBytes, '\n'), "t.toml").ok());
}

std::string Repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(ParseTomlTest, DeepNestingEndsInAnErrorNotInACrash) {
  const std::string dots = Repeated(".a", 1'000'000);
  for (const std::string& text :
       {"[a" + dots + "]\n", "a" + dots + " = 1\n", "x = {a" + dots + " = 1}\n", "[\"#\"" + dots + "]\n",
        "['\"'" + dots + "]\n", "x = '''a''''' # \"\n[a" + dots + "]\n", "x = \"\"\"\\\"\"\"\"\n[a" + dots + "]\n"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("nested that deep are refused")) << text.substr(0, 30);
  }
  EXPECT_THAT(ErrorOf("x = " + std::string(1'000'000, '[')), HasSubstr("not TOML: "));
  EXPECT_THAT(ErrorOf(Repeated("a = {", 100'000)), HasSubstr("not TOML: "));
}

TEST(ParseTomlTest, DotsInTextsAndCommentsAreNoNesting) {
  const std::string dots(5000, '.');
  for (const std::string& value :
       {"\"" + dots + "\"", "'" + dots + "'", "\"\"\"\n" + dots + "\"\" \\\" " + dots + "\"\"\"",
        "'''\n''" + dots + "'''", "\"x\" # " + dots}) {
    const auto document = ParseToml("x = " + value + "\n# " + dots, "t.toml");
    EXPECT_TRUE(document.ok()) << document.status().message();
  }
}

TEST(ParseTomlTest, LettersBeyondAsciiStandInTextsOnly) {
  const auto document = ParseToml("# é\n\"é\" = \"\"\"é \\\n  é\"\"\"\n", "t.toml");
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(document->get("é")->value_or(std::string()), "é é");
  for (const char* text : {"é = 1", "[é]", "a é = 1", "a = é", "a = 1 é", "a = \"\"\"\\é\"\"\"", "\xE2\x80\xA8 = 1"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("t.toml:1: not TOML: ")) << text;
  }
}

TEST(ParseTomlTest, TheMessageOfTheParserIsMadeHarmless) {
  const std::string error = ErrorOf("[\"\\u001b[31mé\"]\n[\"\\u001b[31mé\"]\n");
  EXPECT_THAT(error, HasSubstr("t.toml:2: not TOML: "));
  for (const char c : error) EXPECT_TRUE(c >= 0x20 && c <= 0x7E) << error;
  const std::string line = std::string(100'000, 'k') + " = 1\n";
  EXPECT_LT(ErrorOf(line + line).size(), 400u);
}

}  // namespace
}  // namespace tidegate::contract
