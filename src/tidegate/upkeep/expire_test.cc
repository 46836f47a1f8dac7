#include "tidegate/upkeep/expire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/staged_folder.h"
#include "tidegate/ingest/test_watched_store.h"
#include "tidegate/upkeep/upkeep_fixture.h"

namespace tidegate::upkeep {
namespace {

using ingest::Copy;
using ingest::Hour;
using ingest::IngestWell;
using ingest::Rows;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const contract::TableName kOrders{"shop", "orders"};
const contract::TableName kCustomers{"shop", "customers"};

class ExpireTest : public testing::Test {
 protected:
  void SetUp() override { MakeHistory(bucket_, lake_); }

  ExpirePlan Expire(const contract::TableName& table, const ExpirePolicy& policy = {}, int days = 30) {
    auto plan = ExpireTable(lake_.store(), table, policy, Later(days));
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    return plan.ok() ? *std::move(plan) : ExpirePlan();
  }
  void Put(const std::string& key) {
    ASSERT_TRUE(lake_.store().Put(key, "left behind", store::PutMode::kOverwrite).ok());
  }
  bool Has(const std::string& key) { return lake_.store().Head(key).ok(); }
  /// A file of the first hour, which the lake has applied, as a run that died before its commit would leave it.
  std::string LeftBehind() { return "shop/orders/data/v2/2026-11-03/03/0000_part_00-0123456789abcdef.parquet"; }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(ExpireTest, AllButTheCurrentStateGoesAndNothingElse) {
  const Rows orders = lake_.Table("orders");
  const Rows customers = lake_.Table("customers");
  EXPECT_EQ(Expire(kOrders).snapshots.size(), 2u);
  const ExpirePlan copies = Expire(kCustomers);
  EXPECT_TRUE(copies.takes_data());  // two older copies
  for (const std::string name : {"orders", "customers"}) {
    EXPECT_EQ(LoadTable(lake_, name).metadata().snapshots.size(), 1u);
    EXPECT_THAT(Unneeded(lake_, name), IsEmpty());
  }
  EXPECT_EQ(lake_.Table("orders"), orders);
  EXPECT_EQ(lake_.Table("customers"), customers);
}

TEST_F(ExpireTest, StatesThatStayAreWholeAndThoseThatWentAreSaid) {
  ExpirePolicy two;
  two.keep_last = 2;
  EXPECT_EQ(Expire(kOrders, two).snapshots.size(), 1u);
  FilesOfSnapshots(lake_, "orders");
  const auto metadata = LoadTable(lake_, "orders").metadata();
  EXPECT_EQ(*SnapshotAsOf(metadata, ingest::DeliveryOf("v2/2026-11-03/04")), metadata.snapshots[0].snapshot_id);
  EXPECT_THAT(SnapshotAsOf(metadata, ingest::DeliveryOf("v2/2026-11-03/03")).status().message(),
              HasSubstr("the oldest state that is still there is as of v2/2026-11-03/04"));
}

TEST_F(ExpireTest, ASecondRunFindsNothing) {
  Expire(kOrders);
  const int64_t version = LoadTable(lake_, "orders").version();
  EXPECT_TRUE(Expire(kOrders).nothing());
  EXPECT_EQ(LoadTable(lake_, "orders").version(), version);
}

TEST_F(ExpireTest, WhatIsYoungStays) {
  const UtcTime committed = ingest::TestOptions().clock->Now();
  EXPECT_TRUE(PlanTableExpiry(lake_.store(), kOrders, {}, committed + std::chrono::hours(6 * 24))->nothing());
  EXPECT_FALSE(PlanTableExpiry(lake_.store(), kOrders, {}, committed + std::chrono::hours(8 * 24))->nothing());
}

TEST_F(ExpireTest, APlanChangesNothing) {
  const auto before = ingest::ObjectsIn(lake_.store());
  const auto plan = PlanTableExpiry(lake_.store(), kOrders, {}, Later(30));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->snapshots.size(), 2u);
  EXPECT_EQ(plan->snapshots_left, 1u);
  EXPECT_EQ(ingest::ObjectsIn(lake_.store()), before);
}

TEST_F(ExpireTest, TheNextIngestGoesOnAsIfNothingHadGone) {  // C-27
  Expire(kOrders);
  Expire(kCustomers);
  EXPECT_FALSE(IngestWell(bucket_.store(), lake_.store()).applied_anything());
  bucket_.Deliver(Hour("orders", "06"), R"([[1, "d", 4]])");
  bucket_.Deliver(Hour("orders", "02"), R"([[1, "late", 0], [9, "late", 0]])");
  bucket_.Deliver(Copy("customers", "06"), R"([[7, "w", 1]])");
  IngestWell(bucket_.store(), lake_.store());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|d|4", "2|c|3", "3|a|1", "4|b|2", "5|c|3", "9|late|0"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("7|w|1"));
}

TEST_F(ExpireTest, BelowACommitOfAnotherToolProgressIsKept) {
  table::LakeTable table = LoadTable(lake_, "orders");
  ASSERT_TRUE(table.Commit(table::Change(), Later(0)).ok());  // no checkpoint in its summary
  EXPECT_EQ(Expire(kOrders).snapshots.size(), 2u);
  EXPECT_FALSE(IngestWell(bucket_.store(), lake_.store()).applied_anything());
}

TEST_F(ExpireTest, WhatDeadRunsLeftGoesOnceItIsOld) {
  Put(LeftBehind());
  Put("shop/orders/metadata/11111111-m0.avro");
  Put("shop/orders/metadata/snap-5-1111.avro");
  ExpirePolicy all;
  all.keep_last = 100;
  EXPECT_TRUE(Expire(kOrders, all, 2).nothing());
  EXPECT_EQ(Expire(kOrders, all, 4).orphans.size(), 3u);
  EXPECT_THAT(Unneeded(lake_, "orders"), IsEmpty());
}

TEST_F(ExpireTest, AFileOfAFolderThatIsNotAppliedStaysHoweverOldItIs) {
  const std::string staged = "shop/orders/data/v2/2026-11-03/06/0000_part_00-0123456789abcdef.parquet";
  Put(staged);
  Expire(kOrders, {}, 900);
  EXPECT_TRUE(Has(staged));
}

TEST_F(ExpireTest, OldVersionsOfTheMetadataGo) {
  ExpirePolicy policy;
  policy.keep_last = 100;
  policy.keep_versions = 1;
  EXPECT_EQ(Expire(kOrders, policy).versions.size(), 1u);
  EXPECT_FALSE(Has("shop/orders/metadata/v1.metadata.json"));
  EXPECT_EQ(LoadTable(lake_, "orders").version(), 3);
  ASSERT_TRUE(lake_.store().Put("shop/orders/metadata/version-hint.text", "1", store::PutMode::kOverwrite).ok());
  EXPECT_EQ(LoadTable(lake_, "orders").version(), 3);
}

TEST_F(ExpireTest, AnIngestThatCommitsInBetweenIsPlannedForAgain) {
  bucket_.Deliver(Hour("orders", "06"), R"([[1, "d", 4]])");
  const ingest::OnceBefore other = ingest::BeforeTheCommit([&] { IngestWell(bucket_.store(), lake_.store()); });
  ingest::WatchedStore slow(lake_.store(), other);
  const auto plan = ExpireTable(slow, kOrders, {}, Later(30));
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  ASSERT_TRUE(other.happened());
  EXPECT_EQ(plan->snapshots.size(), 3u);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|d|4", "2|c|3", "3|a|1", "4|b|2", "5|c|3"));
  EXPECT_THAT(Unneeded(lake_, "orders"), IsEmpty());
}

TEST_F(ExpireTest, AnIngestThatStagedBeforeNeverCommitsAFileThatWasRemoved) {
  // A run that builds the table anew has staged a file of a folder that is applied; the file's time is the vendor's.
  TestBucket bucket;
  TestLake lake;
  bucket.Deliver(ingest::Day("orders", "2026-11-01"), R"([[1, "a", 1]])");
  bucket.Deliver(ingest::Day("orders", "2026-11-02"), R"([[2, "a", 1]])");
  IngestWell(bucket.store(), lake.store());
  bucket.Deliver(ingest::Day("orders", "2026-11-01"), R"([[1, "changed", 1]])");  // C-14
  const ingest::OnceBefore other = ingest::BeforeTheCommit([&] {
    const auto plan = ExpireTable(lake.store(), kOrders, {}, Later(30));
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    EXPECT_TRUE(plan->takes_data()) << "the test is about a staged file that is taken for an orphan";
  });
  ingest::WatchedStore slow(lake.store(), other);
  const auto report = IngestWell(bucket.store(), slow);
  ASSERT_TRUE(other.happened());
  EXPECT_EQ(ingest::ResultOf(report, "shop.orders").action, ingest::Action::kRebuild);
  EXPECT_THAT(lake.Table("orders"), ElementsAre("1|changed|1", "2|a|1"));
  FilesOfSnapshots(lake, "orders");
}

TEST_F(ExpireTest, AfterADataFileWasRemovedItsNameIsNeverUsedAgain) {
  Expire(kCustomers);
  EXPECT_EQ(ingest::FileGenerationOf(LoadTable(lake_, "customers").metadata()), 2);
  bucket_.Deliver(Copy("customers", "06"), R"([[7, "w", 1]])");
  IngestWell(bucket_.store(), lake_.store());
  EXPECT_THAT(lake_.Live("customers").data[0].file.location, HasSubstr("-g2-"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("7|w|1"));
}

TEST_F(ExpireTest, WhereAFileThatMustStayCannotBeToldNothingIsRemoved) {
  const auto metadata = LoadTable(lake_, "orders").metadata();
  const std::string list = TestLake::KeyOf(metadata.current_snapshot()->manifest_list);
  ASSERT_TRUE(lake_.store().Put(list, "broken", store::PutMode::kOverwrite).ok());
  const auto before = ingest::ObjectsIn(lake_.store());
  const auto plan = ExpireTable(lake_.store(), kOrders, {}, Later(30));
  EXPECT_EQ(plan.status().code(), Code::kCorruption);
  EXPECT_THAT(plan.status().message(), HasSubstr("nothing was removed"));
  EXPECT_EQ(ingest::ObjectsIn(lake_.store()), before);
}

TEST_F(ExpireTest, AnExpiredSnapshotThatCannotBeReadIsForgottenAllTheSame) {
  const std::string list = TestLake::KeyOf(LoadTable(lake_, "orders").metadata().snapshots[0].manifest_list);
  ASSERT_TRUE(lake_.store().Delete({list}).ok());
  EXPECT_EQ(Expire(kOrders).snapshots.size(), 2u);
  EXPECT_THAT(Unneeded(lake_, "orders"), IsEmpty());
}

TEST_F(ExpireTest, OneTableThatCannotBeReadDoesNotHoldUpTheOthers) {
  ASSERT_TRUE(lake_.store().Put("shop/orders/metadata/v4.metadata.json", "{", store::PutMode::kOverwrite).ok());
  const FixedClock clock(Later(30));
  ExpireOptions options;
  options.clock = &clock;
  const auto done = ExpireLake(lake_.store(), options);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  ASSERT_EQ(done->size(), 2u);
  EXPECT_TRUE((*done)[0].status.ok());
  EXPECT_EQ((*done)[0].plan.snapshots.size(), 2u);
  EXPECT_EQ((*done)[1].status.code(), Code::kCorruption);
  options.table_globs = {"*.customers"};
  EXPECT_EQ(ExpireLake(lake_.store(), options)->size(), 1u);
}

TEST_F(ExpireTest, AStopIsObeyedBetweenTables) {
  CancelFlag cancel;
  cancel.Cancel();
  const FixedClock clock(Later(30));
  ExpireOptions options;
  options.clock = &clock;
  options.cancel = &cancel;
  EXPECT_EQ(ExpireLake(lake_.store(), options).status().code(), Code::kCancelled);
  EXPECT_EQ(LoadTable(lake_, "orders").metadata().snapshots.size(), 3u);
}

}  // namespace
}  // namespace tidegate::upkeep
