#include "tidegate/catalog/hive_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::catalog {
namespace {

using schema::Field;
using schema::Kind;
using schema::Type;
using ::testing::HasSubstr;

TEST(HiveTypeTest, SpellsTypesAsHiveDoes) {
  EXPECT_EQ(*HiveType(Kind::kLong), "bigint");
  EXPECT_EQ(*HiveType(Type::Decimal(10, 2)), "decimal(10,2)");
  EXPECT_EQ(*HiveType(Kind::kTimestampTz), "timestamp");
  const Type inner = Type::Struct({Field{.name = "A", .type = Kind::kInt}, Field{.name = "b", .type = Kind::kString}});
  EXPECT_EQ(*HiveType(Type::List(Field{.name = "element", .type = inner})), "array<struct<a:int,b:string>>");
  EXPECT_EQ(
      *HiveType(Type::Map(Field{.name = "key", .type = Kind::kString}, Field{.name = "value", .type = Kind::kDouble})),
      "map<string,double>");
  EXPECT_EQ(HiveType(Kind::kTime).status().code(), Code::kUnsupported);
}

TEST(HiveTypeTest, ABuildFitsATableOrSaysWhyNot) {
  const std::vector<HiveColumn> table = {{"id", "bigint"}, {"name", "varchar(10)"}, {"age", "SMALLINT"}};
  EXPECT_TRUE(CheckColumnsFit({{"NAME", "string"}, {"id", "bigint"}}, table).ok());
  EXPECT_TRUE(CheckColumnsFit({{"age", "int"}}, table).ok());
  EXPECT_THAT(CheckColumnsFit({{"id", "int"}}, table).message(),
              HasSubstr("is int in the build and bigint in the table"));
  EXPECT_THAT(CheckColumnsFit({{"note", "string"}}, table).message(), HasSubstr("ADD COLUMNS"));
}

}  // namespace
}  // namespace tidegate::catalog
