#include "tidegate/query/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tidegate/base/json.h"
#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/base/text.h"
#include "tidegate/query/printable.h"

namespace tidegate::query {
namespace {

using engine::DuckDb;
using testing::HasSubstr;
using testing::Not;

class Output : public testing::Test {
 protected:
  std::string Write(const std::string& sql, const OutputOptions& options) {
    std::string out;
    const auto rows = WriteResult(db_, sql, options, [&](std::string_view piece) {
      out += piece;
      largest_piece_ = std::max(largest_piece_, piece.size());
      return Status::Ok();
    });
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    return out;
  }
  std::string Table(const std::string& sql) { return Write(sql, {}); }
  std::string Csv(const std::string& sql) { return Write(sql, {.format = OutputFormat::kCsv}); }
  std::string JsonText(const std::string& sql) { return Write(sql, {.format = OutputFormat::kJson}); }

  DuckDb db_ = std::move(DuckDb::Open(":memory:", {})).value();
  size_t largest_piece_ = 0;
};

TEST_F(Output, ATableIsAlignedWithNumbersToTheRight) {
  EXPECT_EQ(Table("SELECT * FROM (VALUES (1, 'one', 1.5), (1000, 'thousand', NULL)) t(id, name, v)"),
            "  id  name         v\n"
            "----  --------  ----\n"
            "   1  one        1.5\n"
            "1000  thousand  NULL\n"
            "(2 rows)\n");
}

TEST_F(Output, ATableWithoutRowsShowsItsColumns) {
  EXPECT_EQ(Table("SELECT 1 AS id WHERE false"), "id\n--\n(0 rows)\n");
  EXPECT_EQ(Table("SELECT 1 AS id"), "id\n--\n 1\n(1 row)\n");
}

TEST_F(Output, DataInATableCannotSteerTheTerminal) {
  const std::string out = Table("SELECT chr(27) || ']0;x' || chr(7) || chr(10) AS \"a\x1b[2J\"");
  EXPECT_THAT(out, testing::AllOf(HasSubstr("\\x1B]0;x\\x07\\x0A"), HasSubstr("a\\x1B[2J"), Not(HasSubstr("\x1b"))));
}

TEST_F(Output, WideCellsAreCutOnlyWhereTheTerminalsWidthIsGiven) {
  const std::string sql = "SELECT 123456 AS id, repeat('x', 200) AS a, repeat('é', 200) AS b, 'short' AS c";
  EXPECT_THAT(Table(sql), HasSubstr(std::string(200, 'x')));
  const std::string cut = Write(sql, {.terminal_width = 60});
  for (const std::string_view line : Split(cut, '\n')) EXPECT_LE(DisplayWidth(line), 60u) << line;
  EXPECT_THAT(cut, testing::AllOf(HasSubstr("123456"), HasSubstr("xxx…"), HasSubstr("ééé…"), HasSubstr("short")));
}

TEST_F(Output, ATerminalTooNarrowStillShowsEveryNumberWhole) {
  EXPECT_THAT(Write("SELECT 123456789 AS a, repeat('x', 50) AS b", {.terminal_width = 5}),
              HasSubstr("123456789  xxxxxxx…"));
}

TEST_F(Output, ATableSaysHowManyRowsItDoesNotShow) {
  const std::string out = Table("SELECT i FROM range(10005) t(i)");
  EXPECT_THAT(out.substr(out.size() - 100), HasSubstr("\n9999\n(10,000 of 10,005 rows, 5 more are not shown;"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 10'003);
}

TEST_F(Output, CsvFollowsRfc4180) {
  EXPECT_EQ(Csv("SELECT * FROM (VALUES (1, 'plain'), (2, 'a,b'), (3, 'say \"hi\"'), (4, 'two' || chr(10) || 'lines'), "
                "(5, ''), (6, NULL), (7, ' x '), (8, chr(13))) t(id, \"te,xt\")"),
            "id,\"te,xt\"\n1,plain\n2,\"a,b\"\n3,\"say \"\"hi\"\"\"\n4,\"two\nlines\"\n5,\"\"\n6,\n7, x \n8,\"\r\"\n");
}

TEST_F(Output, CsvReadsBackAsItWas) {
  const TempDirForTest folder;
  const std::string path = (folder.path() / "x.csv").string();
  ASSERT_TRUE(db_.Execute("CREATE TABLE t AS SELECT i, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN '\",' || "
                          "chr(10) WHEN 3 THEN ' ' || chr(13) ELSE 'é' || i END AS s FROM range(1000) t(i)")
                  .ok());
  std::ofstream(path) << Csv("SELECT * FROM t");
  const std::string back = "FROM read_csv(" + engine::SqlText(path) +
                           ", auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
                           "allow_quoted_nulls = false, columns = {'i': 'BIGINT', 's': 'VARCHAR'})";
  EXPECT_THAT(*db_.QueryAll("SELECT count(*) " + back), testing::ElementsAre(engine::TextRow{"1000"}));
  EXPECT_THAT(*db_.QueryAll("(SELECT * FROM t EXCEPT ALL SELECT * " + back + ")"), testing::IsEmpty());
}

TEST_F(Output, JsonIsAnArrayOfObjectsOneToALine) {
  EXPECT_EQ(JsonText("SELECT 1 AS id, 'it''s \"x\"' AS s, 1.10::DECIMAL(5,2) AS d, NULL AS n, true AS b, [1, 2] AS l, "
                     "{'k': DATE '2026-11-03'} AS o UNION ALL SELECT 2, '', 0, NULL, NULL, [], NULL"),
            "[\n"
            R"({"id": 1, "s": "it's \"x\"", "d": "1.10", "n": null, "b": true, "l": [1, 2], "o": {"k": "2026-11-03"}},)"
            "\n"
            R"({"id": 2, "s": "", "d": "0.00", "n": null, "b": null, "l": [], "o": null})"
            "\n]\n");
}

TEST_F(Output, JsonOfNoRowsIsAnEmptyArray) { EXPECT_EQ(JsonText("SELECT 1 AS id WHERE false"), "[]\n"); }

TEST_F(Output, JsonParsesWhateverTheDataHolds) {
  const std::string out =
      JsonText("SELECT chr(i::INTEGER) AS c, chr(i::INTEGER) || '\"\\' AS d FROM range(1, 3000) t(i)");
  const auto json = ParseJson(out);
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  ASSERT_EQ(json->size(), 2999u);
  EXPECT_EQ((*json)[26]["c"], "\x1b");
  EXPECT_EQ((*json)[0x9A]["c"], "\xC2\x9B");
  EXPECT_THAT(out, Not(HasSubstr("\x1b")));
}

TEST_F(Output, JsonKeysOfOneObjectDiffer) {
  EXPECT_EQ(JsonText("SELECT 1 AS a, 2 AS a, 3 AS a_1"), "[\n{\"a\": 1, \"a_1\": 2, \"a_1_1\": 3}\n]\n");
}

TEST_F(Output, CsvAndJsonAreWrittenInSmallPieces) {
  const std::string sql = "SELECT i, repeat('x', 100) AS s FROM range(20000) t(i)";
  EXPECT_GT(Csv(sql).size(), 2'000'000u);
  EXPECT_GT(JsonText(sql).size(), 2'000'000u);
  EXPECT_LT(largest_piece_, 100'000u);
}

TEST_F(Output, ASinkThatFailsEndsTheQuery) {
  int calls = 0;
  const auto rows =
      WriteResult(db_, "SELECT * FROM range(10000000000)", {.format = OutputFormat::kCsv}, [&](std::string_view) {
        ++calls;
        return Unavailable("the pipe is closed");
      });
  EXPECT_EQ(rows.status(), Unavailable("the pipe is closed"));
  EXPECT_EQ(calls, 1);
}

TEST_F(Output, AQueryThatFailsWritesNoTable) {
  std::string out;
  const auto rows = WriteResult(db_, "SELECT nope", {}, [&](std::string_view piece) {
    out += piece;
    return Status::Ok();
  });
  EXPECT_EQ(rows.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(out, "");
}

TEST_F(Output, FormatsHaveNames) {
  EXPECT_EQ(*ParseOutputFormat("table"), OutputFormat::kTable);
  EXPECT_EQ(*ParseOutputFormat("csv"), OutputFormat::kCsv);
  EXPECT_EQ(*ParseOutputFormat("json"), OutputFormat::kJson);
  EXPECT_EQ(ParseOutputFormat("xml").status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tidegate::query
