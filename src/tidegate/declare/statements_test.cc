#include "tidegate/declare/statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/declare/test_bucket.h"

namespace tidegate::declare {
namespace {

using testing::HasSubstr;
using testing::Not;

size_t Count(const std::string& text, const std::string& what) {
  size_t out = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

TEST(HiveStatements, AreThoseThatAPersonWouldWrite) {
  TestBucket bucket;
  bucket.Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  EXPECT_EQ(*HiveStatements(bucket.Declare().tables, true), R"(CREATE DATABASE IF NOT EXISTS `shop`;

CREATE EXTERNAL TABLE IF NOT EXISTS `shop`.`orders_v2` (
  `id` bigint,
  `name` string
)
PARTITIONED BY (`etl_date` string, `etl_hour` string)
STORED AS PARQUET
LOCATION 's3://b/v2/shop/orders/';

ALTER TABLE `shop`.`orders_v2` ADD IF NOT EXISTS
  PARTITION (`etl_date`='2026-11-03', `etl_hour`='03') LOCATION 's3://b/v2/shop/orders/etl_date=2026-11-03/etl_hour=03/';

)");
  EXPECT_THAT(*HiveStatements(bucket.Declare().tables, false), Not(HasSubstr("ALTER")));
}

TEST(HiveStatements, MoveTheNewestCopyInOneStep) {
  TestBucket bucket;
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-03");
  EXPECT_THAT(*HiveStatements(bucket.Declare().tables, true),
              HasSubstr("ALTER TABLE `shop`.`products` PARTITION (`copy`='newest') SET LOCATION "
                        "'s3://b/v1/shop/products/snapshot_date=2026-11-03/';"));
}

TEST(HiveStatements, NameAHundredPartitionsEach) {
  TestBucket bucket;
  for (int hour = 0; hour < 250; ++hour) {
    const std::string day = std::to_string(10 + hour / 24), hh = std::to_string(100 + hour % 24).substr(1);
    bucket.Folder("v2/shop/orders/etl_date=2026-10-" + day + "/etl_hour=" + hh);
  }
  const std::string text = *HiveStatements(bucket.Declare().tables, true);
  EXPECT_EQ(Count(text, "ADD IF NOT EXISTS\n"), 3U);
  EXPECT_EQ(Count(text, "  PARTITION ("), 250U);
  EXPECT_EQ(Count(text, ";\n"), 5U);
}

TEST(HiveStatements, RefuseALocationThatALiteralCannotHold) {
  TestBucket bucket;
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-03");
  for (const std::string prefix : {"s3://b/it's/", "s3://b/a\\b/", "s3://b/a\nb/"}) {
    bucket.options.location = [&](const std::string& key) { return prefix + key; };
    EXPECT_EQ(HiveStatements(bucket.Declare().tables, false).status().code(), Code::kUnsupported) << prefix;
  }
}

TEST(DuckDbStatements, NameTheFilesThatAreSealedNow) {
  TestBucket bucket;
  bucket.Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03", {.files = 2});
  bucket.options.location = [](const std::string& key) { return "file:///it's/" + key; };
  EXPECT_EQ(*DuckDbStatements(bucket.Declare().tables), R"(CREATE SCHEMA IF NOT EXISTS "shop";

CREATE OR REPLACE VIEW "shop"."orders_v2" AS
SELECT * FROM read_parquet([
  '/it''s/v2/shop/orders/etl_date=2026-11-03/etl_hour=03/0000_part_00.parquet',
  '/it''s/v2/shop/orders/etl_date=2026-11-03/etl_hour=03/0001_part_00.parquet'
], union_by_name = true, hive_partitioning = true, hive_types = {'etl_date': VARCHAR, 'etl_hour': VARCHAR});

)");
}

TEST(DuckDbStatements, OfACopyWithoutFilesShowNoRows) {
  TestBucket bucket;
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-02");
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-03", {.files = 0});
  EXPECT_THAT(*DuckDbStatements(bucket.Declare().tables), HasSubstr("hive_partitioning = false) WHERE false;"));
}

TEST(DuckDbStatements, RefuseWhatDuckDbTakesForAPattern) {
  TestBucket bucket;
  bucket.Folder("v1/shop/products/snapshot_date=2026-11-02");
  bucket.options.location = [](const std::string& key) { return "s3://b/[x]/" + key; };
  EXPECT_EQ(DuckDbStatements(bucket.Declare().tables).status().code(), Code::kUnsupported);
}

TEST(AddColumnsStatement, CanBeRunAsItStands) {
  EXPECT_EQ(AddColumnsStatement({"shop", "orders"}, {{"a", "int"}, {"b", "array<string>"}}),
            "ALTER TABLE `shop`.`orders` ADD COLUMNS (`a` int, `b` array<string>)");
}

}  // namespace
}  // namespace tidegate::declare
