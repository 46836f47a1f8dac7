#include "tidegate/aws/retry.h"

#include <gtest/gtest.h>

#include <random>

namespace tidegate::aws {
namespace {

using std::chrono::milliseconds;

TEST(RetryWaitTest, DoublesAndIsJitteredOverItsWholeLength) {
  const RetryPolicy policy{.max_attempts = 10, .first_wait = milliseconds(100), .longest_wait = milliseconds(2'000)};
  EXPECT_EQ(RetryWait(policy, 2, 0), milliseconds(0));
  EXPECT_EQ(RetryWait(policy, 2, 100), milliseconds(100));
  EXPECT_EQ(RetryWait(policy, 2, 101), milliseconds(0));
  EXPECT_EQ(RetryWait(policy, 3, 200), milliseconds(200));
  EXPECT_EQ(RetryWait(policy, 5, 800), milliseconds(800));
  EXPECT_EQ(RetryWait(policy, 9, 2'000), milliseconds(2'000));
  EXPECT_EQ(RetryWait(policy, 1'000'000, 2'001), milliseconds(0));
}

TEST(RetryWaitTest, StaysInsideItsBounds) {
  std::mt19937_64 random(1);
  const RetryPolicy policy;
  for (int i = 0; i < 1'000; ++i) {
    const milliseconds wait = RetryWait(policy, 2 + i % 40, random());
    EXPECT_GE(wait, milliseconds(0));
    EXPECT_LE(wait, policy.longest_wait);
  }
}

TEST(RetryBudgetTest, EndsWhereNothingSucceedsAndIsFilledBySuccess) {
  RetryBudget budget;
  int taken = 0;
  while (budget.Take(RetryBudget::kOfRetry)) ++taken;
  EXPECT_EQ(taken, RetryBudget::kFull / RetryBudget::kOfRetry);
  for (int i = 0; i < RetryBudget::kOfRetry - 1; ++i) budget.GiveBack(0);
  EXPECT_FALSE(budget.Take(RetryBudget::kOfRetry));
  budget.GiveBack(0);
  EXPECT_TRUE(budget.Take(RetryBudget::kOfRetry));
  budget.GiveBack(1'000'000);
  taken = 0;
  while (budget.Take(RetryBudget::kOfTimeout)) ++taken;
  EXPECT_EQ(taken, RetryBudget::kFull / RetryBudget::kOfTimeout);  // never fuller than full
}

TEST(SystemSleeperTest, AStopEndsTheWait) {
  CancelFlag cancel;
  SystemSleeper sleeper(&cancel);
  EXPECT_TRUE(sleeper.Sleep(milliseconds(1)).ok());
  cancel.Cancel();
  EXPECT_EQ(sleeper.Sleep(std::chrono::hours(1)).code(), Code::kCancelled);
  EXPECT_TRUE(SystemSleeper(nullptr).Sleep(milliseconds(1)).ok());
}

}  // namespace
}  // namespace tidegate::aws
