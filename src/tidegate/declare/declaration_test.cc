#include "tidegate/declare/declaration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/declare/test_bucket.h"

namespace tidegate::declare {
namespace {

using catalog::PartitionValues;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Names(const Declared& declared) {
  std::vector<std::string> out;
  for (const Declaration& one : declared.tables) out.push_back(one.table.name.ToString());
  return out;
}

std::vector<std::string> Columns(const std::vector<catalog::HiveColumn>& columns) {
  std::vector<std::string> out;
  out.reserve(columns.size());
  for (const auto& column : columns) out.push_back(column.name + " " + column.type);
  return out;
}

TEST(DeclareTables, OfPartsAreOneForEachVersion) {
  TestBucket bucket;
  bucket.Folder("v1/shop/orders/etl_date=__initial__");
  bucket.Folder("v1/shop/orders/etl_date=2026-11-02");
  bucket.Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  const Declared declared = bucket.Declare();
  EXPECT_THAT(declared.problems, IsEmpty());
  ASSERT_THAT(Names(declared), ElementsAre("shop.orders_v1", "shop.orders_v2"));
  const Declaration &v1 = declared.tables[0], &v2 = declared.tables[1];
  EXPECT_THAT(Columns(v1.table.partition_columns), ElementsAre("etl_date string"));
  EXPECT_THAT(Columns(v2.table.partition_columns), ElementsAre("etl_date string", "etl_hour string"));
  EXPECT_THAT(Columns(v2.table.columns), ElementsAre("id bigint", "name string"));
  EXPECT_EQ(v2.table.location, "s3://b/v2/shop/orders");
  ASSERT_EQ(v1.partitions.size(), 2U);
  EXPECT_EQ(v1.partitions[0].values, PartitionValues{"__initial__"});  // C-6: text, in the order of C-20
  EXPECT_EQ(v2.partitions[0].values, (PartitionValues{"2026-11-03", "03"}));
  EXPECT_EQ(v2.partitions[0].location, "s3://b/v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  EXPECT_FALSE(v2.newest);
}

TEST(DeclareTables, OfFullTablesShowAlsoTheNewestSealedCopy) {  // C-11
  TestBucket bucket;
  bucket.Folder("v2/shop/products/snapshot_date=2026-11-03/snapshot_hour=04");
  bucket.Folder("v2/shop/products/snapshot_date=2026-11-03/snapshot_hour=12");
  bucket.Folder("v2/shop/products/snapshot_date=2026-11-03/snapshot_hour=13", {.sealed = false});
  bucket.view.has_v2_manifest_key = true;
  const Declared declared = bucket.Declare();
  ASSERT_THAT(Names(declared), ElementsAre("shop.products_v2", "shop.products"));
  EXPECT_EQ(declared.tables[0].partitions.size(), 2U) << "a folder without its seal is no partition (C-10)";
  const Declaration& newest = declared.tables[1];
  EXPECT_TRUE(newest.newest);
  EXPECT_THAT(Columns(newest.table.partition_columns), ElementsAre("copy string"));
  ASSERT_EQ(newest.partitions.size(), 1U);
  EXPECT_EQ(newest.partitions[0].values, PartitionValues{"newest"});
  EXPECT_THAT(newest.partitions[0].location, HasSubstr("snapshot_hour=12"));
}

TEST(DeclareTables, TheNewestCopyIsOfV1UntilV2HasBegun) {  // C-12, C-13
  TestBucket bucket;
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-02");
  bucket.Folder("v2/shop/products/snapshot_date=2026-11-03/snapshot_hour=04");
  EXPECT_THAT(bucket.Declare().tables.back().partitions[0].location, HasSubstr("v1/"));
  bucket.view.has_v2_manifest_key = true;
  EXPECT_THAT(bucket.Declare().tables.back().partitions[0].location, HasSubstr("v2/"));
}

TEST(DeclareTables, AnEmptyCopyIsTheNewestAllTheSame) {
  TestBucket bucket;
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-02");
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-03", {.files = 0});
  const Declared declared = bucket.Declare();
  ASSERT_EQ(declared.tables.size(), 2U);
  const Declaration& newest = declared.tables.back();
  EXPECT_THAT(newest.partitions[0].location, HasSubstr("snapshot_date=2026-11-03"));
  EXPECT_THAT(newest.files, IsEmpty());
  EXPECT_THAT(newest.like_file, HasSubstr("snapshot_date=2026-11-02/0000_part_00.parquet"));
}

TEST(DeclareTables, NamesAreThoseThatCatalogsKeep) {
  TestBucket bucket;
  bucket.Folder("v1/Shop-EU/Big-Orders/etl_date=2026-11-02");
  EXPECT_THAT(Names(bucket.Declare()), ElementsAre("shop_eu.big_orders_v1"));
  EXPECT_EQ(bucket.Declare().tables[0].table.location, "s3://b/v1/Shop-EU/Big-Orders");
  bucket.options.database = "delivered";
  EXPECT_THAT(Names(bucket.Declare()), ElementsAre("delivered.big_orders_v1"));
}

TEST(DeclareTables, TwoOfOneNameAreSaid) {
  TestBucket bucket;
  bucket.Folder("v1/shop/big-orders/etl_date=2026-11-02");
  bucket.Folder("v1/shop/big_orders/etl_date=2026-11-02");
  const Declared declared = bucket.Declare();
  EXPECT_THAT(Names(declared), ElementsAre("shop.big_orders_v1"));
  EXPECT_THAT(declared.problems, ElementsAre(HasSubstr("'s3://b/v1/shop/big_orders' is left out")));
}

TEST(DeclareTables, WhatACatalogCannotHoldIsLeftOutAndSaid) {
  TestBucket bucket;
  bucket.Folder("v1/shop/orders/etl_date=2026-11-02");
  bucket.columns = {{.name = "ID", .type = schema::Kind::kLong},   {.name = "at", .type = schema::Kind::kTime},
                    {.name = "a`b", .type = schema::Kind::kLong},  {.name = "etl_date", .type = schema::Kind::kString},
                    {.name = "id", .type = schema::Kind::kString}, {.name = "ü \"x\"", .type = schema::Kind::kDate}};
  const Declared declared = bucket.Declare();
  ASSERT_EQ(declared.tables.size(), 1U);
  EXPECT_THAT(Columns(declared.tables[0].table.columns), ElementsAre("id bigint", "ü \"x\" date"));
  EXPECT_EQ(declared.problems.size(), 4U);
  EXPECT_THAT(declared.problems, Contains(HasSubstr("column 'etl_date' of shop.orders_v1 is left out")));
}

TEST(DeclareTables, ATableThatCannotBeReadHoldsUpNoOther) {
  TestBucket bucket;
  bucket.Folder("v1/shop/broken/etl_date=2026-11-02");
  bucket.Folder("v1/shop/empty/etl_date=2026-11-02", {.files = 0});
  bucket.Folder("v1/shop/open/etl_date=2026-11-02", {.sealed = false});
  bucket.Folder("v1/shop/orders/etl_date=2026-11-02");
  bucket.broken = "v1/shop/broken/etl_date=2026-11-02";
  const Declared declared = bucket.Declare();
  EXPECT_THAT(Names(declared), ElementsAre("shop.orders_v1"));
  EXPECT_THAT(declared.problems, ElementsAre(HasSubstr("shop.broken: not Parquet"),
                                             HasSubstr("shop.empty: v1 has no sealed folder with a file yet")));
}

TEST(DeclareTables, AChangedShapeIsThatOfTheNewestFolder) {
  TestBucket bucket;
  bucket.Folder("v1/shop/orders/snapshot_date=2026-11-01");
  bucket.Folder("v1/shop/orders/etl_date=2026-11-02");
  EXPECT_THAT(Columns(bucket.Declare().tables.at(0).table.partition_columns), ElementsAre("etl_date string"));
}

}  // namespace
}  // namespace tidegate::declare
