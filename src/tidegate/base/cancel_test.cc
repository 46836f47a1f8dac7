#include "tidegate/base/cancel.h"

#include <gtest/gtest.h>

#include <thread>

namespace tidegate {
namespace {

TEST(CancelFlagTest, SaysThatItWasAsked) {
  CancelFlag flag;
  EXPECT_FALSE(flag.asked() || flag.cancelled());
  EXPECT_TRUE(flag.Check().ok());
  flag.Cancel();
  EXPECT_TRUE(flag.asked() && flag.cancelled());
  EXPECT_EQ(flag.Check().code(), Code::kCancelled);
}

TEST(StopGraceTest, LetsItsThreadGoOnAndNoOther) {
  CancelFlag flag;
  flag.Cancel();
  {
    const StopGrace outer;
    {
      const StopGrace inner;
      EXPECT_TRUE(flag.Check().ok());
    }
    EXPECT_TRUE(flag.Check().ok());
    EXPECT_TRUE(flag.asked());
    std::thread([&] { EXPECT_EQ(flag.Check().code(), Code::kCancelled); }).join();
  }
  EXPECT_EQ(flag.Check().code(), Code::kCancelled);
}

TEST(StopGraceTest, EndsWithItsTime) {
  constexpr std::chrono::milliseconds kGrace(20);
  CancelFlag flag(kGrace);
  flag.Cancel();
  const StopGrace grace;
  const auto end = std::chrono::steady_clock::now() + kGrace;
  while (std::chrono::steady_clock::now() < end) flag.Cancel();  // again and again moves nothing
  EXPECT_TRUE(flag.cancelled());
}

}  // namespace
}  // namespace tidegate
