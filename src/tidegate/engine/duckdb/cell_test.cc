#include "tidegate/engine/duckdb/cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/engine/duckdb/json_text.h"

namespace tidegate::engine {
namespace {

using testing::ElementsAre;

DuckDb Memory() {
  auto db = DuckDb::Open(":memory:", {});
  EXPECT_TRUE(db.ok()) << db.status().ToString();
  return std::move(*db);
}

struct Cell {
  std::string type;
  std::optional<std::string> text;
  std::string json;
};

/// The one value of `SELECT <expression>` in both forms.
Cell Show(DuckDb& db, const std::string& expression) {
  Cell out;
  for (const CellForm form : {CellForm::kText, CellForm::kJson}) {
    const Status status = db.Query(
        "SELECT " + expression,
        [&](const std::vector<ResultColumn>& columns) {
          out.type = columns.at(0).type;
          return Status::Ok();
        },
        [&](const TextRow& row) {
          if (form == CellForm::kText)
            out.text = row.at(0);
          else
            out.json = row.at(0).value_or("(nothing)");
          return Status::Ok();
        },
        form);
    EXPECT_TRUE(status.ok()) << expression << ": " << status.ToString();
  }
  return out;
}

// Each of these as DuckDB itself casts it, in a filter that keeps the constant out of the optimizer's hands.
constexpr const char* kValues[] = {"true",
                                   "false",
                                   "(-128)::TINYINT",
                                   "32767::SMALLINT",
                                   "(-2147483648)::INTEGER",
                                   "9223372036854775807::BIGINT",
                                   "(-9223372036854775808)::BIGINT",
                                   "255::UTINYINT",
                                   "65535::USMALLINT",
                                   "4294967295::UINTEGER",
                                   "18446744073709551615::UBIGINT",
                                   "170141183460469231731687303715884105727::HUGEINT",
                                   "(-1)::HUGEINT",
                                   "(-170141183460469231731687303715884105728)::HUGEINT",
                                   "340282366920938463463374607431768211455::UHUGEINT",
                                   "1.5::FLOAT",
                                   "0.1::DOUBLE",
                                   "1e300::DOUBLE",
                                   "'nan'::DOUBLE",
                                   "'-inf'::FLOAT",
                                   "(-0.0)::DOUBLE",
                                   "(-1.50)::DECIMAL(4,2)",
                                   "0.05::DECIMAL(9,2)",
                                   "(-123456789.123)::DECIMAL(18,3)",
                                   "12345678901234567890123456789012345.678::DECIMAL(38,3)",
                                   "'x'",
                                   "''",
                                   "'é\"\\'",
                                   "'\\x00\\xFF'::BLOB",
                                   "''::BLOB",
                                   "DATE '1969-12-31'",
                                   "DATE '9999-12-31'",
                                   "'infinity'::DATE",
                                   "TIME '23:59:59.999999'",
                                   "'12:00:00+02'::TIMETZ",
                                   "TIMESTAMP '0001-01-01 00:00:00.000001'",
                                   "'-infinity'::TIMESTAMP",
                                   "TIMESTAMPTZ '2026-11-03 03:00:00+02'",
                                   "'2026-11-03 03:00:00'::TIMESTAMP_S",
                                   "'2026-11-03 03:00:00.5'::TIMESTAMP_MS",
                                   "'2026-11-03 03:00:00.123456789'::TIMESTAMP_NS",
                                   "INTERVAL '1 year 2 days 3 seconds'",
                                   "'ffeeddcc-bbaa-9988-7766-554433221100'::UUID",
                                   "'00000000-0000-0000-0000-000000000001'::UUID",
                                   "'0101'::BIT",
                                   "'b'::ENUM('a','b')",
                                   "[1, NULL, 3]",
                                   "[]::INTEGER[]",
                                   "['a,b', NULL, 'it''s']",
                                   "[[1],[2,3]]",
                                   "[1.5, 2.5]::DOUBLE[2]",
                                   "{'a': 1, 'b': 'x', 'c': NULL}",
                                   "{'a': [{'b': DATE '2026-01-01'}]}",
                                   "MAP {'k': 1, 'l': NULL}",
                                   "MAP {1: 'one'}",
                                   "union_value(n := 5)",
                                   "'{\"a\": 1}'::JSON"};

TEST(Cell, TextIsWhatDuckDbCastsTo) {
  DuckDb db = Memory();
  for (const std::string value : kValues) {
    const Cell ours = Show(db, value);
    const Cell theirs = Show(db, "CAST((" + value + ") AS VARCHAR)");
    EXPECT_EQ(ours.text, theirs.text) << value << " of " << ours.type;
  }
}

TEST(Cell, TypeNamesAreWhatDuckDbCallsThem) {
  DuckDb db = Memory();
  for (const std::string value : kValues) {
    // typeof shows an enum's values, an alias, and the type of an untyped NULL before it is settled: none is a
    // column's.
    if (value.find("ENUM") != std::string::npos || value.find("JSON") != std::string::npos) continue;
    if (value.find("NULL") != std::string::npos) continue;
    EXPECT_EQ(Show(db, value).type, Show(db, "typeof(" + value + ")").text) << value;
  }
  EXPECT_EQ(Show(db, "{'a b': 1, 'c': [1.5::DECIMAL(3,1)]}").type, "STRUCT(\"a b\" INTEGER, c DECIMAL(3,1)[])");
}

TEST(Cell, NullIsNullInBothForms) {
  DuckDb db = Memory();
  for (const std::string type : {"INTEGER", "VARCHAR", "DECIMAL(30,2)", "INTEGER[]", "STRUCT(a INTEGER)"}) {
    const Cell cell = Show(db, "CAST(NULL AS " + type + ")");
    EXPECT_EQ(cell.text, std::nullopt);
    EXPECT_EQ(cell.json, "null");
  }
  EXPECT_EQ(Show(db, "NULL").json, "null");
}

TEST(Cell, JsonNumbersAreBareOnlyWhereADoubleHoldsThem) {
  DuckDb db = Memory();
  EXPECT_EQ(Show(db, "9007199254740992::BIGINT").json, "9007199254740992");
  EXPECT_EQ(Show(db, "9007199254740993::BIGINT").json, "\"9007199254740993\"");
  EXPECT_EQ(Show(db, "(-9007199254740993)::BIGINT").json, "\"-9007199254740993\"");
  EXPECT_EQ(Show(db, "sum(x) FROM range(4) t(x)").json, "6");  // HUGEINT
  EXPECT_EQ(Show(db, "18446744073709551615::UBIGINT").json, "\"18446744073709551615\"");
  EXPECT_EQ(Show(db, "1.10::DECIMAL(9,2)").json, "\"1.10\"");
  EXPECT_EQ(Show(db, "0.1::DOUBLE").json, "0.1");
  EXPECT_EQ(Show(db, "0.1::FLOAT").json, "0.1");
  EXPECT_EQ(Show(db, "'nan'::DOUBLE").json, "\"nan\"");
  EXPECT_EQ(Show(db, "'-inf'::DOUBLE").json, "\"-inf\"");
  EXPECT_EQ(Show(db, "true").json, "true");
}

TEST(Cell, JsonKeepsTheShapeOfNestedValues) {
  DuckDb db = Memory();
  EXPECT_EQ(Show(db, "[{'a': 1, 'b': NULL}]").json, R"([{"a": 1, "b": null}])");
  EXPECT_EQ(Show(db, "MAP {'k': [1, 2]}").json, R"({"k": [1, 2]})");
  EXPECT_EQ(Show(db, "MAP {1: 'one'}").json, R"([{"key": 1, "value": "one"}])");
  EXPECT_EQ(Show(db, "[true, NULL]::BOOLEAN[2]").json, "[true, null]");
  EXPECT_EQ(Show(db, "union_value(n := 5)").json, "5");
  EXPECT_EQ(Show(db, "[DATE '2026-11-03']").json, R"(["2026-11-03"])");
}

TEST(Cell, JsonStringsEscapeWhatWouldEndThemOrSteerATerminal) {
  std::string out;
  AppendJsonString(std::string("a\"b\\c\nd\te\x1b[0m\x7f\0z", 16), out);
  EXPECT_EQ(out, R"("a\"b\\c\nd\te\u001b[0m\u007f\u0000z")");
  out.clear();
  AppendJsonString(
      "\xC2\x9B"
      "31m é",
      out);  // U+009B, a control character in two bytes
  EXPECT_EQ(out, "\"\\u009b31m é\"");
}

TEST(Cell, RowsOfAListKeepTheirOwnElementsAcrossChunks) {
  DuckDb db = Memory();
  int64_t row = 0;
  const Status status = db.Query(
      "SELECT i, [i, i + 1], {'v': i} FROM range(5000) t(i) ORDER BY i",
      [](const std::vector<ResultColumn>&) { return Status::Ok(); },
      [&](const TextRow& cells) {
        const std::string i = std::to_string(row);
        EXPECT_THAT(cells, ElementsAre(i, "[" + i + ", " + std::to_string(row + 1) + "]", "{'v': " + i + "}"));
        ++row;
        return Status::Ok();
      });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(row, 5000);
}

TEST(Cell, ATypeThatCannotBeShownIsAnErrorThatSaysWhatToDo) {
  DuckDb db = Memory();
  const auto rows = db.QueryAll("SELECT 1::VARIANT AS v");
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.status().code(), Code::kUnsupported);
  EXPECT_THAT(rows.status().message(), testing::AllOf(testing::HasSubstr("'v'"), testing::HasSubstr("cast it")));
}

}  // namespace
}  // namespace tidegate::engine
