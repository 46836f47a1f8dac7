#include "tidegate/publish/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::publish {
namespace {

using ::testing::HasSubstr;

class LeaseTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Lease>> Take(const std::string& who) { return Lease::Take(store_, "p/lease", clock_, who); }
  void Pass(std::chrono::seconds time) { clock_.Set(clock_.Now() + time); }

  store::MemoryObjectStore store_;
  FixedClock clock_{*ParseRfc3339("2026-11-02T14:00:00Z")};
};

TEST_F(LeaseTest, OneAtATime) {
  const auto first = Take("host:1");
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  const auto second = Take("host:2");
  EXPECT_EQ(second.status().code(), Code::kAlreadyExists);
  EXPECT_THAT(second.status().message(), HasSubstr("'host:1'"));
  EXPECT_THAT(second.status().message(), HasSubstr("2026-11-02T14:02:00Z"));
}

TEST_F(LeaseTest, EndsWithItsHolderAndItsNumberGrows) {
  for (int64_t number = 1; number < 4; ++number) {
    const auto lease = Take("host:1");
    ASSERT_TRUE(lease.ok());
    EXPECT_EQ((*lease)->number(), number);
  }
}

TEST_F(LeaseTest, OneThatRanOutIsTakenAndItsHolderFindsOut) {
  const auto first = Take("host:1");
  Pass(Lease::kLength);
  const auto second = Take("host:2");
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  const Status lost = (*first)->Renew();
  EXPECT_EQ(lost.code(), Code::kPreconditionFailed);
  EXPECT_THAT(lost.message(), HasSubstr("'host:2' has it now"));
  EXPECT_TRUE((*second)->Renew().ok());
}

TEST_F(LeaseTest, RenewingKeepsIt) {
  const auto lease = Take("host:1");
  for (int i = 0; i < 3; ++i) {
    Pass(Lease::kLength - std::chrono::seconds(1));
    EXPECT_EQ(Take("host:2").status().code(), Code::kAlreadyExists);
    EXPECT_TRUE((*lease)->Renew().ok());
  }
}

TEST_F(LeaseTest, OfManyOneWins) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> won{0};
    std::vector<std::unique_ptr<Lease>> leases(8);
    std::vector<std::thread> threads;
    threads.reserve(leases.size());
    for (auto& mine : leases) {
      threads.emplace_back([&] {
        auto lease = Take("someone");
        if (!lease.ok()) return;
        ++won;
        mine = *std::move(lease);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
  }
}

TEST_F(LeaseTest, AWriteWhoseReplyWasLostIsNoOtherHolder) {
  const auto lease = *Take("host:1");
  LeaseRecord record = *LookAtLease(store_, "p/lease");
  record.until += std::chrono::seconds(5);  // as a renewal left it, whose reply never came
  ASSERT_TRUE(store_.Put("p/lease", WriteLease(record), store::PutMode::kOverwrite).ok());
  Pass(std::chrono::seconds(60));
  EXPECT_TRUE(lease->Renew().ok());
  EXPECT_EQ(LookAtLease(store_, "p/lease")->until, clock_.Now() + Lease::kLength);
  EXPECT_EQ(Take("host:2").status().code(), Code::kAlreadyExists);
}

TEST_F(LeaseTest, OutnumbersWhatAnEarlierHolderLeftElsewhere) {
  const auto lease = *Take("host:1");
  ASSERT_TRUE(lease->Outnumber(0).ok());
  EXPECT_EQ(lease->number(), 1);
  ASSERT_TRUE(lease->Outnumber(57).ok());
  EXPECT_EQ(lease->number(), 58);
  EXPECT_EQ(LookAtLease(store_, "p/lease")->number, 58);
}

TEST_F(LeaseTest, OneThatRunsOutOutlivesItsHolder) {
  {
    const auto lease = *Take("host:1");
    lease->LetRunOut();
  }
  EXPECT_EQ(Take("host:2").status().code(), Code::kAlreadyExists);
  Pass(Lease::kLength);
  EXPECT_TRUE(Take("host:2").ok());
}

TEST_F(LeaseTest, OneThatCannotBeReadIsAnErrorThatNamesIt) {
  for (const std::string& text : {std::string(), std::string("{}"), std::string("{\"format\": 2}"), std::string("[1]"),
                                  std::string(10'000, ' ')}) {
    ASSERT_TRUE(store_.Put("p/lease", text, store::PutMode::kOverwrite).ok());
    EXPECT_THAT(Take("host:1").status().message(),
                HasSubstr("the lease 'memory:/p/lease' cannot be read; remove it if nobody publishes"));
  }
}

}  // namespace
}  // namespace tidegate::publish
