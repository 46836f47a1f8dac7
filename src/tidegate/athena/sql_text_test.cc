#include "tidegate/athena/sql_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::athena {
namespace {

using ::testing::HasSubstr;

TEST(SqlTextTest, QuotesAreDoubled) {
  EXPECT_EQ(*TextLiteral("it's"), "'it''s'");
  EXPECT_EQ(*TextLiteral("a\\b\n\"c\""), "'a\\b\n\"c\"'");  // Trino knows no escapes
  EXPECT_EQ(TextLiteral(std::string_view("a\0b", 3)).status().code(), Code::kInvalidArgument);
}

TEST(SqlTextTest, LiteralsHaveTheTypeOfTheirColumn) {
  EXPECT_EQ(*TypedLiteral("string", "2026-11-01"), "'2026-11-01'");
  EXPECT_EQ(*TypedLiteral("varchar(20)", "x"), "'x'");
  EXPECT_EQ(*TypedLiteral("date", "2026-11-01"), "DATE '2026-11-01'");
  EXPECT_EQ(*TypedLiteral("Timestamp", "2026-11-01 10:00:00"), "TIMESTAMP '2026-11-01 10:00:00'");
  EXPECT_EQ(*TypedLiteral("int", "7"), "INTEGER '7'");
  EXPECT_EQ(*TypedLiteral("bigint", "7"), "BIGINT '7'");
  EXPECT_EQ(*TypedLiteral("decimal(10,2)", "7.50"), "DECIMAL '7.50'");
  EXPECT_EQ(*TypedLiteral("bigint", std::nullopt), "NULL");
}

TEST(SqlTextTest, AValueIsNeverMoreThanAValue) {
  EXPECT_EQ(*TypedLiteral("bigint", "7' OR '1'='1"), "BIGINT '7'' OR ''1''=''1'");
}

TEST(SqlTextTest, OtherTypesAreRefused) {
  EXPECT_EQ(TypedLiteral("array<int>", "x").status().code(), Code::kUnsupported);
  EXPECT_EQ(TypedLiteral("binary", std::nullopt).status().code(), Code::kUnsupported);
}

TEST(SqlTextTest, DdlQuotesNamesWithBackticks) {
  EXPECT_EQ(*DdlName("day"), "`day`");
  EXPECT_EQ(*DdlName("a b"), "`a b`");
  EXPECT_FALSE(DdlName("a`b").ok());
  EXPECT_FALSE(DdlName("").ok());
  EXPECT_FALSE(DdlName("a\nb").ok());
}

TEST(SqlTextTest, DdlRefusesWhatHiveWouldReadOtherwise) {
  EXPECT_EQ(*DdlText("its % é"), "'its % é'");
  EXPECT_THAT(DdlText("it's").status().message(), HasSubstr("as it has a quote"));
  EXPECT_THAT(DdlText("a\\b").status().message(), HasSubstr("use the catalog glue://"));
  EXPECT_FALSE(DdlText("a\tb").ok());
}

}  // namespace
}  // namespace tidegate::athena
