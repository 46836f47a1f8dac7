#include "tidegate/ingest/listing_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using contract::TableMode;

ListingNote Note() {
  ListingNote out;
  out.bucket = "memory:";
  out.at = *ParseRfc3339("2026-11-03T12:00:00Z");
  out.due = *ParseRfc3339("2026-11-05T12:00:00Z");
  out.swept = *ParseRfc3339("2026-11-03T13:00:00Z");
  out.window = {contract::Version::kV2, "2026-10-27"};
  out.past_manifests = {{contract::Version::kV2, "2026-10-20"}, "def"};
  out.deliveries_before = 12;
  out.tables = {{"shop.orders", {"abc", {TableMode::kFull, TableMode::kParts}}}, {"shop.log", {"", {}}}};
  out.open = {{{"shop", "orders"}, TableMode::kParts, DeliveryOf("v2/2026-10-01/03")}};
  return out;
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
  for (const auto& [good, bad] :
       std::vector<std::pair<std::string, std::string>>{{"2026-10-27", "soon"},
                                                        {"\"v2\"", "\"v3\""},
                                                        {"\"parts\"", "\"some\""},
                                                        {"shop.log", "shop log"},
                                                        {"etl_date=2026-10-01", "etl_date=2026"}}) {
    std::string text = WriteListingNote(Note());
    text.replace(text.find(good), good.size(), bad);
    EXPECT_FALSE(ParseListingNote(text).ok()) << bad;
  }
  store::MemoryObjectStore lake;
  EXPECT_FALSE(LoadListingNote(lake));
  ASSERT_TRUE(lake.Put(kListingNoteKey, "{", store::PutMode::kOverwrite).ok());
  EXPECT_FALSE(LoadListingNote(lake));
}

TEST(ListingNoteTest, IsFreshUntilItIsDueInItsOwnBucketAndNotBeforeItWasWritten) {
  const auto at = [](const std::string& time) { return *ParseRfc3339(time); };
  EXPECT_TRUE(IsFresh(Note(), "memory:", at("2026-11-05T11:59:59Z"), kListAllEvery));
  EXPECT_FALSE(IsFresh(Note(), "memory:", at("2026-11-05T12:00:00Z"), kListAllEvery));
  EXPECT_FALSE(IsFresh(Note(), "memory:", at("2026-11-03T18:00:00Z"), std::chrono::hours(6)));
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
    options.recent_days.small_bucket = small_bucket_;
    options.recent_days.keys_a_table = keys_a_table_;
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
  size_t small_bucket_ = RecentDays().small_bucket;
  size_t keys_a_table_ = 0;
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

TEST_F(RecentDaysTest, AfterTheSwitchV1IsLookedAtDaily) {  // C-14
  bucket_.Deliver(Initial("orders"), R"([[8, "first", 1]])");
  EXPECT_FALSE(Ingest("2026-11-20T05:00:00Z").applied_anything());
  EXPECT_TRUE(Ingest("2026-11-21T05:00:00Z").listed_all);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "8|first|1"));
}

TEST_F(RecentDaysTest, OfALargeBucketTheHolesOfThePastAreLookedIntoOnceADay) {  // C-21
  small_bucket_ = 0;
  Ingest("2026-11-20T04:00:00Z", /*list_all=*/true);
  bucket_.Deliver(HourOf("2026-11-03", "04"), R"([[7, "late", 1]])");
  EXPECT_FALSE(Ingest("2026-11-20T05:00:00Z").applied_anything());
  const IngestReport swept = Ingest("2026-11-21T04:00:00Z");
  EXPECT_FALSE(swept.listed_all);
  EXPECT_TRUE(swept.applied_anything());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "7|late|1"));
  const IngestReport after = Ingest("2026-11-21T05:00:00Z");
  EXPECT_FALSE(after.listed_all);
  EXPECT_THAT(KindsOf(after), IsEmpty());
  EXPECT_TRUE(Ingest("2026-11-27T04:00:00Z").listed_all);  // after a week, everything
}

TEST_F(RecentDaysTest, ATinyBucketIsListedAsAWholeInEveryRun) {
  keys_a_table_ = RecentDays().keys_a_table;
  Ingest("2026-11-20T04:30:00Z", /*list_all=*/true);
  bucket_.Deliver(HourOf("2026-11-03", "04"), R"([[7, "late", 1]])");
  EXPECT_TRUE(Ingest("2026-11-20T05:00:00Z").applied_anything());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "7|late|1"));
}

TEST_F(RecentDaysTest, TheWindowMovesOnWithTheDeliveries) {
  small_bucket_ = 0;
  Ingest("2026-11-20T04:00:00Z", /*list_all=*/true);
  EXPECT_EQ(LoadListingNote(lake_.store())->window.since, "2026-11-13");
  bucket_.Deliver(HourOf("2026-11-22", "03"), R"([[2, "b", 1]])");
  EXPECT_FALSE(Ingest("2026-11-22T04:00:00Z").listed_all);
  EXPECT_EQ(LoadListingNote(lake_.store())->window.since, "2026-11-15");
  bucket_.Deliver(HourOf("2026-11-23", "03"), R"([[3, "c", 1]])");
  EXPECT_FALSE(Ingest("2026-11-23T04:00:00Z").listed_all);
  EXPECT_FALSE(Ingest("2026-11-23T05:00:00Z").applied_anything());
}

TEST_F(RecentDaysTest, ATableOfManyObjectsHasFewerDays) {
  for (int day = 14; day <= 20; ++day) {
    for (int file = 0; file < 200; ++file) {
      bucket_.Put(HourOf("2026-11-" + std::to_string(day), "08", "log") + "/" + std::to_string(file) + ".txt", "");
    }
  }
  const auto view = bucket::ScanBucket(bucket_.store(), {});
  ASSERT_TRUE(view.ok());
  const auto window = WindowOf(*view, contract::Version::kV2, *ParseRfc3339("2026-11-20T12:00:00Z"), RecentDays());
  ASSERT_TRUE(window);
  EXPECT_EQ(window->since, "2026-11-17");
}

TEST_F(RecentDaysTest, ManifestsAreReadOnce) {
  Ingest("2026-11-20T05:00:00Z");
  bucket_.Put("v2/_manifests/snapshot_date=2026-11-20/snapshot_hour=05/manifest.json", "{}");
  const auto opens = [&] {
    store::MeteredObjectStore metered(bucket_.shared());
    const FixedClock clock(*ParseRfc3339("2026-11-20T05:30:00Z"));
    IngestOptions options = TestOptions();
    options.clock = &clock;
    EXPECT_TRUE(RunIngest(metered, lake_.store(), options).ok());
    return metered.Snapshot().all.opens;
  };
  EXPECT_EQ(opens(), 1u);
  EXPECT_EQ(opens(), 0u);
  ASSERT_TRUE(lake_.store().Put(kManifestsKey, "{", store::PutMode::kOverwrite).ok());  // lost: read again
  EXPECT_EQ(opens(), 1u);
}

TEST_F(RecentDaysTest, AListingOfEverythingReadsOldManifestsAgainOnlyWhereOneChanged) {  // C-33
  small_bucket_ = 0;
  const auto old = [](int i) {
    const int hour = i % 24;
    return "v2/_manifests/snapshot_date=2026-10-" + std::string(i < 9 * 24 ? "0" : "") + std::to_string(i / 24 + 1) +
           "/snapshot_hour=" + (hour < 10 ? "0" : "") + std::to_string(hour) + "/manifest.json";
  };
  for (int i = 0; i < 210; ++i) bucket_.Put(old(i), "{}");
  Ingest("2026-11-20T04:00:00Z", /*list_all=*/true);
  const auto reads = [&](const std::string& now) {
    store::MeteredObjectStore metered(bucket_.shared());
    const FixedClock clock(*ParseRfc3339(now));
    IngestOptions options = TestOptions();
    options.clock = &clock;
    options.recent_days.small_bucket = 0;
    options.recent_days.keys_a_table = 0;
    const auto report = RunIngest(metered, lake_.store(), options);
    EXPECT_TRUE(report.ok() && report->listed_all);
    return metered.Snapshot().all.reads + metered.Snapshot().all.opens;
  };
  EXPECT_EQ(reads("2026-11-27T05:00:00Z"), 0u);
  bucket_.Put(old(0), "{ }");
  EXPECT_GT(reads("2026-12-05T05:00:00Z"), 10u);
  EXPECT_EQ(reads("2026-12-13T05:00:00Z"), 0u);
}

TEST(HolesOfTest, LieBetweenWhatIsAppliedFencedOrSkipped) {
  const bucket::Window window{contract::Version::kV2, "2026-11-10"};
  const auto holes = [&](const Checkpoint& checkpoint) {
    std::vector<std::string> out;
    for (const bucket::Hole& hole : HolesOf(checkpoint, window)) {
      out.push_back((hole.after ? hole.after->ToString() : "") + ".." + hole.before->ToString());
    }
    return out;
  };
  Checkpoint checkpoint;
  EXPECT_THAT(holes(checkpoint), ElementsAre("..v2/2026-11-10/00"));
  checkpoint.applied =
      *DeliverySet::Parse("v1/2026-11-01 v2/2026-11-03/03..v2/2026-11-04/23 v2/2026-11-05/02..v2/2026-11-20/00");
  EXPECT_THAT(holes(checkpoint), ElementsAre("..v2/2026-11-03/03", "v2/2026-11-04/23..v2/2026-11-05/02"));
  checkpoint.skipped = *DeliverySet::Parse("v2/2026-11-05/00..v2/2026-11-05/01");
  EXPECT_THAT(holes(checkpoint), ElementsAre("..v2/2026-11-03/03"));
  checkpoint.applied = *DeliverySet::Parse("v2/2026-11-03/03..v2/2026-11-09/22 v2/2026-11-12/00");
  EXPECT_THAT(holes(checkpoint), ElementsAre("..v2/2026-11-03/03", "v2/2026-11-09/22..v2/2026-11-10/00"));
  for (int day = 1; day < 10; ++day) {
    const std::string date = "2026-10-0" + std::to_string(day);
    for (const char* hour : {"01", "05", "09"}) checkpoint.applied.Insert({contract::Version::kV2, date, hour});
  }
  EXPECT_THAT(holes(checkpoint), ElementsAre("..v2/2026-11-10/00"));
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
