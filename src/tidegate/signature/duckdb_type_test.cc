#include "tidegate/signature/duckdb_type.h"

#include <gtest/gtest.h>

namespace tidegate::signature {
namespace {

DuckDbType Parsed(const std::string& name) {
  auto type = DuckDbType::Parse(name);
  EXPECT_TRUE(type.ok()) << type.status().ToString();
  return type.ok() ? *type : DuckDbType{};
}

TEST(DuckDbType, DecimalsHaveWidthAndScale) {
  const DuckDbType type = Parsed("DECIMAL(38,10)");
  EXPECT_EQ(type.kind, SqlKind::kDecimal);
  EXPECT_EQ(type.width, 38);
  EXPECT_EQ(type.scale, 10);
}

TEST(DuckDbType, NestedTypesOfAnyNames) {
  const DuckDbType type = Parsed(
      R"(STRUCT("a b" DECIMAL(9,2)[], "c""d" MAP(VARCHAR, STRUCT(x TIMESTAMP WITH TIME ZONE)), e ENUM('p, q', 'r''s)')[3])[][])");
  ASSERT_EQ(type.kind, SqlKind::kList);
  const DuckDbType& inner = type.children.at(0).children.at(0);
  ASSERT_EQ(inner.kind, SqlKind::kStruct);
  EXPECT_EQ(inner.names, (std::vector<std::string>{"a b", "c\"d", "e"}));
  EXPECT_EQ(inner.children.at(0).children.at(0).kind, SqlKind::kDecimal);
  EXPECT_EQ(inner.children.at(1).children.at(1).children.at(0).kind, SqlKind::kTimestamp);
  EXPECT_EQ(inner.children.at(2).children.at(0).kind, SqlKind::kText);
}

TEST(DuckDbType, WhatHasNoTextIsUnsupported) {
  for (const std::string name :
       {"INTERVAL", "BIT", "UNION(a INTEGER)", "STRUCT(INTEGER, INTEGER)", "GEOMETRY", "", "INTEGER[", "DECIMAL(9",
        "STRUCT(a INTEGER", "MAP(VARCHAR)", "ENUM('a", "INTEGER)", "INTEGER, INTEGER", "VARIANT", "INTERVAL[]"}) {
    const auto type = DuckDbType::Parse(name);
    ASSERT_FALSE(type.ok()) << name;
    EXPECT_EQ(type.status().code(), Code::kUnsupported) << name;
  }
}

TEST(DuckDbType, EndlessNestingIsRefused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "STRUCT(a ";
  EXPECT_EQ(DuckDbType::Parse(deep).status().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace tidegate::signature
