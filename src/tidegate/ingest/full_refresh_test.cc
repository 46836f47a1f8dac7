#include "tidegate/ingest/full_refresh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/staged_folder.h"

namespace tidegate::ingest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

IngestOptions Refreshing(std::vector<std::string> globs, bool accept_loss = false) {
  IngestOptions out = TestOptions();
  out.full_refresh_globs = std::move(globs);
  out.accept_loss = accept_loss;
  return out;
}

class FullRefreshTest : public testing::Test {
 protected:
  void SetUp() override {
    bucket_.SwitchToV2();
    bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1], [2, "a", 1]])");
    bucket_.Deliver(Hour("orders", "04"), R"([[1, "b", 2]])");
    bucket_.Deliver(Copy("customers", "03"), R"([[1, "x", 1]])");
    IngestWell(bucket_.store(), lake_.store());
  }
  /// A run that does not go well for a table.
  IngestReport Ingest(const IngestOptions& options) {
    const auto report = RunIngest(bucket_.store(), lake_.store(), options);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *report : IngestReport();
  }
  void Remove(const std::string& folder) {
    ASSERT_TRUE(bucket_.store().Delete({folder + "/_SUCCESS", folder + "/0000_part_00.parquet"}).ok());
  }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(FullRefreshTest, ATableInPartsIsBuiltFromAllSealedFoldersInOneCommit) {
  const Rows before = lake_.Table("orders");
  const auto report = IngestWell(bucket_.store(), lake_.store(), Refreshing({"shop.orders"}));
  const TableResult& result = ResultOf(report, "shop.orders");
  EXPECT_EQ(result.action, Action::kRebuild);
  EXPECT_THAT(result.folders, ElementsAre(Hour("orders", "03"), Hour("orders", "04")));
  EXPECT_EQ(lake_.Table("orders"), before);
  EXPECT_EQ(lake_.CheckpointIn("orders").applied.ToString(), "v2/2026-11-03/03..v2/2026-11-03/04");
  EXPECT_EQ(table::LakeTable::Load(lake_.store(), "shop/orders")->version(), 2);
  EXPECT_EQ(ResultOf(report, "shop.customers").action, Action::kNothing);
  EXPECT_FALSE(IngestWell(bucket_.store(), lake_.store()).applied_anything());
}

TEST_F(FullRefreshTest, AFullTableIsBuiltFromItsNewestCopy) {
  const auto report = IngestWell(bucket_.store(), lake_.store(), Refreshing({"*.customers"}));
  EXPECT_EQ(ResultOf(report, "shop.customers").action, Action::kReplace);
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|x|1"));
  EXPECT_FALSE(IngestWell(bucket_.store(), lake_.store()).applied_anything());
}

TEST_F(FullRefreshTest, AChangedFolderIsTakenAsItIsNow) {  // C-14: refused until a person asks for it
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "changed", 2]])");
  EXPECT_TRUE(Ingest(TestOptions()).failed());
  IngestWell(bucket_.store(), lake_.store(), Refreshing({"shop.orders"}));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|changed|2", "2|a|1"));
  EXPECT_FALSE(IngestWell(bucket_.store(), lake_.store()).applied_anything());
}

TEST_F(FullRefreshTest, FilesThatReadersHaveOpenAreNotWrittenAgain) {
  const auto before = lake_.DataObjects();
  IngestWell(bucket_.store(), lake_.store(), Refreshing({"*"}));
  auto after = lake_.DataObjects();
  for (const auto& [key, etag] : before) EXPECT_EQ(after[key], etag) << key;
  EXPECT_EQ(after.size(), 2 * before.size());
  EXPECT_EQ(FileGenerationOf(table::LakeTable::Load(lake_.store(), "shop/orders")->metadata()), 1);
}

TEST_F(FullRefreshTest, WhereRowsWouldBeLostItIsRefused) {
  const Rows before = lake_.Table("orders");
  Remove(Hour("orders", "03"));
  const auto report = Ingest(Refreshing({"shop.orders"}));
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].reason, "loss");
  EXPECT_THAT(report.problems[0].message, HasSubstr("no longer sealed in the bucket: v2/2026-11-03/03: "));
  EXPECT_THAT(report.problems[0].message, HasSubstr("--accept-loss"));
  EXPECT_EQ(lake_.Table("orders"), before);
}

TEST_F(FullRefreshTest, ThatLossCanBeAccepted) {
  Remove(Hour("orders", "03"));
  const auto report = IngestWell(bucket_.store(), lake_.store(), Refreshing({"shop.orders"}, true));
  EXPECT_THAT(KindsOf(report), Contains("rows_gone"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|b|2"));
  EXPECT_EQ(lake_.CheckpointIn("orders").applied.ToString(), "v2/2026-11-03/04");
}

TEST_F(FullRefreshTest, FromNothingNothingIsBuilt) {
  Remove(Copy("customers", "03"));
  Remove(Hour("orders", "03"));
  Remove(Hour("orders", "04"));
  const auto report = Ingest(Refreshing({"*"}, true));
  EXPECT_THAT(ProblemsOf(report), HasSubstr("loss shop.customers : full refresh: there is no sealed folder"));
  EXPECT_THAT(ProblemsOf(report), HasSubstr("loss shop.orders : full refresh: there is no sealed folder"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|x|1"));
}

TEST_F(FullRefreshTest, AnAppliedFolderThatCannotBeReadAnyMoreKeepsTheTableAsItIs) {  // C-15
  const Rows before = lake_.Table("orders");
  bucket_.Put(Hour("orders", "03") + "/0000_part_00.parquet", "broken");
  EXPECT_TRUE(Ingest(Refreshing({"shop.orders"})).failed());
  EXPECT_EQ(lake_.Table("orders"), before);
}

TEST_F(FullRefreshTest, APatternThatFitsNoTableIsAMistake) {
  for (const char* glob : {"shop.order", "orders"}) {
    EXPECT_EQ(RunIngest(bucket_.store(), lake_.store(), Refreshing({glob})).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(PlanIngest(bucket_.store(), lake_.store(), Refreshing({glob})).status().code(), Code::kInvalidArgument);
  }
}

TEST_F(FullRefreshTest, ANewTableIsJustBuilt) {
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  const auto report = IngestWell(bucket_.store(), lake_.store(), Refreshing({"shop.log"}));
  EXPECT_EQ(ResultOf(report, "shop.log").action, Action::kAppend);
  EXPECT_THAT(KindsOf(report), Not(Contains("rows_gone")));
}

TEST(DeliverySetTest, NamesTheFirstThatAreWanted) {
  const auto set =
      *DeliverySet::Parse("v1/__initial__ v1/2026-10-31..v1/2026-11-02 v2/2026-11-03/22..v2/2026-11-04/01");
  const auto all = set.FirstWhere([](const auto&) { return true; }, 100);
  EXPECT_EQ(all.size(), 8u);
  EXPECT_EQ(all[6].ToString(), "v2/2026-11-04/00");
  EXPECT_EQ(set.FirstWhere([](const auto& d) { return d.version == contract::Version::kV2; }, 2).size(), 2u);
  EXPECT_TRUE(set.FirstWhere([](const auto&) { return false; }, 2).empty());
}

}  // namespace
}  // namespace tidegate::ingest
