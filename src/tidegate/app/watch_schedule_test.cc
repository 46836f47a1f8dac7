#include "tidegate/app/watch_schedule.h"

#include <gtest/gtest.h>

#include <random>

namespace tidegate::app {
namespace {

using contract::Delivery;
using contract::Version;
using namespace std::chrono_literals;

WatchState At(const std::string& now, const std::string& newest) {
  WatchState state;
  state.now = *ParseRfc3339(now);
  if (!newest.empty()) state.newest = *contract::ParseDelivery(newest);
  state.version = newest.starts_with("v1") ? Version::kV1 : Version::kV2;
  return state;
}

std::chrono::milliseconds Wait(const WatchState& state, double jitter = 0) {
  return PlanNextLook(state, {}, jitter).wait;
}

TEST(WatchSchedule, AnAwaitedHourIsLookedForAtTheShortInterval) {  // C-40
  EXPECT_EQ(Wait(At("2026-11-03T04:00:00Z", "v2/2026-11-03/03")), 60s);
  EXPECT_EQ(Wait(At("2026-11-03T04:39:00Z", "v2/2026-11-03/03")), 60s);
  EXPECT_EQ(Wait(At("2026-11-03T04:39:00Z", "")), 60s);
}

TEST(WatchSchedule, AfterItsHourItSleepsUntilTheNextCanBeThere) {
  EXPECT_EQ(Wait(At("2026-11-03T04:50:00Z", "v2/2026-11-03/04")), 10min);
  EXPECT_EQ(Wait(At("2026-11-03T23:50:00Z", "v2/2026-11-03/23")), 10min) << "over midnight";
  EXPECT_EQ(Wait(At("2026-11-03T04:50:00.0005Z", "v2/2026-11-03/04")), 10min) << "never a moment too early";
}

TEST(WatchSchedule, AnHourThatIsAheadOfOurClockIsNotAwaited) {
  EXPECT_EQ(Wait(At("2026-11-03T04:59:00Z", "v2/2026-11-03/05")), 60s) << "05:00 is next";
  EXPECT_EQ(Wait(At("2026-11-03T05:50:00Z", "v2/2026-11-03/05")), 10min);
}

TEST(WatchSchedule, NoWaitIsLongerThanTheSweepOrAQuarterOfAnHour) {
  EXPECT_EQ(Wait(At("2026-11-03T04:10:00Z", "v2/2026-11-03/04")), 15min);
  WatchState state = At("2026-11-03T04:10:00Z", "v2/2026-11-03/04");
  state.since_ingest = 11min;
  EXPECT_EQ(Wait(state), 4min) << "what is left until the sweep";
  state.since_ingest = 0min;
  EXPECT_EQ(PlanNextLook(state, {.sweep = std::chrono::hours(6)}, 0).wait, 15min);
}

TEST(WatchSchedule, ALateDeliveryIsSaidAndLookedForEverMoreSeldom) {
  const auto in_time = PlanNextLook(At("2026-11-02T07:39:59Z", "v1/2026-11-01"), {}, 0);
  EXPECT_FALSE(in_time.late);
  const auto late = PlanNextLook(At("2026-11-02T09:00:00Z", "v1/2026-11-01"), {}, 0);
  EXPECT_EQ(late.late, contract::ParseDelivery("v1/2026-11-02").value());
  EXPECT_EQ(late.wait, 10min);
  EXPECT_EQ(Wait(At("2026-11-02T20:00:00Z", "v1/2026-11-01")), 15min);
}

TEST(WatchSchedule, ADayOfV1BeginsAtItsTimeOfDay) {
  EXPECT_EQ(NewestDue(*ParseRfc3339("2026-11-02T06:59:59Z"), Version::kV1, {}).delivery.date, "2026-11-01");
  EXPECT_EQ(NewestDue(*ParseRfc3339("2026-11-02T07:00:00Z"), Version::kV1, {}).delivery.date, "2026-11-02");
  EXPECT_EQ(Wait(At("2026-11-02T06:52:00Z", "v1/2026-11-01")), 8min);
  const WatchTimes noon{.daily_at = 12h};
  EXPECT_EQ(NewestDue(*ParseRfc3339("2026-11-02T07:00:00Z"), Version::kV1, noon).delivery.date, "2026-11-01");
}

TEST(WatchSchedule, WhatIsOpenIsLookedForBetweenTheSweeps) {  // C-33
  WatchState state = At("2026-11-03T04:20:00Z", "v2/2026-11-03/04");
  state.open = true;
  EXPECT_EQ(Wait(state), 5min);
  state.newest = contract::ParseDelivery("v2/2026-11-03/03").value();
  EXPECT_EQ(Wait(state), 60s) << "never more seldom than an awaited hour";
}

TEST(WatchSchedule, FailuresDoubleTheWaitUpToACap) {
  WatchState state = At("2026-11-03T04:20:00Z", "v2/2026-11-03/04");
  state.open = true;
  state.since_ingest = std::chrono::hours(5);
  const std::chrono::milliseconds expected[] = {1min, 2min, 4min, 8min, 15min, 15min};
  for (int i = 0; i < 6; ++i) {
    state.failures = i + 1;
    EXPECT_EQ(Wait(state), expected[i]) << state.failures;
  }
  state.failures = 1'000'000'000;
  EXPECT_EQ(Wait(state), 15min);
}

TEST(WatchSchedule, JitterLengthensAWaitByAQuarterAtMost) {
  EXPECT_EQ(Wait(At("2026-11-03T04:10:00Z", "v2/2026-11-03/03"), 0.5), 67'500ms);
  EXPECT_EQ(Wait(At("2026-11-03T04:50:00Z", "v2/2026-11-03/04"), 0.5), 10min + 7'500ms)
      << "a sleep: by a quarter of poll";
}

TEST(WatchSchedule, WhateverTheStateAWaitIsBetweenPollAndAQuarterOfAnHour) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const auto now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 1) + std::chrono::microseconds(random());
    WatchState state{now,
                     random() % 2 == 0 ? Version::kV1 : Version::kV2,
                     std::nullopt,
                     random() % 2 == 0,
                     int(random() % 9),
                     std::chrono::milliseconds(random() % 10'000'000)};
    const WatchTimes times{.poll = std::chrono::milliseconds(1 + random() % 900'000),
                           .sweep = std::chrono::milliseconds(1 + random() % 90'000'000),
                           .expect_within = std::chrono::milliseconds(random() % 9'000'000),
                           .daily_at = std::chrono::minutes(random() % 1440)};
    if (random() % 3 != 0) {
      state.newest = NewestDue(now - std::chrono::hours(random() % 3), state.version, times).delivery;
    }
    const auto wait = PlanNextLook(state, times, double(random() % 1000) / 1000).wait;
    ASSERT_GE(wait, times.poll) << "seed " << seed << ", " << i;
    ASSERT_LE(wait, kLongestWait) << "seed " << seed << ", " << i;
    ASSERT_LE(wait, std::max(times.sweep, times.poll)) << "seed " << seed << ", " << i;
  }
}

}  // namespace
}  // namespace tidegate::app
