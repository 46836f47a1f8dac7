#include "tidegate/base/time.h"

#include <gtest/gtest.h>

namespace tidegate {
namespace {

TEST(TimeTest, Rfc3339GoesRoundUnchanged) {
  for (const char* text : {"2026-11-03T03:00:00Z", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z",
                           "9999-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.5Z"}) {
    const auto time = ParseRfc3339(text);
    ASSERT_TRUE(time.ok()) << text;
    EXPECT_EQ(FormatRfc3339(*time), text);
  }
}

TEST(TimeTest, OffsetsAndLowerCaseAreRead) {
  EXPECT_EQ(FormatRfc3339(*ParseRfc3339("2026-11-03t03:00:00z")), "2026-11-03T03:00:00Z");
  EXPECT_EQ(FormatRfc3339(*ParseRfc3339("2026-11-03T00:00:00-03:00")), "2026-11-03T03:00:00Z");
  EXPECT_EQ(FormatRfc3339(*ParseRfc3339("2026-11-03T03:00:00.120000000Z")), "2026-11-03T03:00:00.12Z");
}

TEST(TimeTest, WhatIsNotATimeIsRefused) {
  for (const char* text : {"", "2026-11-03", "2026-02-30T00:00:00Z", "2026-11-03T24:00:00Z", "2026-11-03T03:00:00",
                           "2026-11-03T03:00:00Zx", "2026-11-03T03:00:00.Z", "2026-11-03T03:00:00.0000001Z",
                           "0000-01-01T00:00:00Z", "26-11-03T03:00:00Z"}) {
    EXPECT_EQ(ParseRfc3339(text).status().code(), Code::kInvalidArgument) << text;
  }
}

TEST(TimeTest, DatesAndHoursAreText) {
  EXPECT_TRUE(IsDate("2024-02-29"));
  EXPECT_FALSE(IsDate("2023-02-29"));
  EXPECT_FALSE(IsDate("2026-1-03"));
  EXPECT_FALSE(IsDate("2026-11-03 "));
  EXPECT_FALSE(IsDate("__initial__"));
  EXPECT_TRUE(IsHour("00"));
  EXPECT_TRUE(IsHour("23"));
  EXPECT_FALSE(IsHour("24"));
  EXPECT_FALSE(IsHour("3"));
  EXPECT_FALSE(IsHour("003"));
}

}  // namespace
}  // namespace tidegate
