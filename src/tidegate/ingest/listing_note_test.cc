#include "tidegate/ingest/listing_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ListingNote Note() {
  return {
      "memory:", *ParseRfc3339("2026-11-03T12:00:00Z"), "2026-10-27", 12, {{"shop.orders", "abc"}, {"shop.log", ""}}};
}

TEST(ListingNoteTest, GoesThroughTextUnchanged) {
  const auto again = ParseListingNote(WriteListingNote(Note()));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, Note());
}

TEST(ListingNoteTest, WhatCannotBeReadIsAnErrorAndCountsAsNone) {
  for (
      const char* text :
      {"", "[]", "{}", R"({"format": 1, "bucket": "b"})",
       R"({"format": 1, "bucket": "b", "at": "2026-11-03T00:00:00Z", "since": "soon", "deliveries_before": 1, "tables": {}})"}) {
    EXPECT_EQ(ParseListingNote(text).ok(), false) << text;
  }
  store::MemoryObjectStore lake;
  EXPECT_FALSE(LoadListingNote(lake));
  ASSERT_TRUE(lake.Put(kListingNoteKey, "{", store::PutMode::kOverwrite).ok());
  EXPECT_FALSE(LoadListingNote(lake));
}

TEST(ListingNoteTest, IsFreshForADayInItsOwnBucketAndNotBeforeItWasWritten) {
  const auto at = [](const std::string& time) { return *ParseRfc3339(time); };
  EXPECT_TRUE(IsFresh(Note(), "memory:", at("2026-11-04T11:59:59Z"), kListAllEvery));
  EXPECT_FALSE(IsFresh(Note(), "memory:", at("2026-11-04T12:00:00Z"), kListAllEvery));
  EXPECT_FALSE(IsFresh(Note(), "memory:", at("2026-11-03T11:00:00Z"), kListAllEvery));
  EXPECT_FALSE(IsFresh(Note(), "file:///other", at("2026-11-03T13:00:00Z"), kListAllEvery));
}

std::string HourOf(const std::string& date, const std::string& hour, const std::string& table = "orders") {
  return "v2/shop/" + table + "/etl_date=" + date + "/etl_hour=" + hour;
}

/// A lake that follows a bucket over weeks.
class RecentDaysTest : public ::testing::Test {
 protected:
  RecentDaysTest() {
    bucket_.SwitchToV2();
    for (const char* day : {"2026-11-03", "2026-11-20"}) bucket_.Deliver(HourOf(day, "03"), R"([[1, "a", 1]])");
    bucket_.Deliver(HourOf("2026-11-20", "03", "log"), R"([[1, "a", 1]])");
    EXPECT_TRUE(Ingest("2026-11-20T04:00:00Z").listed_all);
  }
  IngestReport Ingest(const std::string& now, bool list_all = false) {
    const FixedClock clock(*ParseRfc3339(now));
    IngestOptions options = TestOptions();
    options.clock = &clock;
    options.list_all = list_all;
    const auto report = RunIngest(bucket_.store(), lake_.store(), options);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *report : IngestReport();
  }
  void Reseed(const std::string& date, const std::string& hour) {
    bucket_.Put(
        "v2/_manifests/snapshot_date=" + date + "/snapshot_hour=" + hour + "/manifest.json",
        R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append", "reseed": true}]})");
  }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(RecentDaysTest, TheRunsOfADayLookAtTheRecentDaysAlone) {
  bucket_.Deliver(HourOf("2026-11-20", "04"), R"([[1, "b", 2]])");
  const IngestReport report = Ingest("2026-11-20T05:00:00Z");
  EXPECT_FALSE(report.listed_all);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|b|2"));
  EXPECT_THAT(KindsOf(report), testing::Not(testing::Contains("parts_folder_gone")));
  EXPECT_TRUE(Ingest("2026-11-21T05:00:00Z").listed_all);
}

TEST_F(RecentDaysTest, AnOlderFolderThatIsSealedLateIsFoundWithinADay) {  // C-21
  bucket_.Deliver(HourOf("2026-11-03", "04"), R"([[7, "late", 1]])");
  EXPECT_FALSE(Ingest("2026-11-20T05:00:00Z").applied_anything());
  EXPECT_TRUE(Ingest("2026-11-21T04:00:00Z").applied_anything());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "7|late|1"));
}

TEST_F(RecentDaysTest, InitialIsAlwaysLookedAt) {
  bucket_.Deliver(Initial("orders"), R"([[8, "first", 1]])");
  const IngestReport report = Ingest("2026-11-20T05:00:00Z");
  EXPECT_FALSE(report.listed_all);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "8|first|1"));
}

TEST_F(RecentDaysTest, ListAllFindsItAtOnce) {
  bucket_.Deliver(HourOf("2026-11-03", "04"), R"([[7, "late", 1]])");
  EXPECT_TRUE(Ingest("2026-11-20T05:00:00Z", /*list_all=*/true).applied_anything());
}

TEST_F(RecentDaysTest, ANewTableIsBuiltFromEverything) {
  bucket_.Deliver(HourOf("2026-11-03", "04", "clicks"), R"([[1, "old", 1]])");
  bucket_.Deliver(HourOf("2026-11-20", "04", "clicks"), R"([[2, "new", 1]])");
  EXPECT_TRUE(Ingest("2026-11-20T05:00:00Z").listed_all);
  EXPECT_THAT(lake_.Table("clicks"), ElementsAre("1|old|1", "2|new|1"));
}

TEST_F(RecentDaysTest, AReseedIsTakenFromAListingOfEverything) {  // C-35
  Reseed("2026-11-20", "04");
  bucket_.Deliver(HourOf("2026-11-20", "04"), R"([[9, "new copy", 2]])");
  EXPECT_TRUE(Ingest("2026-11-20T05:00:00Z").listed_all);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("9|new copy|2"));
  EXPECT_FALSE(Ingest("2026-11-20T06:00:00Z").listed_all);
}

TEST_F(RecentDaysTest, WhatARollbackTookBackIsAppliedAgain) {
  bucket_.Deliver(HourOf("2026-11-04", "03"), R"([[5, "more", 1]])");
  Ingest("2026-11-20T04:30:00Z", /*list_all=*/true);
  auto table = table::LakeTable::Load(lake_.store(), "shop/orders");
  ASSERT_TRUE(table.ok());
  table::MetadataChange back;
  back.current_snapshot = table->metadata().current_snapshot()->parent_id;
  ASSERT_TRUE(table->CommitMetadata(back, *ParseRfc3339("2026-11-20T04:40:00Z")).ok());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1"));
  EXPECT_TRUE(Ingest("2026-11-20T05:00:00Z").listed_all);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "5|more|1"));
}

TEST_F(RecentDaysTest, AnOpenGapStaysInSight) {  // C-15
  bucket_.Put(HourOf("2026-11-05", "03") + "/0000_part_00.parquet", "no Parquet");
  bucket_.Seal(HourOf("2026-11-05", "03"));
  EXPECT_TRUE(Ingest("2026-11-20T04:30:00Z", /*list_all=*/true).failed());
  const IngestReport report = Ingest("2026-11-20T05:00:00Z");
  EXPECT_FALSE(report.listed_all);
  EXPECT_TRUE(report.failed());
  bucket_.Deliver(HourOf("2026-11-05", "03"), R"([[6, "mended", 1]])");
  EXPECT_FALSE(Ingest("2026-11-20T06:00:00Z").listed_all);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "6|mended|1"));
}

TEST_F(RecentDaysTest, AStrayFolderOfTheFutureHidesNothing) {
  bucket_.Deliver(HourOf("2099-01-01", "03"), R"([[99, "future", 1]])");
  Ingest("2026-11-20T04:30:00Z", /*list_all=*/true);
  bucket_.Deliver(HourOf("2026-11-20", "05"), R"([[1, "b", 2]])");
  const IngestReport report = Ingest("2026-11-20T05:30:00Z");
  EXPECT_TRUE(report.applied_anything());
  EXPECT_THAT(lake_.Table("orders"), testing::Contains("99|future|1"));
}

TEST_F(RecentDaysTest, RequestsDoNotGrowWithHistory) {
  const auto requests = [&] {
    store::MeteredObjectStore metered(bucket_.shared());
    const FixedClock clock(*ParseRfc3339("2026-11-20T05:00:00Z"));
    IngestOptions options = TestOptions();
    options.clock = &clock;
    EXPECT_TRUE(RunIngest(metered, lake_.store(), options).ok());
    const store::StoreCounters counted = metered.Snapshot();
    EXPECT_EQ(counted.data.bytes_read, 0u);
    return std::pair(counted.lists, counted.all.reads);
  };
  const auto before = requests();
  for (int day = 4; day < 10; ++day) {
    const std::string date = "2026-11-0" + std::to_string(day);
    bucket_.Deliver(HourOf(date, "03"), R"([[1, "a", 0]])");
    bucket_.Put("v2/_manifests/snapshot_date=" + date + "/snapshot_hour=03/manifest.json", "{}");
  }
  Ingest("2026-11-20T04:30:00Z", /*list_all=*/true);
  EXPECT_EQ(requests(), before);
}

}  // namespace
}  // namespace tidegate::ingest
