// Query results as Arrow C streams, read back by Arrow.
#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::engine {
namespace {

using testing::HasSubstr;

class DuckDbStream : public testing::Test {
 protected:
  std::shared_ptr<arrow::RecordBatchReader> Open(const std::string& sql) {
    ArrowArrayStream stream = {};
    const Status status = db_.Stream(sql, &stream);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return arrow::ImportRecordBatchReader(&stream).ValueOrDie();
  }

  std::shared_ptr<arrow::Table> Read(const std::string& sql) { return Open(sql)->ToTable().ValueOrDie(); }

  DuckDb db_ = std::move(DuckDb::Open(":memory:", {})).value();
};

TEST_F(DuckDbStream, TypesArriveAsArrowsOwn) {
  const auto schema =
      Read(
          "SELECT true AS b, 1::TINYINT AS i8, 1::INTEGER AS i32, 1::BIGINT AS i64, 1::UBIGINT AS u64, 1.5::FLOAT AS "
          "f, "
          "1.5::DOUBLE AS d, 1.5::DECIMAL(9,2) AS dec, 'x' AS s, 'x'::BLOB AS bin, DATE '2026-01-01' AS day, "
          "TIME '01:02:03' AS tm, TIMESTAMP '2026-01-01' AS ts, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS tz, "
          "[1] AS l, {'a': 1} AS st, MAP {'k': 1} AS m")
          ->schema();
  const std::vector<std::string> expected = {"bool",          "int8",
                                             "int32",         "int64",
                                             "uint64",        "float",
                                             "double",        "decimal128(9, 2)",
                                             "string",        "binary",
                                             "date32[day]",   "time64[us]",
                                             "timestamp[us]", "timestamp[us, tz=UTC]"};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(schema->field(static_cast<int>(i))->type()->ToString(), expected[i]);
  }
  EXPECT_EQ(schema->GetFieldByName("l")->type()->id(), arrow::Type::LIST);
  EXPECT_EQ(schema->GetFieldByName("st")->type()->id(), arrow::Type::STRUCT);
  EXPECT_EQ(schema->GetFieldByName("m")->type()->id(), arrow::Type::MAP);
}

TEST_F(DuckDbStream, EveryRowArrivesInOrderWithItsNulls) {
  const auto table =
      Read("SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'v' || i END AS s FROM range(100000) t(i) ORDER BY i");
  ASSERT_EQ(table->num_rows(), 100000);
  EXPECT_TRUE(table->ValidateFull().ok());
  for (int64_t row = 0; row < table->num_rows(); row += 997) {
    const auto i = table->column(0)->GetScalar(row).ValueOrDie();
    EXPECT_EQ(i->ToString(), std::to_string(row));
    const auto s = table->column(1)->GetScalar(row).ValueOrDie();
    EXPECT_EQ(s->ToString(), row % 3 == 0 ? "null" : "v" + std::to_string(row));
  }
}

TEST_F(DuckDbStream, AnEmptyResultHasASchemaAndNoRows) {
  const auto table = Read("SELECT 1 AS a, 'x' AS b WHERE false");
  EXPECT_EQ(table->num_rows(), 0);
  EXPECT_EQ(table->schema()->field_names(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(DuckDbStream, AQueryThatCannotStartFailsAtOnce) {
  ArrowArrayStream stream = {};
  EXPECT_EQ(db_.Stream("SELECT nope", &stream).code(), Code::kInvalidArgument);
  EXPECT_EQ(stream.release, nullptr);
}

TEST_F(DuckDbStream, AnErrorInTheMiddleComesWithDuckDbsWords) {
  const auto reader = Open("SELECT CASE WHEN i = 900000 THEN 'oops' ELSE '1' END::INTEGER FROM range(1000000) t(i)");
  const auto table = reader->ToTable();
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.status().ToString(), HasSubstr("oops"));
}

TEST_F(DuckDbStream, InterruptEndsAStreamWithAnError) {
  const auto reader = Open("SELECT * FROM range(1000000000000)");
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(reader->ReadNext(&batch).ok());
  db_.Interrupt();
  const auto table = reader->ToTable();
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.status().ToString(), HasSubstr("stopped on request"));
}

TEST_F(DuckDbStream, ALaterQueryEndsAStreamWithAnErrorNeverEarly) {
  const auto reader = Open("SELECT * FROM range(10000000)");
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(reader->ReadNext(&batch).ok());
  ASSERT_TRUE(db_.Execute("SELECT 1").ok());
  const arrow::Status status = reader->ReadNext(&batch);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.ToString(), HasSubstr("another query"));
}

TEST_F(DuckDbStream, ReleasedHalfwayLeavesTheDatabaseUsable) {
  {
    const auto reader = Open("SELECT * FROM range(10000000)");
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
  }
  EXPECT_EQ(db_.QueryAll("SELECT 42")->at(0).at(0), "42");
}

}  // namespace
}  // namespace tidegate::engine
