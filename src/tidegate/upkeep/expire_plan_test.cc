#include "tidegate/upkeep/expire_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::upkeep {
namespace {

using contract::Delivery;
using contract::TableMode;
using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr UtcTime kNow{std::chrono::seconds{1'793'700'000}};
constexpr hours kDay{24};

int64_t DaysAgo(int days) {
  return std::chrono::floor<std::chrono::milliseconds>(kNow - days * kDay).time_since_epoch().count();
}

ingest::Checkpoint Parts(const std::string& applied) {
  ingest::Checkpoint out;
  out.mode = TableMode::kParts;
  out.applied = *ingest::DeliverySet::Parse(applied);
  return out;
}

/// Snapshots 1, 2, … each on top of the one before, committed so many days ago.
table::TableMetadata Committed(const std::vector<int>& days_ago, bool with_checkpoint = true) {
  table::TableMetadata out;
  for (const int days : days_ago) {
    table::Snapshot snapshot;
    snapshot.snapshot_id = static_cast<int64_t>(out.snapshots.size()) + 1;
    if (out.current_snapshot_id) snapshot.parent_id = *out.current_snapshot_id;
    snapshot.timestamp_ms = DaysAgo(days);
    if (with_checkpoint) snapshot.summary = ingest::ToSummary(Parts("v2/2026-11-03/03"));
    out.current_snapshot_id = snapshot.snapshot_id;
    out.snapshot_log.push_back({snapshot.timestamp_ms, snapshot.snapshot_id});
    out.snapshots.push_back(snapshot);
  }
  return out;
}

ExpirePolicy Keep(size_t last, hours time) {
  ExpirePolicy out;
  out.keep_last = last;
  out.keep_for = time;
  return out;
}

TEST(ChooseExpired, TheCurrentSnapshotStaysHoweverOldItIs) {
  EXPECT_THAT(ChooseExpired(Committed({900}), Keep(1, hours(0)), kNow), IsEmpty());
  EXPECT_THAT(ChooseExpired(Committed({901, 900}), Keep(0, hours(0)), kNow), ElementsAre(1));
  EXPECT_THAT(ChooseExpired(table::TableMetadata(), Keep(1, hours(0)), kNow), IsEmpty());
}

TEST(ChooseExpired, TheNewestStay) {
  EXPECT_THAT(ChooseExpired(Committed({9, 8, 7, 6, 5}), Keep(3, hours(0)), kNow), ElementsAre(1, 2));
  EXPECT_THAT(ChooseExpired(Committed({9, 8}), Keep(3, hours(0)), kNow), IsEmpty());
}

TEST(ChooseExpired, TheAgeCountsFromWhenAnotherTookThePlace) {
  // Snapshot 2 is 20 days old, but was current until 5 days ago: who asked then asks for it.
  EXPECT_THAT(ChooseExpired(Committed({30, 20, 5, 1}), Keep(1, 7 * kDay), kNow), ElementsAre(1));
}

TEST(ChooseExpired, WhatARollbackTookBackStaysForItsTime) {
  auto metadata = Committed({30, 20, 10});
  metadata.current_snapshot_id = 2;
  metadata.snapshot_log.push_back({DaysAgo(5), 2});  // 3 was current until 5 days ago
  EXPECT_THAT(ChooseExpired(metadata, Keep(1, 7 * kDay), kNow), ElementsAre(1));
  EXPECT_THAT(ChooseExpired(metadata, Keep(1, 4 * kDay), kNow), ElementsAre(1, 3));
}

TEST(ChooseExpired, BranchesAndTagsKeepWhatTheyName) {
  auto metadata = Committed({60, 50, 40, 30, 20});
  metadata.loaded = *ParseJson(R"({"refs": {"main": {"snapshot-id": 5, "type": "branch"},
      "audit": {"snapshot-id": 4, "type": "branch"}, "year-end": {"snapshot-id": 1, "type": "tag"}}})");
  EXPECT_THAT(ChooseExpired(metadata, Keep(1, kDay), kNow), ElementsAre(2, 3));
  EXPECT_THAT(ChooseExpired(metadata, Keep(2, kDay), kNow), ElementsAre(2));
}

TEST(ChooseExpired, BelowCommitsOfOtherToolsTheCheckpointStays) {  // C-27: progress is not lost
  auto metadata = Committed({60, 50, 40, 30});
  metadata.snapshots[2].summary = {{"operation", "replace"}};
  metadata.snapshots[3].summary = {{"operation", "replace"}};
  EXPECT_THAT(ChooseExpired(metadata, Keep(1, kDay), kNow), ElementsAre(1));
}

TEST(ChooseExpired, WhatStaysOfABranchHasNoHole) {
  auto metadata = Committed({3, 60, 50, 1});  // by clocks that disagree
  EXPECT_THAT(ChooseExpired(metadata, Keep(1, 5 * kDay), kNow), IsEmpty());
}

Delivery DeliveryOf(const std::string& text) { return *contract::ParseDelivery(text); }

TEST(IsSettled, OfATableInPartsWhatIsAppliedFencedOrBeforeAReseed) {  // C-35
  auto checkpoint = Parts("v2/2026-11-03/05");
  checkpoint.fenced.Insert(DeliveryOf("v2/2026-11-03/03"));
  EXPECT_TRUE(IsSettled(checkpoint, DeliveryOf("v2/2026-11-03/05")));
  EXPECT_TRUE(IsSettled(checkpoint, DeliveryOf("v2/2026-11-03/03")));
  EXPECT_FALSE(IsSettled(checkpoint, DeliveryOf("v2/2026-11-03/04")));  // a gap: it may come yet
  EXPECT_FALSE(IsSettled(checkpoint, DeliveryOf("v2/2026-11-03/06")));
  const Delivery at = DeliveryOf("v2/2026-11-03/05");
  checkpoint.reseed = ingest::Reseed{at, at, false};
  EXPECT_TRUE(IsSettled(checkpoint, DeliveryOf("v2/2026-11-03/04")));
}

TEST(IsSettled, OfAFullTableTheCopyAndAllOlderOnes) {
  auto checkpoint = Parts("v2/2026-11-03/05");
  checkpoint.mode = TableMode::kFull;
  EXPECT_TRUE(IsSettled(checkpoint, DeliveryOf("v2/2026-11-03/05")));
  EXPECT_TRUE(IsSettled(checkpoint, DeliveryOf("v1/2026-11-02")));
  EXPECT_FALSE(IsSettled(checkpoint, DeliveryOf("v2/2026-11-03/06")));
  EXPECT_FALSE(IsSettled(ingest::Checkpoint(), DeliveryOf("v1/2026-11-02")));
}

/// A table at version 9 that holds hour 03.
class PlanExpireTest : public testing::Test {
 protected:
  PlanExpireTest() {
    facts_.name = {"shop", "orders"};
    facts_.version = 9;
    facts_.checkpoint = Parts("v2/2026-11-03/03");
  }
  void Object(const std::string& key, int days_ago) {
    facts_.objects.push_back({"shop/orders/" + key, 10, "", kNow - days_ago * kDay});
  }
  static std::vector<std::string> Keys(const std::vector<store::ObjectInfo>& objects) {
    std::vector<std::string> out;
    for (const auto& object : objects) out.push_back(object.key.substr(std::string("shop/orders/").size()));
    return out;
  }
  ExpirePlan Plan() const { return PlanExpire(facts_, policy_, kNow); }

  TableFacts facts_;
  ExpirePolicy policy_;
};

TEST_F(PlanExpireTest, AFileThatASnapshotNeedsStaysHoweverOld) {
  Object("data/v2/2026-11-03/03/a.parquet", 900);
  Object("metadata/snap-1-x.avro", 900);
  for (const auto& object : facts_.objects) facts_.needed.insert(object.key);
  facts_.needed_by_expired = facts_.needed;
  EXPECT_TRUE(Plan().nothing());
}

TEST_F(PlanExpireTest, WhatOnlyExpiredSnapshotsNeedGoesHoweverYoung) {
  Object("data/v2/2026-11-03/03/a.parquet", 0);
  Object("metadata/snap-1-x.avro", 0);
  facts_.expired = {1};
  for (const auto& object : facts_.objects) facts_.needed_by_expired.insert(object.key);
  const ExpirePlan plan = Plan();
  EXPECT_THAT(Keys(plan.unreferenced), ElementsAre("data/v2/2026-11-03/03/a.parquet", "metadata/snap-1-x.avro"));
  EXPECT_THAT(plan.orphans, IsEmpty());
  EXPECT_TRUE(plan.commits());
}

TEST_F(PlanExpireTest, OrphansGoOnceTheyAreOld) {
  Object("data/v2/2026-11-03/03/left.parquet", 4);
  Object("data/v2/2026-11-03/03/young.parquet", 2);
  Object("data/by-another-engine.parquet", 4);
  Object("metadata/left-m0.avro", 4);
  Object("metadata/young-m0.avro", 2);
  const ExpirePlan plan = Plan();
  EXPECT_THAT(Keys(plan.orphans), ElementsAre("data/v2/2026-11-03/03/left.parquet", "data/by-another-engine.parquet",
                                              "metadata/left-m0.avro"));
  EXPECT_TRUE(plan.takes_data());
  EXPECT_TRUE(plan.commits());
}

TEST_F(PlanExpireTest, AFileOfAFolderThatIsNotAppliedMayBeAboutToBe) {  // a hard link shows the vendor's old time
  Object("data/v2/2026-11-03/04/0000_part_00-5d.parquet", 900);
  Object("data/v1/__initial__/0000_part_00-5d.parquet", 900);
  EXPECT_TRUE(Plan().nothing());
  facts_.needed_by_expired = {facts_.objects[0].key};  // taken back by a rollback: the next run takes it up again
  EXPECT_TRUE(Plan().nothing());
}

TEST_F(PlanExpireTest, WithoutADataFileToTakeNothingIsCommitted) {
  Object("metadata/left-m0.avro", 4);
  EXPECT_FALSE(Plan().nothing());
  EXPECT_FALSE(Plan().commits());
}

TEST_F(PlanExpireTest, OldVersionsGoInRisingOrderAndTheNewestNeverDoes) {
  for (int version = 1; version <= 9; ++version) Object("metadata/v" + std::to_string(version) + ".metadata.json", 9);
  policy_.keep_versions = 6;
  EXPECT_THAT(Keys(Plan().versions), ElementsAre("metadata/v1.metadata.json", "metadata/v2.metadata.json"));
  policy_.keep_versions = 0;
  EXPECT_EQ(Plan().versions.size(), 8u);
  facts_.expired = {1};  // there will be a tenth
  policy_.keep_versions = 6;
  EXPECT_EQ(Plan().versions.size(), 3u);
}

TEST_F(PlanExpireTest, TenComesAfterNine) {
  facts_.version = 12;
  for (int version = 8; version <= 12; ++version) Object("metadata/v" + std::to_string(version) + ".metadata.json", 9);
  policy_.keep_versions = 1;
  EXPECT_THAT(Keys(Plan().versions),
              ElementsAre("metadata/v8.metadata.json", "metadata/v9.metadata.json", "metadata/v10.metadata.json"));
}

TEST_F(PlanExpireTest, AYoungVersionKeepsAllThatComeAfterIt) {  // a slow writer could make it anew
  Object("metadata/v1.metadata.json", 9);
  Object("metadata/v2.metadata.json", 1);
  Object("metadata/v3.metadata.json", 9);
  policy_.keep_versions = 1;
  EXPECT_THAT(Keys(Plan().versions), ElementsAre("metadata/v1.metadata.json"));
}

TEST_F(PlanExpireTest, WhatIsNoFileOfASnapshotIsLeftAlone) {
  Object("metadata/version-hint.text", 900);
  Object("metadata/00001-spark.metadata.json", 900);
  Object("rejects/v2/2026-11-03/03.parquet", 900);
  EXPECT_TRUE(Plan().nothing());
}

TEST_F(PlanExpireTest, APlanReadsAsOneLine) {
  EXPECT_EQ(Describe(Plan()), "shop.orders: nothing to expire");
  Object("metadata/left-m0.avro", 4);
  facts_.expired = {1};
  auto plan = Plan();
  plan.snapshots_left = 2;
  EXPECT_EQ(
      Describe(plan),
      "shop.orders: forget 1 snapshot of 3; remove 0 files of theirs, 1 orphan, 0 old versions of the metadata (10 B)");
}

}  // namespace
}  // namespace tidegate::upkeep
