#include "tidegate/app/time_text.h"

#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

using namespace std::chrono_literals;

TEST(TimeText, ALengthIsANumberAndItsUnit) {
  EXPECT_EQ(*ParseDuration("200ms"), 200ms);
  EXPECT_EQ(*ParseDuration("90s"), 90s);
  EXPECT_EQ(*ParseDuration("40m"), 40min);
  EXPECT_EQ(*ParseDuration("2h"), 2h);
  EXPECT_EQ(*ParseDuration("7d"), 168h);
  EXPECT_EQ(*ParseDuration("1000000h"), 1'000'000h);
}

TEST(TimeText, ALengthOfAnotherShapeIsRefused) {
  for (const char* text : {"", "s", "90", "-1s", "1.5h", "90 s", "1h30m", "1000001s", "99999999999s", "5y", "5S"}) {
    EXPECT_EQ(ParseDuration(text).status().code(), Code::kInvalidArgument) << text;
  }
}

TEST(TimeText, ATimeOfDayHasTwoDigitsOnEachSide) {
  EXPECT_EQ(*ParseTimeOfDay("07:00"), 7h);
  EXPECT_EQ(*ParseTimeOfDay("23:59"), 23h + 59min);
  for (const char* text : {"", "7:00", "07:0", "24:00", "07:60", "07-00", "07:00Z", "-7:00", "07:-1", "0x:00"}) {
    EXPECT_EQ(ParseTimeOfDay(text).status().code(), Code::kInvalidArgument) << text;
  }
}

TEST(TimeText, ALengthIsToldInItsLargestUnits) {
  EXPECT_EQ(HumanDuration(10ms), "1 s");
  EXPECT_EQ(HumanDuration(119s), "119 s");
  EXPECT_EQ(HumanDuration(150s), "2 min");
  EXPECT_EQ(HumanDuration(3600s), "1 h");
  EXPECT_EQ(HumanDuration(3900s), "1 h 5 min");
}

}  // namespace
}  // namespace tidegate::app
