// Two ingests of one lake that race: of each commit one wins, the other plans again, and every folder is applied once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tidegate/ingest/ingest_fixture.h"

namespace tidegate::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A store that lets something else happen right before the first commit of its user.
class InterruptedStore final : public store::ObjectStore {
 public:
  InterruptedStore(store::ObjectStore& inner, std::function<void()> interrupt)
      : inner_(inner), interrupt_(std::move(interrupt)) {}

  std::string url() const override { return inner_.url(); }
  std::string Location(std::string_view key) const override { return inner_.Location(key); }
  Result<store::Listing> List(const store::ListRequest& request) override { return inner_.List(request); }
  Result<store::ObjectInfo> Head(std::string_view key) override { return inner_.Head(key); }
  Result<std::unique_ptr<store::RandomReader>> Open(const store::ObjectInfo& seen) override {
    return inner_.Open(seen);
  }
  Result<std::string> Read(std::string_view key, uint64_t max_bytes) override { return inner_.Read(key, max_bytes); }
  Result<std::unique_ptr<store::ObjectWriter>> NewWriter(std::string_view key, store::PutMode mode) override {
    return inner_.NewWriter(key, mode);
  }
  Result<store::ObjectInfo> Put(std::string_view key, std::string_view bytes, store::PutMode mode) override {
    if (key.ends_with(".metadata.json") && interrupt_) std::exchange(interrupt_, nullptr)();
    return inner_.Put(key, bytes, mode);
  }
  Status Delete(const std::vector<std::string>& keys) override { return inner_.Delete(keys); }
  Status Sync() override { return inner_.Sync(); }
  Result<store::ObjectInfo> Adopt(store::ObjectStore& from, const store::ObjectInfo& source, std::string_view key,
                                  store::AdoptMethod* method) override {
    return inner_.Adopt(from, source, key, method);
  }
  bool interrupted() const { return !interrupt_; }

 private:
  store::ObjectStore& inner_;
  std::function<void()> interrupt_;
};

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
  InterruptedStore slow(lake_.store(),
                        [&] { EXPECT_TRUE(IngestWell(bucket_.store(), lake_.store()).applied_anything()); });
  EXPECT_FALSE(IngestWell(bucket_.store(), slow).applied_anything());
  EXPECT_TRUE(slow.interrupted());
  EXPECT_EQ(Version("log"), 1);
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1"));
}

TEST_F(IngestRaceTest, TheLoserOfAnAppendAddsNothingASecondTime) {  // C-27
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "x", 1]])");
  IngestWell(bucket_.store(), lake_.store());
  bucket_.Deliver(Hour("log", "04"), R"([[1, "x", 1]])");
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "y", 1]])");
  InterruptedStore slow(lake_.store(), [&] { IngestWell(bucket_.store(), lake_.store()); });
  EXPECT_FALSE(IngestWell(bucket_.store(), slow).applied_anything());
  EXPECT_TRUE(slow.interrupted());
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
  InterruptedStore slow(lake_.store(), [&] {
    bucket_.Unseal(Hour("orders", "04"));
    IngestWell(bucket_.store(), lake_.store());
    bucket_.Seal(Hour("orders", "04"));
  });
  const IngestReport report = IngestWell(bucket_.store(), slow);
  EXPECT_THAT(ResultOf(report, "shop.orders").folders, ElementsAre(Hour("orders", "04")));
  EXPECT_EQ(ResultOf(report, "shop.orders").rows_in, 2);
  EXPECT_EQ(Version("orders"), 3);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|5|1", "2|3|1", "3|4|1", "4|5|1"));
}

TEST_F(IngestRaceTest, AnOlderCopyNeverReplacesANewerOneThatCameFirst) {  // C-11
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "3", 1]])");
  InterruptedStore slow(lake_.store(), [&] {
    bucket_.Deliver(Copy("customers", "04"), R"([[1, "4", 1]])");
    IngestWell(bucket_.store(), lake_.store());
  });
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
