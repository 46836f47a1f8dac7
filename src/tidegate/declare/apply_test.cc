#include "tidegate/declare/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/catalog/embedded/embedded_catalog.h"
#include "tidegate/declare/test_bucket.h"

namespace tidegate::declare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ApplyTest : public testing::Test {
 protected:
  ApplyTest() : catalog_(std::move(catalog::EmbeddedCatalog::Open((dir_.path() / "hive.db").string())).value()) {}

  std::vector<Applied> Run(bool partitions = true) { return Apply(bucket_.Declare().tables, *catalog_, partitions); }

  std::string Newest() {
    const auto partition = catalog_->GetPartition({"shop", "products"}, {"newest"});
    return partition.ok() ? partition->location : partition.status().ToString();
  }

  TempDirForTest dir_;
  std::unique_ptr<catalog::HiveCatalog> catalog_;
  TestBucket bucket_;
};

TEST_F(ApplyTest, AddsWhatIsMissingAndNothingTwice) {
  bucket_.Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  EXPECT_EQ(Run(false)[0].added, 0U);
  auto applied = Run();
  ASSERT_EQ(applied.size(), 1U);
  EXPECT_TRUE(applied[0].status.ok()) << applied[0].status.ToString();
  EXPECT_FALSE(applied[0].created) << "the first run made it";
  EXPECT_EQ(applied[0].added, 1U);
  bucket_.Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=04");
  applied = Run();
  EXPECT_EQ(applied[0].added, 1U);
  EXPECT_EQ(applied[0].there, 1U);
  applied = Run();
  EXPECT_EQ(applied[0].added, 0U);
  EXPECT_EQ(applied[0].there, 2U);
}

TEST_F(ApplyTest, MovesTheNewestCopyAndKeepsItsParameters) {
  bucket_.Folder("v1/shop/products/snapshot_date=2026-11-02");
  Run();
  EXPECT_EQ(Newest(), "s3://b/v1/shop/products/snapshot_date=2026-11-02");
  auto partition = *catalog_->GetPartition({"shop", "products"}, {"newest"});
  partition.parameters["owner"] = "me";
  ASSERT_TRUE(catalog_->UpdatePartitions({"shop", "products"}, {partition}).ok());
  bucket_.Folder("v2/shop/products/snapshot_date=2026-11-03/snapshot_hour=04");
  bucket_.view.has_v2_manifest_key = true;
  const auto applied = Run();
  EXPECT_EQ(applied.back().moved, 1U);
  EXPECT_EQ(Newest(), "s3://b/v2/shop/products/snapshot_date=2026-11-03/snapshot_hour=04");
  EXPECT_EQ(catalog_->GetPartition({"shop", "products"}, {"newest"})->parameters.at("owner"), "me");
  EXPECT_EQ(Run().back().moved, 0U);
}

TEST_F(ApplyTest, APartitionThatSomebodyMovedStaysThere) {
  bucket_.Folder("v1/shop/orders/etl_date=2026-11-02");
  Run();
  auto partition = *catalog_->GetPartition({"shop", "orders_v1"}, {"2026-11-02"});
  partition.location = "s3://elsewhere/x/";
  ASSERT_TRUE(catalog_->UpdatePartitions({"shop", "orders_v1"}, {partition}).ok());
  EXPECT_THAT(Run()[0].elsewhere, ElementsAre("s3://elsewhere/x/"));
  EXPECT_EQ(catalog_->GetPartition({"shop", "orders_v1"}, {"2026-11-02"})->location, "s3://elsewhere/x/");
}

TEST_F(ApplyTest, LocationsAsHiveSpellsThemAreThoseOfTheBucket) {
  bucket_.Folder("v1/shop/orders/etl_date=2026-11-02");
  Run();
  auto partition = *catalog_->GetPartition({"shop", "orders_v1"}, {"2026-11-02"});
  partition.location = "s3a" + partition.location.substr(2) + "/";
  ASSERT_TRUE(catalog_->UpdatePartitions({"shop", "orders_v1"}, {partition}).ok());
  const auto applied = Run();
  EXPECT_EQ(applied[0].there, 1U);
  EXPECT_THAT(applied[0].elsewhere, IsEmpty());
}

TEST_F(ApplyTest, ColumnsThatTheTableHasNotAreSaid) {
  bucket_.Folder("v1/shop/orders/etl_date=2026-11-02");
  Run();
  bucket_.columns.push_back({.name = "note", .type = schema::Kind::kString});
  const auto applied = Run();
  ASSERT_EQ(applied[0].missing_columns.size(), 1U);
  EXPECT_EQ(applied[0].missing_columns[0].name, "note");
}

TEST_F(ApplyTest, AForeignTableOfThatNameIsAnErrorAndHoldsUpNoOther) {
  const auto foreign = [](const std::string& table, const std::string& location, const std::string& by) {
    return catalog::HiveTable{.name = {"shop", table}, .partition_columns = {{by, "string"}}, .location = location};
  };
  ASSERT_TRUE(catalog_->CreateTable(foreign("a_v1", "s3://b/v1/shop/a", "day")).ok());
  ASSERT_TRUE(catalog_->CreateTable(foreign("b_v1", "s3://other", "etl_date")).ok());
  for (const std::string table : {"a", "b", "c"}) bucket_.Folder("v1/shop/" + table + "/etl_date=2026-11-02");
  const auto applied = Run();
  EXPECT_THAT(applied[0].status.message(), HasSubstr("other partition columns"));
  EXPECT_THAT(applied[1].status.message(), HasSubstr("at 's3://other'"));
  EXPECT_EQ(applied[2].added, 1U);
  EXPECT_THAT(catalog_->ListPartitions({"shop", "a_v1"}).value(), IsEmpty());
}

}  // namespace
}  // namespace tidegate::declare
