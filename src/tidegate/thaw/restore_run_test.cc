#include "tidegate/thaw/restore_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/thaw/restore_fixture.h"

namespace tidegate::thaw {
namespace {

using std::chrono::milliseconds;
using store::ArchiveState;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RestoreRunTest : public ::testing::Test {
 protected:
  /// Frozen objects "0", "1", …
  std::vector<ColdObject> Freeze(int count, const std::string& storage_class = "GLACIER") {
    std::vector<ColdObject> out;
    for (int i = 0; i < count; ++i) {
      const std::string key = std::to_string(i);
      EXPECT_TRUE(memory_->Put(key, "x", store::PutMode::kOverwrite).ok());
      memory_->SetArchive(key, storage_class, ArchiveState::kFrozen);
      out.push_back({"shop.orders", *memory_->Head(key)});
    }
    return out;
  }
  AskOutcome Ask(const RestorePlan& plan) {
    const auto asked = AskForAll(bucket_, plan, nullptr);
    EXPECT_TRUE(asked.ok()) << asked.status().ToString();
    return asked.ok() ? *asked : AskOutcome();
  }
  /// Time goes on by sleeping alone.
  WaitPorts Ports() {
    WaitPorts out;
    out.now = [this] { return now_; };
    out.sleep = [this](milliseconds pause) {
      now_ += pause;
      pauses_.push_back(pause);
      return !after_sleep_ || after_sleep_();
    };
    return out;
  }
  WaitOutcome Wait(std::vector<ColdObject> objects, std::optional<milliseconds> at_most = std::nullopt) {
    const auto waited = WaitUntilReadable(bucket_, std::move(objects), at_most, Ports());
    EXPECT_TRUE(waited.ok()) << waited.status().ToString();
    return waited.ok() ? *waited : WaitOutcome();
  }

  std::shared_ptr<store::MemoryObjectStore> memory_ = std::make_shared<store::MemoryObjectStore>();
  BucketOfS3 bucket_{memory_};
  UtcTime now_ = *ParseRfc3339("2026-11-03T12:00:00Z");
  std::vector<milliseconds> pauses_;
  std::function<bool()> after_sleep_;
};

TEST_F(RestoreRunTest, EachObjectIsAskedForOnceWithTierAndDays) {
  const AskOutcome asked = Ask(PlanRestore(Freeze(30), Tier::kStandard, 3));
  EXPECT_EQ(asked.asked, 30);
  EXPECT_THAT(asked.failed, IsEmpty());
  ASSERT_THAT(bucket_.asked, SizeIs(30));
  EXPECT_EQ(bucket_.asked[0].request.tier, "Standard");
  EXPECT_EQ(bucket_.asked[0].request.days, 3);
  EXPECT_EQ(memory_->Head("7")->archive, ArchiveState::kThawing);
}

TEST_F(RestoreRunTest, DeepArchiveIsAskedForAsStandardWhereExpeditedIsWanted) {
  Ask(PlanRestore(Freeze(1, "DEEP_ARCHIVE"), Tier::kExpedited, 1));
  EXPECT_EQ(bucket_.asked.at(0).request.tier, "Standard");
}

TEST_F(RestoreRunTest, AFailureIsNamedAndTheOthersGoOn) {
  bucket_.answer_to = [](const std::string& key) { return key == "3" ? Unavailable("slow down") : Status(); };
  const AskOutcome asked = Ask(PlanRestore(Freeze(10), Tier::kBulk, 1));
  EXPECT_EQ(asked.asked, 9);
  ASSERT_THAT(asked.failed, SizeIs(1));
  EXPECT_EQ(asked.failed[0].key, "3");
  EXPECT_FALSE(asked.denied());
}

TEST_F(RestoreRunTest, AnOwnerWhoDeniesIsNotAskedThousandsOfTimes) {
  bucket_.answer_to = [](const std::string&) { return PermissionDenied("no"); };
  const AskOutcome asked = Ask(PlanRestore(Freeze(500), Tier::kBulk, 1));
  EXPECT_TRUE(asked.denied());
  EXPECT_LT(bucket_.asked.size(), 100U);
  EXPECT_EQ(static_cast<size_t>(asked.not_tried) + asked.failed.size(), 500U);
}

TEST_F(RestoreRunTest, AStopEndsTheAsking) {
  CancelFlag cancel;
  cancel.Cancel();
  EXPECT_EQ(AskForAll(bucket_, PlanRestore(Freeze(3), Tier::kBulk, 1), &cancel).status().code(), Code::kCancelled);
  EXPECT_THAT(bucket_.asked, IsEmpty());
}

TEST_F(RestoreRunTest, WaitsWithGrowingPausesUntilAllCanBeRead) {
  const auto objects = Freeze(3);
  after_sleep_ = [&] {
    memory_->SetArchive(std::to_string(pauses_.size() - 1), "GLACIER", ArchiveState::kThawed);
    return true;
  };
  const WaitOutcome waited = Wait(objects);
  EXPECT_EQ(waited.end, Waited::kAllReadable);
  EXPECT_EQ(waited.readable, 3U);
  EXPECT_THAT(pauses_, ElementsAre(milliseconds(15'000), milliseconds(22'500), milliseconds(33'750)));
}

TEST_F(RestoreRunTest, ALookEndsAtTheFirstThatCannotBeRead) {
  const auto objects = Freeze(100);
  after_sleep_ = [&] { return pauses_.size() < 4; };
  EXPECT_EQ(Wait(objects).end, Waited::kStopped);
  EXPECT_EQ(bucket_.heads, 4);
}

TEST_F(RestoreRunTest, NoPauseIsLongerThanAQuarterOfAnHour) {
  const auto objects = Freeze(1);
  after_sleep_ = [&] { return pauses_.size() < 40; };
  Wait(objects);
  EXPECT_EQ(pauses_.back(), milliseconds(900'000));
  EXPECT_THAT(pauses_, Each(testing::Le(milliseconds(900'000))));
}

TEST_F(RestoreRunTest, WaitsNoLongerThanItMay) {
  const auto objects = Freeze(1);
  const WaitOutcome waited = Wait(objects, milliseconds(20'000));
  EXPECT_EQ(waited.end, Waited::kTimedOut);
  EXPECT_EQ(waited.first_unreadable, "0");
  EXPECT_THAT(pauses_, ElementsAre(milliseconds(15'000), milliseconds(5'000)));
}

TEST_F(RestoreRunTest, WhatIsGoneHoldsNothingUp) {
  const auto objects = Freeze(2);
  ASSERT_TRUE(memory_->Delete({"0", "1"}).ok());
  EXPECT_EQ(Wait(objects).end, Waited::kAllReadable);
  EXPECT_EQ(Wait({}).end, Waited::kAllReadable);
}

}  // namespace
}  // namespace tidegate::thaw
