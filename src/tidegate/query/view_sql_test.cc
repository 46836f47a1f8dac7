#include "tidegate/query/view_sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::query {
namespace {

using engine::DuckDb;
using engine::SqlText;
using schema::Field;
using schema::Kind;
using schema::Type;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Field Column(int id, std::string name, Type type) { return {id, std::move(name), std::move(type), false}; }

/// A table made by hand of Parquet files that DuckDB writes. Spec 0: contract_version, etl_date, etl_hour; spec 1:
/// none.
class ViewSql : public testing::Test {
 protected:
  void SetUp() override {
    state_.schema.fields = {Column(1, "id", Kind::kLong), Column(2, "name", Kind::kString),
                            Column(3, "contract_version", Kind::kString), Column(4, "etl_date", Kind::kString),
                            Column(5, "etl_hour", Kind::kString)};
    state_.specs = {{0,
                     {{3, 1000, "contract_version", "identity"},
                      {4, 1001, "etl_date", "identity"},
                      {5, 1002, "etl_hour", "identity"}}},
                    {1, {}}};
  }

  /// Write `select` as a Parquet file; returns its location.
  std::string Write(const std::string& name, const std::string& select) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    const Status status =
        db_.Execute("COPY (" + select + ") TO " + SqlText(path.string()) + " (FORMAT parquet, USE_TMP_FILE false)");
    EXPECT_TRUE(status.ok()) << status.ToString();
    return "file://" + path.string();
  }

  table::DataFile& AddData(const std::string& location,
                           std::vector<std::optional<std::string>> partition = {"v2", "2026-11-03", "03"},
                           int spec = 0) {
    table::LiveFile live;
    live.file.location = location;
    live.file.spec_id = spec;
    live.file.partition = std::move(partition);
    live.file.record_count = 1;
    state_.files.data.push_back(live);
    return state_.files.data.back().file;
  }

  void AddDeletes(const std::string& location, std::optional<std::string> data_file) {
    table::LiveFile live;
    live.file.content = table::FileContent::kPositionDeletes;
    live.file.location = location;
    live.file.referenced_data_file = std::move(data_file);
    state_.files.position_deletes.push_back(live);
  }

  std::string WriteDeletes(const std::string& name, const std::string& rows) {
    return Write(name, "SELECT * FROM (VALUES " + rows + ") t(file_path, pos)");
  }

  std::vector<engine::TextRow> Rows(const std::string& query) {
    const auto select = SelectSql(state_);
    EXPECT_TRUE(select.ok()) << select.status().ToString();
    if (!select.ok()) return {};
    const Status made = db_.Execute("CREATE OR REPLACE VIEW t AS " + *select);
    EXPECT_TRUE(made.ok()) << made.ToString() << "\n" << *select;
    const auto rows = db_.QueryAll(query);
    EXPECT_TRUE(rows.ok()) << rows.status().ToString() << "\n" << *select;
    return rows.ok() ? *rows : std::vector<engine::TextRow>{};
  }

  /// The plan of a query as one text.
  std::string Plan(const std::string& query) {
    std::string out;
    for (const auto& row : Rows("EXPLAIN " + query)) out += row.at(1).value_or("");
    return out;
  }

  TempDirForTest temp_;
  const std::filesystem::path& folder_ = temp_.path();
  TableState state_;
  DuckDb db_ = std::move(DuckDb::Open(":memory:", {})).value();
};

using Row = engine::TextRow;
constexpr auto kNull = std::nullopt;

TEST_F(ViewSql, ATableWithoutFilesHasItsColumnsAndNoRows) {
  EXPECT_THAT(Rows("SELECT * FROM t"), ElementsAre());
  EXPECT_THAT(Rows("SELECT column_name, column_type FROM (DESCRIBE t)"),
              ElementsAre(Row{"id", "BIGINT"}, Row{"name", "VARCHAR"}, Row{"contract_version", "VARCHAR"},
                          Row{"etl_date", "VARCHAR"}, Row{"etl_hour", "VARCHAR"}));
}

TEST_F(ViewSql, EveryTypeIsShownAsItsDuckDbType) {
  state_.schema.fields = {
      Column(1, "b", Kind::kBoolean),
      Column(2, "i", Kind::kInt),
      Column(3, "l", Kind::kLong),
      Column(4, "f", Kind::kFloat),
      Column(5, "d", Kind::kDouble),
      Column(6, "dec", Type::Decimal(9, 2)),
      Column(7, "day", Kind::kDate),
      Column(8, "tm", Kind::kTime),
      Column(9, "ts", Kind::kTimestamp),
      Column(10, "tz", Kind::kTimestampTz),
      Column(11, "s", Kind::kString),
      Column(12, "u", Kind::kUuid),
      Column(13, "x", Type::Fixed(3)),
      Column(14, "bin", Kind::kBinary),
      Column(15, "st", Type::Struct({Column(16, "a b", Kind::kInt)})),
      Column(17, "li", Type::List(Column(18, "element", Kind::kLong))),
      Column(19, "m", Type::Map(Column(20, "key", Kind::kString), Column(21, "value", Kind::kInt)))};
  const std::vector<Row> types = Rows("SELECT column_type FROM (DESCRIBE t)");
  const std::vector<std::string> expected = {"BOOLEAN",
                                             "INTEGER",
                                             "BIGINT",
                                             "FLOAT",
                                             "DOUBLE",
                                             "DECIMAL(9,2)",
                                             "DATE",
                                             "TIME",
                                             "TIMESTAMP",
                                             "TIMESTAMP WITH TIME ZONE",
                                             "VARCHAR",
                                             "UUID",
                                             "BLOB",
                                             "BLOB",
                                             "STRUCT(\"a b\" INTEGER)",
                                             "BIGINT[]",
                                             "MAP(VARCHAR, INTEGER)"};
  ASSERT_EQ(types.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(types[i].at(0), expected[i]);

  state_.specs = {{0, {}}};
  AddData(Write("a.parquet",
                "SELECT true b, 1::INTEGER i, 2::BIGINT l, 1.5::FLOAT f, 2.5 :: DOUBLE d, 1.25::DECIMAL(9,2) AS dec, "
                "DATE '2026-01-02' AS day, TIME '01:02:03' tm, TIMESTAMP '2026-01-02 03:04:05' ts, "
                "TIMESTAMPTZ '2026-01-02 03:04:05+00' tz, 'x' s, '00000000-0000-0000-0000-000000000001'::UUID u, "
                "'abc'::BLOB x, 'd'::BLOB bin, {'a b': 7} st, [1, NULL] li, MAP {'k': 1} m"),
          {});
  EXPECT_THAT(Rows("SELECT * FROM t"),
              ElementsAre(Row{"true", "1", "2", "1.5", "2.5", "1.25", "2026-01-02", "01:02:03", "2026-01-02 03:04:05",
                              "2026-01-02 03:04:05+00", "x", "00000000-0000-0000-0000-000000000001", "abc", "d",
                              "{'a b': 7}", "[1, NULL]", "{k=1}"}));
}

TEST_F(ViewSql, FilesOfDifferentShapesMatchByName) {  // C-25
  AddData(Write("narrow.parquet", "SELECT 1::INTEGER AS id, 'one' AS name"));
  AddData(Write("reordered.parquet", "SELECT 'two' AS name, 2::BIGINT AS id"));
  AddData(Write("without.parquet", "SELECT 3::BIGINT AS id"));
  AddData(Write("extra.parquet", "SELECT 4::BIGINT AS id, 'four' AS name, 9.5 AS not_shown"));
  EXPECT_THAT(Rows("SELECT id, name FROM t ORDER BY id"),
              ElementsAre(Row{"1", "one"}, Row{"2", "two"}, Row{"3", kNull}, Row{"4", "four"}));
  EXPECT_EQ(Rows("SELECT * FROM t").at(0).size(), 5u);
}

TEST_F(ViewSql, AFileWithNoColumnOfTheTableReadsAsNulls) {
  AddData(Write("other.parquet", "SELECT 1 AS something FROM range(3)"));
  EXPECT_THAT(Rows("SELECT count(*), count(id), count(etl_date) FROM t"), ElementsAre(Row{"3", "0", "3"}));
}

TEST_F(ViewSql, WidenedColumnsAreReadPromoted) {  // C-25
  state_.schema.fields = {Column(1, "i", Kind::kLong), Column(2, "f", Kind::kDouble),
                          Column(3, "d", Type::Decimal(18, 2)),
                          Column(4, "s", Type::Struct({Column(5, "a", Kind::kLong), Column(6, "b", Kind::kString)}))};
  state_.specs = {{0, {}}};
  AddData(Write("old.parquet", "SELECT 1::INTEGER i, 1.5::FLOAT f, 1.25::DECIMAL(5,2) d, {'a': 1::INTEGER} s"), {});
  AddData(Write("new.parquet",
                "SELECT 5000000000 i, 2.5::DOUBLE f, 12345678901234.25::DECIMAL(18,2) d, "
                "{'b': 'x', 'c': 1, 'a': 2::BIGINT} s"),
          {});
  EXPECT_THAT(Rows("SELECT * FROM t ORDER BY i"),
              ElementsAre(Row{"1", "1.5", "1.25", "{'a': 1, 'b': NULL}"},
                          Row{"5000000000", "2.5", "12345678901234.25", "{'a': 2, 'b': x}"}));
}

TEST_F(ViewSql, PartitionValuesAreConstantsOfTheirFiles) {  // C-26
  AddData(Write("a.parquet", "SELECT 1::BIGINT AS id"), {"v1", "__initial__", kNull});
  AddData(Write("b.parquet", "SELECT 2::BIGINT AS id"), {"v2", "2026-11-03", "03"});
  AddData(Write("c.parquet", "SELECT 3::BIGINT AS id"), {"v2", "2026-11-03", "04"});
  EXPECT_THAT(Rows("SELECT id, contract_version, etl_date, etl_hour FROM t ORDER BY id"),
              ElementsAre(Row{"1", "v1", "__initial__", kNull}, Row{"2", "v2", "2026-11-03", "03"},
                          Row{"3", "v2", "2026-11-03", "04"}));
  EXPECT_THAT(Rows("SELECT id FROM t WHERE etl_hour = '03'"), ElementsAre(Row{"2"}));
  EXPECT_THAT(Rows("SELECT id FROM t WHERE etl_hour IS NULL"), ElementsAre(Row{"1"}));
}

TEST_F(ViewSql, TheManifestWinsOverAColumnOfTheSameNameInTheFile) {  // C-26
  AddData(Write("a.parquet", "SELECT 1::BIGINT AS id, DATE '1999-01-01' AS etl_date, 3 AS \"ETL_HOUR\""));
  EXPECT_THAT(Rows("SELECT etl_date, etl_hour FROM t"), ElementsAre(Row{"2026-11-03", "03"}));
}

TEST_F(ViewSql, CompactedFilesHoldTheirDeliveryThemselves) {
  AddData(Write("a.parquet", "SELECT 1::BIGINT AS id"));
  AddData(Write("b.parquet",
                "SELECT 2::BIGINT AS id, 'v1' contract_version, '2026-10-01' etl_date, NULL::VARCHAR etl_hour"),
          {}, 1);
  EXPECT_THAT(Rows("SELECT id, etl_date, etl_hour FROM t ORDER BY id"),
              ElementsAre(Row{"1", "2026-11-03", "03"}, Row{"2", "2026-10-01", kNull}));
}

TEST_F(ViewSql, DeletedRowsAreNotThere) {
  const std::string a = Write("a.parquet", "SELECT i AS id FROM range(10) t(i)");
  const std::string b = Write("b.parquet", "SELECT i AS id FROM range(10, 20) t(i)");
  AddData(a);
  AddData(b, {"v2", "2026-11-03", "04"});
  AddDeletes(WriteDeletes("d.parquet", "(" + SqlText(a) + ", 0::BIGINT), (" + SqlText(a) + ", 9)"), a);
  EXPECT_THAT(Rows("SELECT count(*), min(id), max(id) FROM t WHERE id < 10"), ElementsAre(Row{"8", "1", "8"}));
  EXPECT_THAT(Rows("SELECT count(*) FROM t"), ElementsAre(Row{"18"}));
  EXPECT_THAT(Rows("SELECT count(*), any_value(etl_hour) FROM t WHERE id >= 10"), ElementsAre(Row{"10", "04"}));
}

TEST_F(ViewSql, PathsAsSparkSpellsThemAreReadAndTheirDeletesHold) {
  const std::string a = "file:" + Write("a.parquet", "SELECT i AS id FROM range(10) t(i)").substr(7);
  AddData(a);
  AddDeletes(WriteDeletes("d.parquet", "(" + SqlText(a) + ", 0::BIGINT)"), a);
  EXPECT_THAT(Rows("SELECT count(*), min(id) FROM t"), ElementsAre(Row{"9", "1"}));
}

TEST_F(ViewSql, OneDeleteFileMayNameManyDataFiles) {
  const std::string a = Write("a.parquet", "SELECT i AS id FROM range(10) t(i)");
  const std::string b = Write("b.parquet", "SELECT i AS id FROM range(10, 20) t(i)");
  AddData(a);
  AddData(b);
  AddDeletes(WriteDeletes("d.parquet", "(" + SqlText(a) + ", 3::BIGINT), (" + SqlText(b) + ", 3), ('file:///gone', 1)"),
             kNull);
  EXPECT_THAT(Rows("SELECT list(id ORDER BY id) FROM t WHERE id % 10 < 5"),
              ElementsAre(Row{"[0, 1, 2, 4, 10, 11, 12, 14]"}));
}

TEST_F(ViewSql, TwoDeleteFilesOfOneDataFileBothCount) {
  const std::string a = Write("a.parquet", "SELECT i AS id FROM range(5) t(i)");
  AddData(a);
  AddDeletes(WriteDeletes("d1.parquet", "(" + SqlText(a) + ", 1::BIGINT)"), a);
  AddDeletes(WriteDeletes("d2.parquet", "(" + SqlText(a) + ", 1::BIGINT), (" + SqlText(a) + ", 2)"), a);
  EXPECT_THAT(Rows("SELECT list(id ORDER BY id) FROM t"), ElementsAre(Row{"[0, 3, 4]"}));
}

TEST_F(ViewSql, AFileWhoseRowsAreAllDeletedShowsNone) {
  const std::string a = Write("a.parquet", "SELECT i AS id FROM range(2) t(i)");
  AddData(a);
  AddDeletes(WriteDeletes("d.parquet", "(" + SqlText(a) + ", 0::BIGINT), (" + SqlText(a) + ", 1)"), a);
  EXPECT_THAT(Rows("SELECT count(*) FROM t"), ElementsAre(Row{"0"}));
}

TEST_F(ViewSql, PositionsHoldAcrossRowGroupsAndFilters) {
  const std::string a = "file://" + (folder_ / "a.parquet").string();
  ASSERT_TRUE(db_.Execute("COPY (SELECT i AS id FROM range(100000) t(i)) TO " +
                          SqlText((folder_ / "a.parquet").string()) + " (ROW_GROUP_SIZE 2048)")
                  .ok());
  AddData(a);
  AddDeletes(Write("d.parquet", "SELECT " + SqlText(a) + " AS file_path, i AS pos FROM range(0, 100000, 3) t(i)"), a);
  EXPECT_THAT(Rows("SELECT count(*), count(*) FILTER (id % 3 = 0) FROM t WHERE id >= 60000"),
              ElementsAre(Row{"26666", "0"}));
}

TEST_F(ViewSql, UntouchedFilesAreReadWithoutAJoinAndTouchedOnesWithOne) {
  const std::string a = Write("a.parquet", "SELECT 1::BIGINT AS id");
  AddData(a);
  EXPECT_THAT(Plan("SELECT count(*) FROM t"), Not(HasSubstr("JOIN")));
  AddData(Write("b.parquet", "SELECT 2::BIGINT AS id"));
  AddDeletes(WriteDeletes("d.parquet", "(" + SqlText(a) + ", 0::BIGINT)"), a);
  EXPECT_THAT(*SelectSql(state_), HasSubstr("ANTI JOIN"));
  EXPECT_THAT(Rows("SELECT id FROM t"), ElementsAre(Row{"2"}));
}

TEST_F(ViewSql, FiltersAndProjectionsReachTheFiles) {
  AddData(Write("a.parquet", "SELECT 1::INTEGER AS id, 'x' AS name"));
  AddData(Write("b.parquet", "SELECT 2::BIGINT AS id, 'y' AS name"), {"v2", "2026-11-03", "04"});
  const std::string plan = Plan("SELECT name FROM t WHERE id > 1");
  EXPECT_THAT(plan, testing::AllOf(HasSubstr("Filters: id>1"), HasSubstr("Projections: name")));
  EXPECT_THAT(Plan("SELECT id FROM t WHERE etl_date = '1999-01-01'"), Not(HasSubstr("READ_PARQUET")));
}

TEST_F(ViewSql, MoreFilesThanOneScanTakesAllKeepTheirValues) {
  const size_t count = kFilesOfScan + 3;
  const std::string a = Write("a.parquet", "SELECT 1::BIGINT AS id");
  const std::string path = a.substr(7);
  for (size_t i = 0; i < count; ++i) {
    const std::filesystem::path link = folder_ / ("f" + std::to_string(i) + ".parquet");
    std::filesystem::create_hard_link(path, link);
    AddData("file://" + link.string(), {"v2", "2026-11-03", std::to_string(i)});
  }
  const std::string n = std::to_string(count);
  EXPECT_THAT(Rows("SELECT count(*), count(DISTINCT etl_hour), sum(etl_hour::INTEGER) FROM t"),
              ElementsAre(Row{n, n, std::to_string(count * (count - 1) / 2)}));
}

TEST_F(ViewSql, PathsAreLiteralWhateverTheyHold) {
  const std::string folder = "a b'c\"d [1] k=v é*?;x/etl_date=1999-01-01";
  const std::string odd = Write(folder + "/x[1].parquet", "SELECT 1::BIGINT AS id");
  Write(folder + "/x1.parquet", "SELECT 2::BIGINT AS id");
  AddData(odd);
  EXPECT_THAT(Rows("SELECT id, etl_date FROM t"), ElementsAre(Row{"1", "2026-11-03"}));
  const std::string bytes = WriteDeletes(folder + "/d[2].parquet", "(" + SqlText(odd) + ", 0::BIGINT)");
  AddDeletes(bytes, odd);
  EXPECT_THAT(Rows("SELECT id FROM t"), ElementsAre());
}

TEST_F(ViewSql, ABackslashInAPathIsReadOrRefusedNeverMisread) {
  AddData(Write("a\\b.parquet", "SELECT 1::BIGINT AS id"));
  EXPECT_THAT(Rows("SELECT id FROM t"), ElementsAre(Row{"1"}));
  AddData("file:///a\\[b].parquet");
  EXPECT_EQ(SelectSql(state_).status().code(), Code::kUnsupported);
}

TEST_F(ViewSql, AMissingFileIsAnErrorEvenWhereItsNameWouldMatchAnother) {
  Write("x1.parquet", "SELECT 2::BIGINT AS id");
  AddData("file://" + (folder_ / "x[1].parquet").string());
  const Status status = db_.Execute("CREATE OR REPLACE VIEW t AS " + *SelectSql(state_));
  EXPECT_FALSE(status.ok());
}

TEST_F(ViewSql, ColumnsMayHaveAnyName) {
  state_.specs = {{0, {}}};
  state_.schema.fields = {Column(1, "file_index", Kind::kLong), Column(2, "file_row_number", Kind::kLong),
                          Column(3, "filename", Kind::kString), Column(4, "a\"b'c", Kind::kLong),
                          Column(5, "select", Kind::kLong),     Column(6, "é ü", Kind::kLong)};
  const std::string a = Write("a.parquet",
                              "SELECT i + 70 AS file_index, i + 80 AS file_row_number, 'f' || i AS filename, "
                              "i AS \"a\"\"b'c\", i AS \"select\", i AS \"é ü\" FROM range(3) t(i)");
  AddData(a, {});
  AddDeletes(WriteDeletes("d.parquet", "(" + SqlText(a) + ", 1::BIGINT)"), a);
  EXPECT_THAT(Rows("SELECT * FROM t ORDER BY 1"),
              ElementsAre(Row{"70", "80", "f0", "0", "0", "0"}, Row{"72", "82", "f2", "2", "2", "2"}));
}

TEST_F(ViewSql, TheNameMappingSaysHowAColumnIsCalledInFiles) {
  state_.mapping = {{1, {"id", "old_id"}, {}}, {2, {"title"}, {}}};
  AddData(Write("old.parquet", "SELECT 1::INTEGER AS old_id, 'one' AS title, 'never' AS name"));
  AddData(Write("new.parquet", "SELECT 2::BIGINT AS id, 'two' AS title"));
  EXPECT_THAT(Rows("SELECT id, name FROM t ORDER BY id"), ElementsAre(Row{"1", "one"}, Row{"2", "two"}));
}

TEST_F(ViewSql, PartitionValuesAreTextWhateverTheyHold) {
  AddData(Write("a.parquet", "SELECT 1::BIGINT AS id"), {"v'2", "it''s], [", "\\"});
  AddData(Write("b.parquet", "SELECT 2::BIGINT AS id"), {"v2", "", kNull});
  EXPECT_THAT(Rows("SELECT contract_version, etl_date, etl_hour FROM t ORDER BY id"),
              ElementsAre(Row{"v'2", "it''s], [", "\\"}, Row{"v2", "", kNull}));
}

TEST_F(ViewSql, WhatCannotBeReadIsRefused) {
  for (const char* location : {"gs://bucket/a.parquet", "a.parquet", "s3://bucket/a[1].parquet"}) {
    AddData(location);
    EXPECT_EQ(SelectSql(state_).status().code(), Code::kUnsupported) << location;
    state_.files.data.clear();
  }
  AddData("file:///a.orc").format = "ORC";
  EXPECT_EQ(SelectSql(state_).status().code(), Code::kUnsupported);
  state_.files.data.clear();
  AddData("file:///a.parquet", {"v2"});
  EXPECT_EQ(SelectSql(state_).status().code(), Code::kCorruption);
  state_.files.data.clear();
  AddData("file:///a.parquet", {}, 7);
  EXPECT_EQ(SelectSql(state_).status().code(), Code::kCorruption);
  state_.files.data.clear();
  AddDeletes("file:///e.parquet", kNull);
  state_.files.position_deletes[0].file.content = table::FileContent::kEqualityDeletes;
  EXPECT_EQ(SelectSql(state_).status().code(), Code::kUnsupported);
}

TEST_F(ViewSql, ABrokenFileIsAnErrorThatNamesIt) {
  ASSERT_TRUE(
      db_.Execute("COPY (SELECT 'not parquet') TO " + SqlText((folder_ / "x.parquet").string()) + " (FORMAT csv)")
          .ok());
  AddData("file://" + (folder_ / "x.parquet").string());
  const Status made = db_.Execute("CREATE OR REPLACE VIEW t AS " + *SelectSql(state_));
  const Status status = made.ok() ? db_.Execute("SELECT * FROM t") : made;
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("x.parquet"));
}

}  // namespace
}  // namespace tidegate::query
