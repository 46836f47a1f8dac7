#include "tidegate/catalog/athena/alter_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::catalog {
namespace {

using ::testing::HasSubstr;

HiveTable Table() {
  HiveTable out{.name = {"sales", "daily"}, .location = "s3://w/daily"};
  out.columns = {{"id", "bigint"}, {"tags", "array<struct<a:decimal(10,2)>>"}};
  out.partition_columns = {{"day", "string"}, {"region", "string"}};
  return out;
}

HivePartition Partition(const std::string& day, const std::string& location) {
  return {.values = {day, std::nullopt}, .location = location};
}

TEST(AlterTableTest, StatementsQuoteNamesAndValues) {
  const HiveTable table = Table();
  EXPECT_EQ(*CreateTableStatement(table),
            "CREATE EXTERNAL TABLE `sales`.`daily` (`id` bigint, `tags` array<struct<a:decimal(10,2)>>) PARTITIONED BY "
            "(`day` string, `region` string) STORED AS PARQUET LOCATION 's3://w/daily'");
  EXPECT_EQ(
      *SetLocationStatement(table, Partition("a b", "s3://w/day=a b")),
      "ALTER TABLE `sales`.`daily` PARTITION (`day` = 'a b', `region` = '__HIVE_DEFAULT_PARTITION__') SET LOCATION "
      "'s3://w/day=a b'");
  EXPECT_EQ(*DropPartitionStatement(table, {"1", "eu"}),
            "ALTER TABLE `sales`.`daily` DROP IF EXISTS PARTITION (`day` = '1', `region` = 'eu')");
  EXPECT_EQ(*DropTableStatement(table.name), "DROP TABLE `sales`.`daily`");
}

TEST(AlterTableTest, WhatAStatementCannotHoldIsRefused) {
  EXPECT_THAT(SetLocationStatement(Table(), Partition("a\\b", "s3://w/x")).status().message(), HasSubstr("glue://"));
  EXPECT_FALSE(AddClause(Table(), Partition("a\nb", "s3://w/x")).ok());
  EXPECT_FALSE(AddClause(Table(), Partition("", "s3://w/x")).ok());
  EXPECT_FALSE(DropPartitionStatement(Table(), {"1"}).ok());
  HiveTable odd = Table();
  odd.columns = {{"a", "bigint) LOCATION 's3://theirs'"}};
  EXPECT_FALSE(CreateTableStatement(odd).ok());
  odd.columns = {{"a`b", "bigint"}};
  EXPECT_FALSE(CreateTableStatement(odd).ok());
}

TEST(AlterTableTest, AdditionsKeepToTheLimits) {
  std::vector<std::string> clauses;
  for (int i = 0; i < 250; ++i) {
    clauses.push_back(*AddClause(Table(), Partition(std::to_string(i), "s3://w/" + std::to_string(i))));
  }
  const auto by_number = AddStatements({"sales", "daily"}, clauses, 262'144);
  ASSERT_TRUE(by_number.ok());
  ASSERT_EQ(by_number->size(), 3U);
  EXPECT_EQ(by_number->at(0).second, 100U);
  EXPECT_EQ(by_number->at(2).second, 50U);
  EXPECT_THAT(by_number->at(0).first,
              testing::StartsWith("ALTER TABLE `sales`.`daily` ADD IF NOT EXISTS\nPARTITION ("));
  const auto by_bytes = AddStatements({"sales", "daily"}, clauses, 1000);
  ASSERT_TRUE(by_bytes.ok());
  size_t all = 0;
  for (const auto& [statement, count] : *by_bytes) {
    EXPECT_LE(statement.size(), 1000U);
    all += count;
  }
  EXPECT_EQ(all, 250U);
  EXPECT_TRUE(AddStatements({"sales", "daily"}, {}, 1000)->empty());
}

}  // namespace
}  // namespace tidegate::catalog
