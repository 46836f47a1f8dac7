#include "tidegate/app/memory.h"

#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

TEST(MemoryTest, ReadsWhatPeopleType) {
  EXPECT_EQ(*ParseMemory("500MB"), 500'000'000);
  EXPECT_EQ(*ParseMemory("2GB"), 2'000'000'000);
  EXPECT_EQ(*ParseMemory("1.5GiB"), 1'610'612'736);
  EXPECT_EQ(*ParseMemory("1000kB"), 1'000'000);
}

TEST(MemoryTest, RefusesTheRestAndSaysHowItIsTyped) {
  for (const char* text : {"", "2", "GB", "2 GB", "2gb", "-2GB", "nanGB", "infGB", "999kB", "1e300GB", "2GBs"}) {
    const Status status = ParseMemory(text).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
    EXPECT_NE(status.message().find("such as 500MB"), std::string::npos) << text;
  }
}

TEST(MemoryTest, TheUsualIsSomeOfTheMachine) {
  EXPECT_GE(UsualMemory(), 1'000'000);
  EXPECT_LT(UsualMemory(), int64_t{1} << 50);
}

}  // namespace
}  // namespace tidegate::app
