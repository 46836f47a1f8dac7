#include "tidegate/app/duration.h"

#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

using std::chrono::seconds;

TEST(Duration, IsANumberAndItsUnit) {
  EXPECT_EQ(*ParseDuration("90s"), seconds(90));
  EXPECT_EQ(*ParseDuration("40m"), seconds(2400));
  EXPECT_EQ(*ParseDuration("12h"), seconds(43200));
  EXPECT_EQ(*ParseDuration("7d"), seconds(604800));
  EXPECT_EQ(*ParseDuration("0s"), seconds(0));
  EXPECT_EQ(*ParseDuration("999999d"), seconds(999999LL * 86400));
}

TEST(Duration, AnythingElseIsRefused) {
  for (const char* text : {"", "7", "d", "7 d", "7D", "-7d", "-0s", "+7d", "7dd", "1.5h", "1000000s",
                           "99999999999999999999d", "soon", "7\n"}) {
    EXPECT_EQ(ParseDuration(text).status().code(), Code::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace tidegate::app
