// Cold storage in whole runs (C-43): what is frozen waits, everything else goes on, nothing is skipped in silence.
#include "tidegate/ingest/cold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/listing_note.h"
#include "tidegate/ingest/open_points.h"
#include "tidegate/ingest/test_watched_store.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::ingest {
namespace {

using store::ArchiveState;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string FileOf(const std::string& folder) { return folder + "/0000_part_00.parquet"; }

class ColdTest : public ::testing::Test {
 protected:
  ColdTest() { bucket_.SwitchToV2(); }

  IngestReport Ingest(const IngestOptions& options = TestOptions()) {
    return IngestWell(bucket_.store(), lake_.store(), options);
  }
  IngestReport IngestAt(const std::string& now) {
    const FixedClock clock(*ParseRfc3339(now));
    IngestOptions options = TestOptions();
    options.clock = &clock;
    options.recent_days.keys_a_table = 0;
    return Ingest(options);
  }
  void SetState(const std::string& folder, ArchiveState state, const std::string& storage_class = "GLACIER") {
    bucket_.store().SetArchive(FileOf(folder), storage_class, state);
  }
  void Freeze(const std::string& folder) { SetState(folder, ArchiveState::kFrozen); }
  void Thaw(const std::string& folder) { SetState(folder, ArchiveState::kThawed); }
  void DeliverHours(const std::vector<std::string>& hours, const std::string& table = "orders") {
    for (const std::string& hour : hours) bucket_.Deliver(Hour(table, hour), R"([[1, ")" + hour + R"(", 1]])");
  }
  void Announce(const std::string& hour, bool reseed) {
    bucket_.Put(
        "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=" + hour + "/manifest.json",
        R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append", "reseed": )" +
            std::string(reseed ? "true" : "false") + "}]}");
  }

  TestBucket bucket_;
  TestLake lake_;
};

const Cold& OnlyCold(const IngestReport& report) {
  static const Cold kNone;
  EXPECT_THAT(report.cold, SizeIs(1));
  return report.cold.size() == 1 ? report.cold[0] : kNone;
}

TEST_F(ColdTest, AFirstBuildWaitsForAllItsFoldersAndReadsNothingBefore) {
  DeliverHours({"03", "04", "05"});
  DeliverHours({"03"}, "log");
  for (const char* hour : {"04", "05"}) Freeze(Hour("orders", hour));
  store::MeteredObjectStore metered(bucket_.shared());
  const IngestReport report = IngestWell(metered, lake_.store());
  const Cold& cold = OnlyCold(report);
  EXPECT_EQ(cold.scope, ColdScope::kFirstBuild);
  EXPECT_EQ(cold.objects(), 2);
  EXPECT_GT(cold.bytes(), 0U);
  EXPECT_THAT(Describe(cold), HasSubstr("2 of 3 folders, 2 objects"));
  EXPECT_THAT(Describe(cold), HasSubstr("are frozen"));
  EXPECT_THAT(Describe(cold), HasSubstr("tidegate restore"));
  EXPECT_TRUE(report.anything_waits());
  EXPECT_FALSE(lake_.Has("orders"));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|03|1"));  // the others need not wait
  EXPECT_EQ(metered.Snapshot().data.heads, 1U);            // one that is certain is enough
  EXPECT_EQ(metered.Snapshot().data.opens, 1U);            // of log alone

  for (const char* hour : {"04", "05"}) Thaw(Hour("orders", hour));
  EXPECT_THAT(Ingest().cold, IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|05|1"));
}

TEST_F(ColdTest, WhatIsReadableWhateverItsClassIsReadAtOnce) {
  DeliverHours({"03", "04", "05"});
  SetState(Hour("orders", "03"), ArchiveState::kReadable, "GLACIER_IR");
  SetState(Hour("orders", "04"), ArchiveState::kReadable, "INTELLIGENT_TIERING");
  Thaw(Hour("orders", "05"));
  EXPECT_THAT(Ingest().cold, IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|05|1"));
}

TEST_F(ColdTest, WhereListingsTellNothingOfRestoresHeadDoes) {
  bucket_.store().HideRestoresInListings();
  DeliverHours({"03", "04"});
  Thaw(Hour("orders", "03"));
  SetState(Hour("orders", "04"), ArchiveState::kThawing);
  EXPECT_EQ(OnlyCold(Ingest()).state(), "thawing");
  EXPECT_FALSE(lake_.Has("orders"));
  Thaw(Hour("orders", "04"));
  EXPECT_THAT(Ingest().cold, IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|04|1"));
}

TEST_F(ColdTest, WhereHeadFailsTheListingCounts) {
  DeliverHours({"03"});
  Freeze(Hour("orders", "03"));
  store::FaultObjectStore denied(bucket_.shared(), {.fail_at = 1,
                                                    .mode = store::FaultMode::kErrorFromThenOn,
                                                    .only = store::CallKind::kHead,
                                                    .code = Code::kPermissionDenied});
  EXPECT_EQ(OnlyCold(IngestWell(denied, lake_.store())).state(), "frozen");
}

TEST_F(ColdTest, AnExistingTableTakesNewHoursAndTheFrozenOneLater) {
  DeliverHours({"03"});
  Ingest();
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "04", 1], [2, "04", 1]])");
  DeliverHours({"05"});
  Freeze(Hour("orders", "04"));
  const IngestReport report = Ingest();
  EXPECT_EQ(OnlyCold(report).scope, ColdScope::kFolders);
  EXPECT_EQ(report.cold[0].folders[0].folder.Path(), Hour("orders", "04"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|05|1"));

  SetState(Hour("orders", "04"), ArchiveState::kThawing);
  const IngestReport thawing = Ingest();
  EXPECT_EQ(OnlyCold(thawing).state(), "thawing");
  EXPECT_FALSE(thawing.applied_anything());
  Thaw(Hour("orders", "04"));
  EXPECT_THAT(Ingest().cold, IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|05|1", "2|04|1"));  // C-21
}

TEST_F(ColdTest, AFrozenFolderStaysAnOpenPointUntilItIsApplied) {
  DeliverHours({"03"});
  Ingest();
  DeliverHours({"04"});
  Freeze(Hour("orders", "04"));
  Ingest();
  const auto points = LoadOpenPoints(lake_.store(), {"shop", "orders"});
  ASSERT_TRUE(points.ok()) << points.status().ToString();
  ASSERT_THAT(*points, SizeIs(1));
  EXPECT_TRUE(points->front().cold);
  EXPECT_EQ(points->front().reason, "frozen");
  EXPECT_EQ(points->front().objects, 1);
  EXPECT_EQ(*ParseOpenPoints(WriteOpenPoints(*points)), *points);
  OpenPoints thawing = *points;
  thawing[0].reason = "thawing";
  thawing[0].since = points->front().since + std::chrono::hours(1);
  EXPECT_EQ(KeepSince(thawing, *points)[0].since, points->front().since);

  Thaw(Hour("orders", "04"));
  Ingest();
  EXPECT_THAT(*LoadOpenPoints(lake_.store(), {"shop", "orders"}), IsEmpty());
}

TEST_F(ColdTest, AFrozenFolderOfLongAgoIsLookedAtByEachRun) {
  const auto hour = [](const std::string& day, const std::string& of) {
    return "v2/shop/orders/etl_date=" + day + "/etl_hour=" + of;
  };
  for (const char* day : {"2026-11-03", "2026-11-20"}) bucket_.Deliver(hour(day, "03"), R"([[1, "a", 1]])");
  IngestAt("2026-11-20T04:00:00Z");
  bucket_.Deliver(hour("2026-11-03", "04"), R"([[2, "late", 1]])");
  Freeze(hour("2026-11-03", "04"));
  EXPECT_THAT(IngestAt("2026-11-21T05:00:00Z").cold, SizeIs(1));  // everything is listed
  const IngestReport recent = IngestAt("2026-11-21T06:00:00Z");
  EXPECT_FALSE(recent.listed_all);
  EXPECT_THAT(recent.cold, SizeIs(1));
  Thaw(hour("2026-11-03", "04"));
  const IngestReport thawed = IngestAt("2026-11-21T07:00:00Z");
  EXPECT_FALSE(thawed.listed_all);
  EXPECT_TRUE(thawed.applied_anything());
}

TEST_F(ColdTest, WhileAFirstBuildWaitsEachRunSeesAllItsFolders) {
  for (const char* day : {"2026-11-03", "2026-11-20"}) {
    bucket_.Deliver("v2/shop/orders/etl_date=" + std::string(day) + "/etl_hour=03", R"([[1, "a", 1]])");
  }
  Freeze("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  IngestAt("2026-11-20T04:00:00Z");
  EXPECT_FALSE(LoadListingNote(lake_.store()));
  Thaw("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  IngestAt("2026-11-20T05:00:00Z");
  EXPECT_THAT(lake_.Table("orders"), SizeIs(1));
}

TEST_F(ColdTest, AFullTableTakesTheNewestCopyThatCanBeRead) {  // A-11
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "03", 1]])");
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "04", 1]])");
  bucket_.Deliver(Copy("customers", "05"), R"([[1, "05", 1]])");
  Freeze(Copy("customers", "05"));
  Freeze(Copy("customers", "04"));
  const IngestReport report = Ingest();
  EXPECT_EQ(OnlyCold(report).scope, ColdScope::kCopy);
  EXPECT_THAT(report.cold[0].folders, SizeIs(1));
  EXPECT_EQ(report.cold[0].of_folders, 2);
  EXPECT_THAT(Describe(report.cold[0]), HasSubstr(Copy("customers", "05")));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|03|1"));
  EXPECT_FALSE(Ingest().applied_anything());
  Thaw(Copy("customers", "05"));
  EXPECT_THAT(Ingest().cold, IsEmpty());
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|05|1"));
}

TEST_F(ColdTest, ARebuildWaitsAndNewDaysAreTakenMeanwhile) {  // C-14
  ASSERT_TRUE(bucket_.store().Delete({"v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json"}).ok());
  for (const char* day : {"2026-10-01", "2026-10-02"}) {
    bucket_.Deliver(Day("orders", day), R"([[)" + std::string(day).substr(9) + R"(, "old", 1]])");
  }
  Ingest();
  Freeze(Day("orders", "2026-10-01"));
  bucket_.Deliver(Day("orders", "2026-10-02"), R"([[2, "changed", 1]])");
  bucket_.Deliver(Day("orders", "2026-10-03"), R"([[3, "new", 1]])");
  const IngestReport report = Ingest();
  EXPECT_EQ(OnlyCold(report).scope, ColdScope::kRebuild);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|old|1", "2|old|1", "3|new|1"));
  EXPECT_EQ(OnlyCold(Ingest()).scope, ColdScope::kRebuild);
  Thaw(Day("orders", "2026-10-01"));
  EXPECT_THAT(Ingest().cold, IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|old|1", "2|changed|1", "3|new|1"));
}

TEST_F(ColdTest, AFullRefreshWaitsForAllItsFolders) {
  DeliverHours({"03", "04"});
  Ingest();
  Freeze(Hour("orders", "03"));
  DeliverHours({"05"});
  IngestOptions options = TestOptions();
  options.full_refresh_globs = {"shop.orders"};
  const IngestReport report = Ingest(options);
  EXPECT_EQ(OnlyCold(report).scope, ColdScope::kRebuild);
  EXPECT_EQ(ResultOf(report, "shop.orders").action, Action::kAppend);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|05|1"));
  Thaw(Hour("orders", "03"));
  EXPECT_EQ(ResultOf(Ingest(options), "shop.orders").action, Action::kRebuild);
}

TEST_F(ColdTest, AReseedWaitsAndTheOldCopyGoesOn) {  // C-35, A-9
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "old", 1], [2, "old", 1]])");
  Announce("03", false);
  Ingest();
  Announce("04", true);
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "new", 2]])");
  Freeze(Hour("orders", "04"));
  const IngestReport report = Ingest();
  EXPECT_EQ(OnlyCold(report).scope, ColdScope::kReseed);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|old|1", "2|old|1"));
  Thaw(Hour("orders", "04"));
  EXPECT_THAT(Ingest().cold, IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|new|2"));
}

TEST_F(ColdTest, AReseedDoesNotDropRowsOfAFolderThatIsFrozenByNow) {
  Announce("03", false);
  DeliverHours({"03"});
  bucket_.Deliver(Hour("orders", "05"), R"([[5, "kept", 1]])");
  Ingest();
  Announce("04", true);
  DeliverHours({"04"});
  Freeze(Hour("orders", "05"));
  EXPECT_EQ(OnlyCold(Ingest()).scope, ColdScope::kReseed);
  EXPECT_THAT(lake_.Table("orders"), Contains("5|kept|1"));
}

TEST_F(ColdTest, ALaterFolderOfAReseedWaitsForItself) {
  Announce("03", false);
  DeliverHours({"03"});
  Ingest();
  Announce("04", true);
  DeliverHours({"04", "05"});
  Freeze(Hour("orders", "05"));
  EXPECT_EQ(OnlyCold(Ingest()).scope, ColdScope::kFolders);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|04|1"));
}

TEST_F(ColdTest, AFrozenV1FolderIsTakenAlsoAfterV1IsClosed) {  // C-14
  ASSERT_TRUE(bucket_.store().Delete({"v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json"}).ok());
  bucket_.Deliver(Day("orders", "2026-11-01"), R"([[1, "a", 1]])");
  Ingest();
  bucket_.SwitchToV2();
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[2, "b", 1]])");
  Freeze(Day("orders", "2026-11-02"));
  DeliverHours({"03"});
  Ingest();
  Thaw(Day("orders", "2026-11-02"));
  EXPECT_THAT(KindsOf(IngestAt("2026-12-24T00:00:00Z")), Not(Contains("v1_closed")));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|03|1", "2|b|1"));
}

/// What freezes after it was listed, or in a way that listings do not tell.
class ColdOnReadTest : public ColdTest {
 protected:
  IngestReport IngestAsItFreezes(const std::string& folder) {
    WatchedStore watched(bucket_.store(), [&](const WatchedStore::Call& call) {
      if (call.kind == WatchedStore::Kind::kOpen && call.key == FileOf(folder)) Freeze(folder);
    });
    return IngestWell(watched, lake_.store());
  }
};

TEST_F(ColdOnReadTest, AFolderThatFreezesNowWaits) {
  DeliverHours({"03"});
  Ingest();
  DeliverHours({"04", "05"});
  EXPECT_EQ(OnlyCold(IngestAsItFreezes(Hour("orders", "04"))).scope, ColdScope::kFolders);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|05|1"));
}

TEST_F(ColdOnReadTest, AFirstBuildWaitsAsAWhole) {
  for (const char* table : {"orders", "log"}) {
    DeliverHours({"03", "04", "05"}, table);
    EXPECT_EQ(OnlyCold(IngestAsItFreezes(Hour(table, "04"))).scope, ColdScope::kFirstBuild) << table;
    EXPECT_FALSE(lake_.Has(table));
    Thaw(Hour(table, "04"));
    Ingest();
    EXPECT_TRUE(lake_.Has(table));
  }
}

TEST_F(ColdOnReadTest, AFullTableTakesTheNextCopy) {
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "03", 1]])");
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "04", 1]])");
  EXPECT_EQ(OnlyCold(IngestAsItFreezes(Copy("customers", "04"))).scope, ColdScope::kCopy);
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|03|1"));
}

TEST_F(ColdOnReadTest, AReseedAndARefreshWait) {
  Announce("03", false);
  DeliverHours({"03"});
  Ingest();
  Announce("04", true);
  DeliverHours({"04"});
  EXPECT_EQ(OnlyCold(IngestAsItFreezes(Hour("orders", "04"))).scope, ColdScope::kReseed);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|03|1"));
}

TEST_F(ColdTest, FrozenManifestsCountAsAbsentAndAreSaidOnce) {  // C-33
  DeliverHours({"03", "04", "05"});
  for (const char* hour : {"03", "04", "05"}) {
    Announce(hour, false);
    bucket_.store().SetArchive(
        "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=" + std::string(hour) + "/manifest.json", "GLACIER",
        ArchiveState::kFrozen);
  }
  store::MeteredObjectStore metered(bucket_.shared());
  const IngestReport report = IngestWell(metered, lake_.store());
  std::vector<std::string> said;
  for (const Warning& warning : report.warnings) {
    if (warning.kind == "manifests_frozen") said.push_back(warning.message);
  }
  EXPECT_THAT(said, ElementsAre(HasSubstr("3 manifests lie in cold storage")));
  EXPECT_THAT(KindsOf(report), Not(Contains("not_in_manifest")));  // nor is each folder told of
  EXPECT_EQ(metered.Snapshot().all.reads - metered.Snapshot().data.reads, 0U);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|05|1"));
}

TEST_F(ColdTest, AFrozenManifestOfLongAgoIsReadOnceItCanBe) {  // C-35
  const auto hour = [](const std::string& day, const std::string& of) {
    return "v2/shop/orders/etl_date=" + day + "/etl_hour=" + of;
  };
  bucket_.Deliver(hour("2026-11-03", "03"), R"([[1, "old", 1]])");
  bucket_.Deliver(hour("2026-11-03", "04"), R"([[2, "new", 1]])");
  bucket_.Deliver(hour("2026-11-20", "03"), R"([[3, "new", 1]])");
  Announce("04", true);
  const std::string manifest = "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=04/manifest.json";
  bucket_.store().SetArchive(manifest, "GLACIER", ArchiveState::kFrozen);
  IngestAt("2026-11-20T04:00:00Z");
  EXPECT_THAT(lake_.Table("orders"), SizeIs(3));
  bucket_.store().SetArchive(manifest, "GLACIER", ArchiveState::kThawed);
  IngestAt("2026-11-21T05:00:00Z");
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("2|new|1", "3|new|1"));
}

TEST_F(ColdTest, APlanShowsWhatWaits) {
  DeliverHours({"03"});
  Freeze(Hour("orders", "03"));
  const auto plan = PlanIngest(bucket_.store(), lake_.store(), TestOptions());
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_THAT(Describe(plan->tables[0]), HasSubstr("waits: 1 of 1 folder, 1 object"));
}

}  // namespace
}  // namespace tidegate::ingest
