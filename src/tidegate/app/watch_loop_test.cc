#include "tidegate/app/watch_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "tidegate/base/log.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::app {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Time goes on only while the loop waits. What happens in a wait is a step of the test's script; the last one stops.
class ScriptedWaiter final : public Waiter {
 public:
  explicit ScriptedWaiter(FixedClock& clock) : clock_(clock) {}

  Wake Wait(std::chrono::milliseconds at_most) override {
    waits.push_back(at_most);
    clock_.Set(clock_.Now() + at_most);
    if (script.empty()) return Wake::kStop;
    const auto step = std::move(script.front());
    script.pop_front();
    return step();
  }

  std::deque<std::function<Wake()>> script;
  std::vector<std::chrono::milliseconds> waits;

 private:
  FixedClock& clock_;
};

class WatchLoopTest : public testing::Test {
 protected:
  WatchLoopTest() {
    report_.version = contract::Version::kV2;
    SetLogSink([this](LogLevel, std::string_view line) { log_.emplace_back(line); });
    ports_.bucket = &bucket_;
    ports_.clock = &clock_;
    ports_.waiter = &waiter_;
    ports_.stop = &stop_;
    ports_.jitter = [] { return 0.0; };
    ports_.ingest = [this] { return Ingest(); };
    ports_.tell = [this](const ingest::IngestReport&) { ++told_; };
    ports_.reload = []() -> Result<WatchTimes> { return WatchTimes(); };
  }
  ~WatchLoopTest() override { SetLogSink(nullptr); }

  Result<ingest::IngestReport> Ingest() {
    ingested_at_.push_back(FormatRfc3339(clock_.Now()).substr(11, 8));
    if (!ingest_error_.ok()) return ingest_error_;
    return report_;
  }
  void Deliver(const std::string& delivery) {
    const auto put =
        bucket_.Put(contract::ManifestKey(*contract::ParseDelivery(delivery)), "{}", store::PutMode::kOverwrite);
    ASSERT_TRUE(put.ok());
  }
  void Step(std::function<void()> what, Wake wake = Wake::kTime) {
    waiter_.script.emplace_back([what = std::move(what), wake] {
      what();
      return wake;
    });
  }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) Step([] {});
  }
  void Run() { WatchAndIngest(ports_, {}); }

  FixedClock clock_{*ParseRfc3339("2026-11-03T04:10:00Z")};
  store::MemoryObjectStore bucket_;
  ScriptedWaiter waiter_{clock_};
  CancelFlag stop_;
  WatchPorts ports_;
  ingest::IngestReport report_;
  Status ingest_error_;
  std::vector<std::string> ingested_at_, log_;
  int told_ = 0;
};

TEST_F(WatchLoopTest, ItIngestsAtTheStartAndWhenAManifestAppears) {
  Deliver("v2/2026-11-03/03");
  Steps(4);
  Step([&] { Deliver("v2/2026-11-03/04"); });
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:15:00"));
  EXPECT_EQ(told_, 2);
  EXPECT_THAT(waiter_.waits, ElementsAre(60s, 60s, 60s, 60s, 60s, 15min)) << "after it: a sleep, up to the sweep";
}

TEST_F(WatchLoopTest, AManifestThatIsWrittenAgainIsIngested) {  // C-33
  Deliver("v2/2026-11-03/04");
  report_.waiting = {{"shop.clicks", *contract::ParseDelivery("v2/2026-11-03/04"), "late", true}};
  Step([&] { Deliver("v2/2026-11-03/04"); });
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:15:00")) << "what is open is looked for between the sweeps";
}

TEST_F(WatchLoopTest, AnOpenDeliveryOfEarlierDaysIsLookedAt) {  // C-33
  Deliver("v2/2026-10-30/10");
  Deliver("v2/2026-11-03/04");
  report_.waiting = {{"shop.clicks", *contract::ParseDelivery("v2/2026-10-30/10"), "late", true}};
  Step([&] { Deliver("v2/2026-10-30/10"); });
  Run();
  EXPECT_EQ(ingested_at_.size(), 2U);
}

TEST_F(WatchLoopTest, ASweepComesEvenIfNoManifestDoes) {
  Deliver("v2/2026-11-03/04");
  Steps(2);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:25:00", "04:40:00"));
}

TEST_F(WatchLoopTest, WhatChangesWhileAnIngestRunsIsIngestedNext) {
  Deliver("v2/2026-11-03/03");
  ports_.ingest = [this] {
    if (ingested_at_.empty()) Deliver("v2/2026-11-03/04");
    return Ingest();
  };
  Steps(1);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:11:00"));
}

TEST_F(WatchLoopTest, AManifestFromTheFutureHidesNothing) {
  Deliver("v2/9999-12-31/23");
  Deliver("v2/2026-11-03/03");
  Step([&] { Deliver("v2/2026-11-03/04"); });
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:11:00"));
}

TEST_F(WatchLoopTest, TheSwitchToV2IsFollowedWithoutWaitingForTheSweep) {  // C-12
  clock_.Set(*ParseRfc3339("2026-11-03T07:10:00Z"));
  report_.version = contract::Version::kV1;
  Deliver("v1/2026-11-02");
  Step([&] { Deliver("v2/2026-11-03/03"); });
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("07:10:00", "07:11:00"));
}

TEST_F(WatchLoopTest, AFailedIngestIsSaidAndTriedAgainEverMoreSeldom) {
  Deliver("v2/2026-11-03/04");
  ingest_error_ = Unavailable("the disk is full");
  Steps(2);
  Step([&] { ingest_error_ = Status(); });
  Steps(1);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:11:00", "04:13:00", "04:17:00", "04:32:00"));
  EXPECT_THAT(log_, Contains(HasSubstr("the disk is full; next look in 60 s")));
  EXPECT_THAT(log_, Contains("the trouble is over"));
}

TEST_F(WatchLoopTest, ADeliveryWhoseIngestFailedIsNotForgotten) {
  Deliver("v2/2026-11-03/03");
  Step([&] {
    Deliver("v2/2026-11-03/04");
    ingest_error_ = Unavailable("the disk is full");
  });
  Step([&] { ingest_error_ = Status(); });
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:11:00", "04:12:00"));
  EXPECT_EQ(told_, 2);
}

TEST_F(WatchLoopTest, AListingThatFailsIsAFailureNotAnEmptyBucket) {  // C-12
  store::FaultObjectStore faulty(std::make_shared<store::MemoryObjectStore>(), {.fail_at = 1});
  ports_.bucket = &faulty;
  Steps(1);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:11:00"));
  EXPECT_THAT(log_, Contains(HasSubstr("cannot list the manifests")));
}

TEST_F(WatchLoopTest, OneTablesTroubleIsTriedAgainSoonerAndSlowsNothingDown) {
  Deliver("v2/2026-11-03/04");
  report_.problems = {{"unreadable", "shop.orders", "", "the disk failed"}};
  Steps(1);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:15:00"));
}

TEST_F(WatchLoopTest, AGapIsTriedAgainByTheSweep) {  // C-15
  Deliver("v2/2026-11-03/04");
  report_.problems = {{"broken", "shop.orders", "v2/shop/orders/etl_date=2026-11-03/etl_hour=04", "cut off"}};
  Steps(3);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:25:00"));
}

TEST_F(WatchLoopTest, ALateDeliveryIsSaidOnce) {
  clock_.Set(*ParseRfc3339("2026-11-03T04:38:00Z"));
  Deliver("v2/2026-11-03/03");
  Steps(5);
  Run();
  const auto late = HasSubstr("v2/2026-11-03/04 is not there yet");
  EXPECT_THAT(log_, Contains(late));
  EXPECT_EQ(std::count_if(log_.begin(), log_.end(), [](const auto& l) { return l.find("not there yet") != l.npos; }),
            1);
}

TEST_F(WatchLoopTest, AReloadTakesTheNewTimesAndIngestsAtOnce) {
  Deliver("v2/2026-11-03/04");
  ports_.reload = []() -> Result<WatchTimes> { return WatchTimes{.sweep = 5min}; };
  Step([&] { clock_.Set(*ParseRfc3339("2026-11-03T04:11:00Z")); }, Wake::kReload);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "04:11:00"));
  EXPECT_THAT(waiter_.waits, ElementsAre(15min, 5min));
}

TEST_F(WatchLoopTest, ABrokenFileAtAReloadIsSaidAndChangesNothing) {
  Deliver("v2/2026-11-03/04");
  ports_.reload = []() -> Result<WatchTimes> { return InvalidArgument("tidegate.toml:3: no"); };
  Step([&] { clock_.Set(*ParseRfc3339("2026-11-03T04:11:00Z")); }, Wake::kReload);
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00"));
  EXPECT_THAT(log_, Contains(AllOf(HasSubstr("tidegate.toml:3"), HasSubstr("stay in force"))));
}

TEST_F(WatchLoopTest, AStopInTheMiddleOfAnIngestIsNoFailure) {
  ports_.ingest = [this]() -> Result<ingest::IngestReport> {
    stop_.Cancel();
    return stop_.Check();
  };
  Run();
  EXPECT_TRUE(waiter_.waits.empty());
  EXPECT_EQ(told_, 0);
  EXPECT_THAT(log_, Not(Contains(HasSubstr("stopped on request"))));
}

TEST_F(WatchLoopTest, AClockThatIsPutBackDoesNotPutOffTheSweep) {
  Deliver("v2/2026-11-03/04");
  Step([&] { clock_.Set(*ParseRfc3339("2026-11-03T03:00:00Z")); });
  Run();
  EXPECT_THAT(ingested_at_, ElementsAre("04:10:00", "03:00:00"));
}

}  // namespace
}  // namespace tidegate::app
