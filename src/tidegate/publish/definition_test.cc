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

}  // namespace
}  // namespace tidegate::publish
