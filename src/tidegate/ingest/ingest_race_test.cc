// Two ingests of one lake that race: of each commit one wins, the other plans again, and every folder is applied once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/test_watched_store.h"

namespace tidegate::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class IngestRaceTest : public ::testing::Test {
 protected:
  void SetUp() override { bucket_.SwitchToV2(); }

  int64_t Version(const std::string& table) {
    return table::LakeTable::Load(lake_.store(), "shop/" + table)->version();
  }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(IngestRaceTest, TheLoserOfAFirstBuildFindsItsWorkDone) {  // C-27
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  const OnceBefore other =
      BeforeTheCommit([&] { EXPECT_TRUE(IngestWell(bucket_.store(), lake_.store()).applied_anything()); });
  WatchedStore slow(lake_.store(), other);
  EXPECT_FALSE(IngestWell(bucket_.store(), slow).applied_anything());
  EXPECT_TRUE(other.happened());
  EXPECT_EQ(Version("log"), 1);
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1"));
}

TEST_F(IngestRaceTest, TheLoserOfAnAppendAddsNothingASecondTime) {  // C-27
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "x", 1]])");
  IngestWell(bucket_.store(), lake_.store());
  bucket_.Deliver(Hour("log", "04"), R"([[1, "x", 1]])");
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "y", 1]])");
  const OnceBefore other = BeforeTheCommit([&] { IngestWell(bucket_.store(), lake_.store()); });
  WatchedStore slow(lake_.store(), other);
  EXPECT_FALSE(IngestWell(bucket_.store(), slow).applied_anything());
  EXPECT_TRUE(other.happened());
  EXPECT_EQ(Version("log"), 2);
  EXPECT_EQ(Version("orders"), 2);
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1", "1|x|1"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|y|1"));
}

TEST_F(IngestRaceTest, TheLoserAppliesWhatTheWinnerHadNotSeen) {  // C-20, C-27
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "3", 1], [2, "3", 1]])");
  IngestWell(bucket_.store(), lake_.store());
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "4", 1], [3, "4", 1]])");
  bucket_.Deliver(Hour("orders", "05"), R"([[1, "5", 1], [4, "5", 1]])");
  // The loser planned 04 and 05; the winner takes 05 alone.
  WatchedStore slow(lake_.store(), BeforeTheCommit([&] {
                      bucket_.Unseal(Hour("orders", "04"));
                      IngestWell(bucket_.store(), lake_.store());
                      bucket_.Seal(Hour("orders", "04"));
                    }));
  const IngestReport report = IngestWell(bucket_.store(), slow);
  EXPECT_THAT(ResultOf(report, "shop.orders").folders, ElementsAre(Hour("orders", "04")));
  EXPECT_EQ(ResultOf(report, "shop.orders").rows_in, 2);
  EXPECT_EQ(Version("orders"), 3);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|5|1", "2|3|1", "3|4|1", "4|5|1"));
}

TEST_F(IngestRaceTest, AnOlderCopyNeverReplacesANewerOneThatCameFirst) {  // C-11
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "3", 1]])");
  WatchedStore slow(lake_.store(), BeforeTheCommit([&] {
                      bucket_.Deliver(Copy("customers", "04"), R"([[1, "4", 1]])");
                      IngestWell(bucket_.store(), lake_.store());
                    }));
  EXPECT_FALSE(IngestWell(bucket_.store(), slow).applied_anything());
  EXPECT_EQ(Version("customers"), 1);
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|4|1"));
}

TEST_F(IngestRaceTest, ManyAtOnceEndAsOne) {  // C-27
  for (int round = 3; round < 9; ++round) {
    const std::string hour = "0" + std::to_string(round);
    const std::string row = "[[" + hour.substr(1) + R"(, "x", 1], [0, ")" + hour + R"(", 1]])";
    for (const std::string table : {"log", "orders"}) bucket_.Deliver(Hour(table, hour), row);
    bucket_.Deliver(Copy("customers", hour), row);
    std::vector<std::thread> runs;
    for (int i = 0; i < 3; ++i) runs.emplace_back([&] { IngestWell(bucket_.store(), lake_.store()); });
    for (std::thread& run : runs) run.join();
  }
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("0|08|1", "3|x|1", "4|x|1", "5|x|1", "6|x|1", "7|x|1", "8|x|1"));
  EXPECT_EQ(lake_.Table("log").size(), 12u);
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("0|08|1", "8|x|1"));
  for (const std::string table : {"log", "orders", "customers"}) EXPECT_EQ(Version(table), 6) << table;
}

}  // namespace
}  // namespace tidegate::ingest
