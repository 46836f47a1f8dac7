#include "tidegate/status/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"

namespace tidegate::status {
namespace {

using ingest::Day;
using ingest::Initial;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HistoryTest : public ::testing::Test {
 protected:
  std::vector<HistoryEntry> History(const std::optional<std::string>& table = std::nullopt) {
    const auto history = ReadHistory(lake_.store(), table);
    EXPECT_TRUE(history.ok()) << history.status().ToString();
    return history.ok() ? *history : std::vector<HistoryEntry>();
  }
  void IngestAt(const std::string& time) {
    const FixedClock clock(*ParseRfc3339(time));
    ingest::IngestOptions options = ingest::TestOptions();
    options.clock = &clock;
    ingest::IngestWell(bucket_.store(), lake_.store(), options);
  }
  /// A commit with just this summary on top of the log table.
  void Commit(const table::Summary& summary) {
    auto table = table::LakeTable::Load(lake_.store(), "shop/log");
    ASSERT_TRUE(table.ok());
    table::Change change;
    change.operation = "replace";
    change.summary = summary;
    ASSERT_TRUE(table->Commit(change, *ParseRfc3339("2026-11-05T00:00:00Z")).ok());
  }

  ingest::TestBucket bucket_;
  ingest::TestLake lake_;
};

TEST_F(HistoryTest, EveryCommitIsToldOldestFirst) {
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1], [2, "a", 1], [null, "x", 1]])");
  IngestAt("2026-11-02T08:00:00Z");
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[1, "b", 1]])");
  bucket_.Deliver(Initial("log"), R"([[1, "a", 1]])");
  IngestAt("2026-11-03T08:00:00Z");

  const auto all = History();
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].table, "shop.orders");
  EXPECT_EQ(all[0].committed_at, *ParseRfc3339("2026-11-02T08:00:00Z"));
  EXPECT_EQ(all[0].rows_in, 3);
  EXPECT_EQ(all[0].rows_rejected, 1);
  const auto orders = History("shop.orders");
  ASSERT_THAT(orders, SizeIs(2));
  EXPECT_EQ(orders[1].action, "append");
  EXPECT_FALSE(orders[1].foreign);
  EXPECT_THAT(orders[1].folders, ElementsAre(Day("orders", "2026-11-02")));
  EXPECT_EQ(orders[1].rows_in, 1);
  EXPECT_EQ(orders[1].rows_superseded, 1);
  EXPECT_EQ(orders[1].tool_version, "test");
  EXPECT_NE(orders[0].snapshot_id, orders[1].snapshot_id);
}

TEST_F(HistoryTest, WhatAPersonDecidedIsToldWithTheirReason) {  // C-15
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[1, "a", 1]])");
  IngestAt("2026-11-02T08:00:00Z");
  bucket_.Put(Day("orders", "2026-11-03") + "/0000_part_00.parquet", "not parquet");
  bucket_.Seal(Day("orders", "2026-11-03"));
  const auto word =
      ingest::Decide(bucket_.store(), lake_.store(), *contract::ParseFolder(Day("orders", "2026-11-03")),
                     ingest::Verdict::kSkip, "sent again tomorrow", *ParseRfc3339("2026-11-03T07:00:00Z"));
  ASSERT_TRUE(word.ok()) << word.status().ToString();
  ASSERT_TRUE(ingest::Settle(lake_.store(), *word).ok());
  IngestAt("2026-11-03T08:00:00Z");
  const auto history = History();
  ASSERT_THAT(history, SizeIs(2));
  EXPECT_EQ(history[1].action, "settle");
  ASSERT_THAT(history[1].settled, SizeIs(1));
  EXPECT_EQ(history[1].settled[0].folder, Day("orders", "2026-11-03"));
  EXPECT_EQ(history[1].settled[0].verdict, "skip");
  EXPECT_EQ(history[1].settled[0].reason, "sent again tomorrow");
}

TEST_F(HistoryTest, FilesAreToldWithTheirETagAndRows) {
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1], [2, "a", 1]])");
  IngestAt("2026-11-02T08:00:00Z");
  const auto source = bucket_.store().Head(Initial("orders") + "/0000_part_00.parquet");
  const auto history = History();
  ASSERT_THAT(history, SizeIs(1));
  ASSERT_THAT(history[0].files, SizeIs(1));
  const CommittedFile& file = history[0].files[0];
  EXPECT_EQ(file.key, source->key);
  EXPECT_EQ(file.etag, source->etag);
  EXPECT_EQ(file.rows, 2);
  EXPECT_EQ(static_cast<uint64_t>(file.bytes), source->size_bytes);
  EXPECT_EQ(history[0].bytes_in, file.bytes);
}

TEST_F(HistoryTest, AForeignCommitIsToldAsSuch) {
  bucket_.Deliver(Initial("log"), R"([[1, "a", 1]])");
  IngestAt("2026-11-02T08:00:00Z");
  Commit({});
  const auto history = History("shop.log");
  ASSERT_THAT(history, SizeIs(2));
  EXPECT_TRUE(history[1].foreign);
  EXPECT_EQ(history[1].action, "replace");
  EXPECT_THAT(history[1].folders, IsEmpty());
}

TEST_F(HistoryTest, AGarbledSummaryIsToldAsFarAsItGoes) {
  bucket_.Deliver(Initial("log"), R"([[1, "a", 1]])");
  IngestAt("2026-11-02T08:00:00Z");
  Commit({{"tidegate.action", "append"}, {"tidegate.rows-in", "99999999999999999999"}, {"tidegate.files", "[{"}});
  Commit({{"tidegate.action", "append"},
          {"tidegate.rows-in", "twelve"},
          {"tidegate.files", R"([7, {"key": 1, "rows": "x"}, {"key": "k", "rows": 4}])"}});
  const auto history = History("shop.log");
  ASSERT_THAT(history, SizeIs(3));
  EXPECT_EQ(history[1].rows_in, 0);
  EXPECT_THAT(history[1].files, IsEmpty());
  EXPECT_EQ(history[2].rows_in, 0);
  ASSERT_THAT(history[2].files, SizeIs(2));
  EXPECT_EQ(history[2].files[0].key, "");
  EXPECT_EQ(history[2].files[1].rows, 4);
}

TEST_F(HistoryTest, ATableThatIsNotInTheLakeIsNotFoundByName) {
  EXPECT_THAT(History(), IsEmpty());
  const auto history = ReadHistory(lake_.store(), "shop.none");
  EXPECT_EQ(history.status().code(), Code::kNotFound);
  EXPECT_THAT(history.status().message(), ::testing::HasSubstr("shop.none"));
}

}  // namespace
}  // namespace tidegate::status
