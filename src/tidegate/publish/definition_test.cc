#include "tidegate/publish/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::publish {
namespace {

using ::testing::HasSubstr;

Result<std::string> Filled(const std::string& select, const catalog::PartitionValues& values) {
  Definition definition{.table = {"sales", "daily"}, .partition_columns = {{"day", "string"}}};
  definition.select = select;
  return SelectFor(definition, values);
}

TEST(SelectForTest, APlaceholderBecomesALiteral) {
  EXPECT_EQ(*Filled("SELECT a FROM t WHERE day = {day}", {"2026-11-01"}), "SELECT a FROM t WHERE day = '2026-11-01'");
  EXPECT_EQ(*Filled("SELECT {{'a': 1}} FROM t WHERE day = {day}", {"it's"}),
            "SELECT {'a': 1} FROM t WHERE day = 'it''s'");
  EXPECT_EQ(*Filled("SELECT a FROM t WHERE day IS NOT DISTINCT FROM {day}", {std::nullopt}),
            "SELECT a FROM t WHERE day IS NOT DISTINCT FROM NULL");
}

TEST(SelectForTest, WhatCannotBeMeantIsRefused) {
  EXPECT_THAT(Filled("SELECT 1", {"x"}).status().message(), HasSubstr("it does not use {day}"));
  EXPECT_THAT(Filled("SELECT '{day}'", {"x"}).status().message(), HasSubstr("quotes around {day}"));
  EXPECT_THAT(Filled("SELECT {hour}", {"x"}).status().message(), HasSubstr("{hour} is no partition column"));
  EXPECT_THAT(Filled("SELECT {day", {"x"}).status().message(), HasSubstr("without its '}'"));
  EXPECT_THAT(Filled("SELECT day} {day}", {"x"}).status().message(), HasSubstr("without its '{'"));
}

TEST(SelectForTest, AthenaGetsLiteralsOfTheColumnsType) {
  Definition definition{.table = {"sales", "daily"}, .engine = BuildEngine::kAthena};
  definition.partition_columns = {{"day", "date"}, {"region", "string"}};
  definition.select = "SELECT a FROM t WHERE day = {day} AND region = {region}";
  EXPECT_EQ(*SelectFor(definition, {"2026-11-01", "it's"}),
            "SELECT a FROM t WHERE day = DATE '2026-11-01' AND region = 'it''s'");
  EXPECT_EQ(*SelectFor(definition, {std::nullopt, std::nullopt}), "SELECT a FROM t WHERE day = NULL AND region = NULL");
  definition.partition_columns[0].type = "array<int>";
  EXPECT_EQ(SelectFor(definition, {"1", "2"}).status().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace tidegate::publish
