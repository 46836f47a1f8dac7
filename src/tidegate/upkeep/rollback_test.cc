#include "tidegate/upkeep/rollback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/hold.h"
#include "tidegate/ingest/test_watched_store.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/upkeep/expire.h"
#include "tidegate/upkeep/upkeep_fixture.h"

namespace tidegate::upkeep {
namespace {

using ingest::Copy;
using ingest::Hour;
using ingest::IngestWell;
using ingest::Rows;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const contract::TableName kOrders{"shop", "orders"};
const contract::TableName kCustomers{"shop", "customers"};

class RollbackTest : public testing::Test {
 protected:
  void SetUp() override {
    MakeHistory(bucket_, lake_);
    now_ = {lake_.Table("orders"), lake_.Table("customers")};
  }

  RollbackOptions To(const std::string& delivery, std::vector<contract::TableName> tables = {}) {
    RollbackOptions out;
    out.to = ingest::DeliveryOf(delivery);
    out.tables = std::move(tables);
    out.clock = &clock_;
    return out;
  }
  std::vector<TableRollback> Back(const RollbackOptions& options) {
    auto done = RollBack(lake_.store(), options);
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    return done.ok() ? *std::move(done) : std::vector<TableRollback>();
  }
  std::vector<Rows> Tables() { return {lake_.Table("orders"), lake_.Table("customers")}; }

  const FixedClock clock_{Later(0)};
  TestBucket bucket_;
  TestLake lake_;
  std::vector<Rows> now_;
};

TEST_F(RollbackTest, TheTablesAreAsOfTheDeliveryAndNothingIsRemoved) {
  const auto before = ingest::ObjectsIn(lake_.store()).size();
  for (const TableRollback& table : Back(To("v2/2026-11-03/04"))) EXPECT_EQ(table.step, Step::kBack);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|b|2", "2|a|1", "3|a|1", "4|b|2"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|y|1", "2|y|1"));
  EXPECT_EQ(ingest::ObjectsIn(lake_.store()).size(), before + 2);  // one version each
  FilesOfSnapshots(lake_, "orders");
  const auto metadata = LoadTable(lake_, "orders").metadata();
  EXPECT_EQ(metadata.snapshots.size(), 3u);
  EXPECT_EQ(metadata.snapshot_log.size(), 4u);
}

TEST_F(RollbackTest, TheNextIngestAppliesAgainWhatWasTakenBack) {  // C-27
  Back(To("v2/2026-11-03/03"));
  EXPECT_TRUE(IngestWell(bucket_.store(), lake_.store()).applied_anything());
  EXPECT_EQ(Tables(), now_);
  EXPECT_FALSE(IngestWell(bucket_.store(), lake_.store()).applied_anything());
}

TEST_F(RollbackTest, WhatWasTakenBackMayBeExpiredBeforeItIsAppliedAgain) {
  Back(To("v2/2026-11-03/03"));
  for (const contract::TableName& name : {kOrders, kCustomers}) {
    const auto done = ExpireTable(lake_.store(), name, {}, Later(30));
    ASSERT_TRUE(done.ok()) << done.status().ToString();
    EXPECT_EQ(done->snapshots.size(), 2u);
  }
  IngestWell(bucket_.store(), lake_.store());
  EXPECT_EQ(Tables(), now_);
  FilesOfSnapshots(lake_, "orders");
}

TEST_F(RollbackTest, TheColumnsGoBackToo) {  // C-25: a full copy takes its schema as it is
  const auto schema = LoadTable(lake_, "customers").metadata().current_schema();
  const std::string mapping = LoadTable(lake_, "customers").metadata().properties.at("schema.name-mapping.default");
  bucket_.Put(Copy("customers", "06") + "/0000_part_00.parquet",
              parquet::MakeRows({{"id", arrow::int64()}, {"value", arrow::int64()}}, "[[1, 7]]"));
  bucket_.Seal(Copy("customers", "06"));
  IngestWell(bucket_.store(), lake_.store());
  ASSERT_NE(LoadTable(lake_, "customers").metadata().current_schema().fields, schema.fields);
  Back(To("v2/2026-11-03/05", {kCustomers}));
  const auto back = LoadTable(lake_, "customers").metadata();
  EXPECT_EQ(back.current_schema().fields, schema.fields);
  EXPECT_EQ(back.properties.at("schema.name-mapping.default"), mapping);
  IngestWell(bucket_.store(), lake_.store());
  EXPECT_THAT(lake_.Table("customers", {"id", "value"}), ElementsAre("1|7"));
}

TEST_F(RollbackTest, OnHoldIngestLeavesATableAloneAndSaysSoEachRun) {
  RollbackOptions options = To("v2/2026-11-03/03", {kOrders});
  options.hold = "wrong prices";
  EXPECT_TRUE(Back(options)[0].hold);
  bucket_.Deliver(Copy("customers", "06"), R"([[7, "w", 1]])");
  for (int run = 0; run < 2; ++run) {
    const auto report = IngestWell(bucket_.store(), lake_.store());
    EXPECT_THAT(ingest::KindsOf(report), Contains("on_hold"));
    EXPECT_TRUE(report.anything_waits());
    EXPECT_EQ(ingest::ResultOf(report, "shop.orders").action, ingest::Action::kNothing);
  }
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|a|1", "3|a|1"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("7|w|1"));  // the others go on
  const auto plan = ingest::PlanIngest(bucket_.store(), lake_.store(), ingest::TestOptions());
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->tables[1].warnings[0].message, HasSubstr("at v2/2026-11-03/03: wrong prices"));

  const auto released = Release(lake_.store(), {}, clock_.Now());
  ASSERT_TRUE(released.ok());
  EXPECT_THAT(*released, ElementsAre(kOrders));
  EXPECT_TRUE(Release(lake_.store(), {}, clock_.Now())->empty());
  const auto report = IngestWell(bucket_.store(), lake_.store());
  EXPECT_FALSE(report.anything_waits());
  EXPECT_EQ(lake_.Table("orders"), now_[0]);
}

TEST_F(RollbackTest, ATableThatIsThereAlreadyCanBeHeld) {
  RollbackOptions options = To("v2/2026-11-03/05", {kOrders});
  options.hold = "";
  EXPECT_EQ(Back(options)[0].step, Step::kNothing);
  EXPECT_TRUE(ingest::HoldOf(LoadTable(lake_, "orders").metadata()));
  const int64_t version = LoadTable(lake_, "orders").version();
  Back(options);
  EXPECT_EQ(LoadTable(lake_, "orders").version(), version);
}

TEST_F(RollbackTest, WhereOneTableCannotGoBackNoneDoes) {
  ASSERT_TRUE(ExpireTable(lake_.store(), kOrders, {}, Later(30)).ok());
  const auto done = RollBack(lake_.store(), To("v2/2026-11-03/04"));
  EXPECT_EQ(done.status().code(), Code::kNotFound);
  EXPECT_THAT(done.status().message(), HasSubstr("'shop.orders': nothing was rolled back: its state as of"));
  EXPECT_EQ(Tables(), now_);
}

TEST_F(RollbackTest, ATableThatWasNotThereYetIsLeftAsItIsUnlessItIsNamed) {
  bucket_.Deliver(Hour("log", "05"), R"([[1, "x", 1]])");
  IngestWell(bucket_.store(), lake_.store());
  const auto done = Back(To("v2/2026-11-03/04"));
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[1].step, Step::kNotYet);
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1"));
  EXPECT_EQ(RollBack(lake_.store(), To("v2/2026-11-03/04", {{"shop", "log"}})).status().code(), Code::kNotFound);
  EXPECT_EQ(RollBack(lake_.store(), To("v2/2026-11-03/04", {{"shop", "nothing"}})).status().code(), Code::kNotFound);
  EXPECT_EQ(Release(lake_.store(), {{"shop", "nothing"}}, clock_.Now()).status().code(), Code::kNotFound);
}

TEST_F(RollbackTest, APlanChangesNothing) {
  RollbackOptions options = To("v2/2026-11-03/03");
  options.plan_only = true;
  const auto before = ingest::ObjectsIn(lake_.store());
  EXPECT_EQ(Back(options)[0].step, Step::kBack);
  EXPECT_EQ(ingest::ObjectsIn(lake_.store()), before);
}

TEST_F(RollbackTest, AnIngestThatCommitsInBetweenIsTakenBackToo) {
  bucket_.Deliver(Hour("orders", "06"), R"([[1, "d", 4]])");
  const ingest::OnceBefore other = ingest::BeforeTheCommit([&] { IngestWell(bucket_.store(), lake_.store()); });
  ingest::WatchedStore slow(lake_.store(), other);
  const auto done = RollBack(slow, To("v2/2026-11-03/03", {kOrders}));
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  ASSERT_TRUE(other.happened());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|a|1", "3|a|1"));
}

TEST_F(RollbackTest, WhereverTheLakeFailsATableIsInOneStateOrTheOtherAndRunningAgainFinishes) {
  using store::FaultMode;
  const std::vector<Rows> first = {{"1|a|1", "2|a|1", "3|a|1"}, {"1|x|1"}};
  for (const FaultMode mode :
       {FaultMode::kErrorOnce, FaultMode::kErrorFromThenOn, FaultMode::kReplyLost, FaultMode::kCrash}) {
    bool struck = true;
    for (uint64_t n = 1; struck; ++n) {
      ASSERT_LT(n, 100u);
      TestLake lake = Clone(lake_);
      store::FaultObjectStore faulty(lake.shared(), {n, mode, {}, {}});
      (void)RollBack(faulty, To("v2/2026-11-03/03"));
      struck = faulty.fault_happened();
      EXPECT_THAT(lake.Table("orders"), AnyOf(now_[0], first[0])) << n;
      EXPECT_THAT(lake.Table("customers"), AnyOf(now_[1], first[1])) << n;
      EXPECT_TRUE(RollBack(lake.store(), To("v2/2026-11-03/03")).ok()) << n;
      EXPECT_EQ(lake.Table("orders"), first[0]) << n;
      EXPECT_EQ(lake.Table("customers"), first[1]) << n;
    }
  }
}

}  // namespace
}  // namespace tidegate::upkeep
