#include "tidegate/query/rows_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::query {
namespace {

using engine::DuckDb;
using engine::TextRow;

class RowsTable : public testing::Test {
 protected:
  DuckDb db_ = std::move(DuckDb::Open(":memory:", {})).value();
};

TEST_F(RowsTable, HoldsItsRowsWithTheirTypes) {
  const std::vector<RowsColumn> columns = {
      {"when", "TIMESTAMP WITH TIME ZONE"}, {"rows in", "BIGINT"}, {"why", "VARCHAR"}};
  ASSERT_TRUE(
      CreateRowsTable(db_, "tidegate_history", columns,
                      {{"2026-11-03T03:40:00Z", "12", "it's; DROP TABLE x --"}, {std::nullopt, std::nullopt, ""}})
          .ok());
  const auto rows = db_.QueryAll("SELECT \"when\", \"rows in\" + 1, why FROM tidegate_history ORDER BY 2");
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_THAT(*rows, testing::ElementsAre(TextRow{"2026-11-03 03:40:00+00", "13", "it's; DROP TABLE x --"},
                                          TextRow{std::nullopt, std::nullopt, ""}));
}

TEST_F(RowsTable, ManyRowsAllArrive) {
  std::vector<TextRow> rows;
  for (int i = 0; i < 1234; ++i) rows.push_back({std::to_string(i)});
  ASSERT_TRUE(CreateRowsTable(db_, "t", {{"i", "INTEGER"}}, rows).ok());
  EXPECT_THAT(*db_.QueryAll("SELECT count(*), sum(i) FROM t"), testing::ElementsAre(TextRow{"1234", "760761"}));
}

TEST_F(RowsTable, NoRowsMakeAnEmptyTable) {
  ASSERT_TRUE(CreateRowsTable(db_, "t", {{"i", "INTEGER"}}, {}).ok());
  EXPECT_TRUE(db_.QueryAll("SELECT * FROM t")->empty());
}

TEST_F(RowsTable, RefusesWhatDoesNotFit) {
  EXPECT_EQ(CreateRowsTable(db_, "a", {{"i", "INTEGER"}}, {{"x"}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(CreateRowsTable(db_, "b", {{"i", "INTEGER"}}, {{"1", "2"}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(CreateRowsTable(db_, "b", {{"i", "INTEGER"}}, {}).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tidegate::query
