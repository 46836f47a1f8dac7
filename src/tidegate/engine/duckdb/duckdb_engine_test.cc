#include "tidegate/engine/duckdb/duckdb_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "tidegate/base/cancel.h"

namespace tidegate::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

DuckDb Memory(const DuckDbOptions& options = {}) {
  auto db = DuckDb::Open(":memory:", options);
  EXPECT_TRUE(db.ok()) << db.status().ToString();
  return std::move(*db);
}

std::optional<std::string> One(DuckDb& db, const std::string& sql) {
  const auto rows = db.QueryAll(sql);
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  if (!rows.ok() || rows->size() != 1 || rows->at(0).size() != 1) return "(not one value)";
  return rows->at(0).at(0);
}

Code CodeOf(DuckDb& db, const std::string& sql) { return db.QueryAll(sql).status().code(); }

const auto kIgnoreColumns = [](const std::vector<ResultColumn>&) { return Status::Ok(); };

TEST(DuckDb, ColumnsComeBeforeRowsWithNamesAndTypes) {
  DuckDb db = Memory();
  std::vector<std::string> seen;
  const Status status = db.Query(
      "SELECT 1 AS a, 'x' AS \"b c\", NULL::DECIMAL(9,2) AS d",
      [&](const std::vector<ResultColumn>& columns) {
        for (const auto& c : columns) seen.push_back(c.name + ":" + c.type + (c.numeric ? ":number" : ""));
        return Status::Ok();
      },
      [&](const TextRow& row) {
        for (const auto& cell : row) seen.push_back(cell.value_or("(null)"));
        return Status::Ok();
      });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(seen, ElementsAre("a:INTEGER:number", "b c:VARCHAR", "d:DECIMAL(9,2):number", "1", "x", "(null)"));
}

TEST(DuckDb, AQueryWithoutRowsStillTellsItsColumns) {
  DuckDb db = Memory();
  size_t columns = 0;
  const auto count = [&](const std::vector<ResultColumn>& c) {
    columns = c.size();
    return Status::Ok();
  };
  ASSERT_TRUE(db.Query("SELECT 1 a, 2 b WHERE false", count, [](const TextRow&) { return Internal("a row"); }).ok());
  EXPECT_EQ(columns, 2u);
}

TEST(DuckDb, NothingDependsOnTheTimeZoneOfTheMachine) {  // C-7
  const char* before = std::getenv("TZ");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("TZ", "America/New_York", 1);
  ::tzset();
  DuckDb db = Memory();
  EXPECT_EQ(One(db, "SELECT current_setting('TimeZone')"), "UTC");
  EXPECT_EQ(One(db, "SELECT TIMESTAMPTZ '2026-11-03 03:00:00+02'"), "2026-11-03 01:00:00+00");
  EXPECT_EQ(One(db, "SELECT epoch(TIMESTAMP '2026-11-03 03:00:00'::TIMESTAMPTZ)"), "1793674800.0");
  if (before == nullptr)
    ::unsetenv("TZ");
  else
    ::setenv("TZ", saved.c_str(), 1);
  ::tzset();
}

TEST(DuckDb, NoExtensionIsInstalledOrLoadedByItself) {
  DuckDb db = Memory();
  EXPECT_EQ(One(db, "SELECT current_setting('autoinstall_known_extensions')"), "false");
  EXPECT_EQ(One(db, "SELECT current_setting('autoload_known_extensions')"), "false");
  EXPECT_EQ(CodeOf(db, "SELECT * FROM sqlite_scan('x.db', 't')"), Code::kInvalidArgument);
}

TEST(DuckDb, ErrorsOfTheQueryAreInvalidArgumentWithDuckDbsWords) {
  DuckDb db = Memory();
  for (const std::string sql : {"SELEC 1", "SELECT nope", "SELECT * FROM nope", "SELECT 'x'::INTEGER", "", "  ;  ",
                                "SELECT $1", "SET no_such_setting = 1", "SELECT (SELECT x FROM range(2) t(x))"}) {
    const auto rows = db.QueryAll(sql);
    ASSERT_FALSE(rows.ok()) << sql;
    EXPECT_EQ(rows.status().code(), Code::kInvalidArgument) << sql << ": " << rows.status().ToString();
    EXPECT_FALSE(rows.status().message().empty());
  }
  EXPECT_THAT(db.QueryAll("SELECT 1,\n nope").status().message(),
              testing::AllOf(HasSubstr("nope"), HasSubstr("LINE 2")));
}

TEST(DuckDb, AFileThatIsNotThereIsNotTheQuerysFault) {
  DuckDb db = Memory();
  EXPECT_EQ(CodeOf(db, "SELECT * FROM read_parquet('/no/such/file.parquet')"), Code::kUnavailable);
}

TEST(DuckDb, AnErrorInTheMiddleOfAStreamIsAnError) {
  DuckDb db = Memory();
  int64_t rows = 0;
  const Status status = db.Query("SELECT CASE WHEN i = 900000 THEN 'x' ELSE '1' END::INTEGER FROM range(1000000) t(i)",
                                 kIgnoreColumns, [&](const TextRow&) {
                                   ++rows;
                                   return Status::Ok();
                                 });
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
  EXPECT_LT(rows, 1000000);
}

TEST(DuckDb, ControlCharactersOfDataDoNotReachAMessage) {
  DuckDb db = Memory();
  const auto rows = db.QueryAll("SELECT ('a' || chr(27) || '[31m')::INTEGER");
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.status().message(), testing::AllOf(HasSubstr("\\x1B[31m"), Not(HasSubstr("\x1b"))));
}

TEST(DuckDb, AMessageIsCutToItsFirstLines) {
  DuckDb db = Memory();
  const auto rows = db.QueryAll("SELECT ('" + std::string(50'000, 'x') + "')::INTEGER");
  ASSERT_FALSE(rows.ok());
  EXPECT_LT(rows.status().message().size(), 2'100u);
}

TEST(DuckDb, ACallbackEndsTheQueryAndTheNextOneRuns) {
  DuckDb db = Memory();
  int rows = 0;
  const Status status = db.Query("SELECT * FROM range(10000000)", kIgnoreColumns,
                                 [&](const TextRow&) { return ++rows == 3 ? Cancelled("enough") : Status::Ok(); });
  EXPECT_EQ(status, Cancelled("enough"));
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(One(db, "SELECT 42"), "42");
}

TEST(DuckDb, InterruptStopsTheRunningQuery) {
  DuckDb db = Memory();
  const Status status = db.Query("SELECT * FROM range(1000000000000)", kIgnoreColumns, [&](const TextRow&) {
    db.Interrupt();
    return Status::Ok();
  });
  EXPECT_EQ(status, StoppedOnRequest());
  EXPECT_EQ(One(db, "SELECT 42"), "42");
}

TEST(DuckDb, SeveralStatementsRunInOrderAndTheLastGivesTheRows) {
  DuckDb db = Memory();
  EXPECT_EQ(One(db, "CREATE TABLE t(x INTEGER); INSERT INTO t VALUES (1), (2); SELECT sum(x) FROM t; -- done"), "3");
  EXPECT_EQ(CodeOf(db, "SELECT 1; SELECT nope"), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf(db, "SELECT 'x'::INTEGER; SELECT 1"), Code::kInvalidArgument);
}

TEST(DuckDb, StatementsOfEveryKindGiveRows) {
  DuckDb db = Memory();
  ASSERT_TRUE(db.Execute("CREATE TABLE t AS SELECT 'a' AS k, 1 AS v UNION ALL SELECT 'b', 2").ok());
  EXPECT_EQ(One(db, "SELECT count(*) FROM (DESCRIBE t)"), "2");
  EXPECT_EQ(db.QueryAll("SHOW TABLES")->size(), 1u);
  EXPECT_EQ(db.QueryAll("SUMMARIZE t")->size(), 2u);
  EXPECT_EQ(db.QueryAll("PIVOT t ON k USING sum(v)")->at(0).size(), 2u);
  EXPECT_FALSE(db.QueryAll("EXPLAIN SELECT * FROM t")->empty());
  EXPECT_TRUE(db.Execute("PRAGMA enable_object_cache").ok());
}

TEST(DuckDb, TextAndNamesSurviveTheirQuoting) {
  DuckDb db = Memory();
  for (const std::string text : {"", "it's", "''", "a\"b", "back\\slash", "é\n--", "; DROP TABLE x"}) {
    EXPECT_EQ(One(db, "SELECT " + SqlText(text)), text);
    if (text.empty()) continue;
    EXPECT_EQ(One(db, "SELECT column_name FROM (DESCRIBE SELECT 1 AS " + SqlName(text) + ")"), text);
  }
}

TEST(DuckDb, ANulByteIsRefusedRatherThanCutOff) {
  DuckDb db = Memory();
  EXPECT_EQ(CodeOf(db, std::string("SELECT 1\0; garbage", 18)), Code::kInvalidArgument);
}

TEST(DuckDb, LimitsAreTakenOrRefusedByName) {
  DuckDb db = Memory({.memory_limit = "100MB", .threads = 1});
  EXPECT_EQ(One(db, "SELECT current_setting('threads')"), "1");
  const auto bad = DuckDb::Open(":memory:", {.memory_limit = "plenty"});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.status().code(), Code::kInvalidArgument);
}

TEST(DuckDb, NothingIsSpilledIntoTheWorkingFolder) {
  DuckDb db = Memory();
  EXPECT_THAT(*One(db, "SELECT current_setting('temp_directory')"), HasSubstr("tidegate-spill-"));
}

}  // namespace
}  // namespace tidegate::engine
