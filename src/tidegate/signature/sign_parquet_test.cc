#include "tidegate/signature/sign_parquet.h"

#include <arrow/array/array_base.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "tidegate/parquet/test_objects.h"
#include "tidegate/signature/test_signing.h"

namespace tidegate::signature {
namespace {

using parquet::FromJson;
using parquet::MakeFile;
using testing::HasSubstr;

/// Rows of every kind, with nulls, in more than one page and row group.
std::string WideQuery() {
  return "SELECT i, i::DOUBLE / 4 d, CASE WHEN i % 7 = 0 THEN NULL ELSE (i % 1000)::DECIMAL(9,2) / 4 END m, 'name ' || "
         "(i % 11) s, "
         "CASE WHEN i % 3 = 0 THEN NULL ELSE repeat('long', (i % 90)::INT) END l, DATE '2026-01-01' + (i % 365)::INT "
         "t, "
         "i % 2 = 0 b, CASE WHEN i % 5 = 0 THEN NULL ELSE {'x': i, 'y': [i % 3]} END n, encode('b' || (i % 300)) e "
         "FROM range(30000) r(i)";
}

TEST(SignParquet, PagesDictionariesAndCodecsDoNotCount) {
  Signers signers;
  const std::string expected = signers.Sign(WideQuery());
  for (const char* options :
       {"ROW_GROUP_SIZE 2048", "COMPRESSION zstd", "COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1",
        "PARQUET_VERSION V2", "PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1, ROW_GROUP_SIZE 5000"}) {
    const Status written =
        signers.db().Execute("COPY (" + WideQuery() + ") TO " + engine::SqlText(signers.Path("wide.parquet")) +
                             " (FORMAT parquet, " + options + ")");
    ASSERT_TRUE(written.ok()) << written.ToString();
    for (const size_t threads : {1, 3})
      EXPECT_EQ(signers.ByParquet({"wide.parquet"}, {.threads = threads}), expected) << options;
  }
}

/// Numbers of every type and length, each with and without nulls; no dictionary pays for most of them.
std::string NumbersQuery() {
  const char* const numbers[] = {
      // of x, a number of any length up to 64 bits, and s, a sign
      "(x % 128 * s)::TINYINT",
      "(x % 2147483648 * s)::INT",
      "(x % 9223372036854775808 * s)::BIGINT",
      "(x % 4294967296)::UINTEGER",
      "x::UBIGINT",
      "(x % 1125899906842624 * s)::DOUBLE",
      "(x * s)::DOUBLE / 3",
      "(x * s)::FLOAT",
      "(x % 100000 * s)::FLOAT",
      "((x % 10000000 * s)::DECIMAL(7,0) * 0.01::DECIMAL(2,2))::DECIMAL(9,2)",
      "((x % 100000000000000 * s)::DECIMAL(14,0) * 0.001::DECIMAL(3,3))::DECIMAL(18,3)",
      "((x % 1000000000 * s)::DECIMAL(9,0) * 0.000000001::DECIMAL(9,9))::DECIMAL(18,9)",
      "DATE '1970-01-01' + (x % 700000 * s)::INT",
      "make_timestamp((x % 9000000000000000 * s)::BIGINT)",
      "make_timestamp((x % 9000000000000000 * s)::BIGINT)::TIMESTAMP_MS",
      "make_timestamp_ns((x % 9000000000000000000 * s)::BIGINT)",
      "TIME '00:00:00' + to_microseconds((x % 86400000000)::BIGINT)",
  };
  std::string columns;
  int column = 0;
  for (const std::string number : numbers) {
    const std::string name = std::to_string(column++);
    columns += number + " AS a" + name + ", CASE WHEN x % 5 > 1 THEN " + number + " END AS b" + name + ", ";
  }
  return "SELECT " + columns +
         "i FROM (SELECT i, (hash(i, 1) >> (hash(i, 2) % 64))::HUGEINT x, CASE hash(i, 3) % 3 WHEN 0 THEN -1 ELSE 1 "
         "END "
         "s FROM range(9001) r(i))";
}

TEST(SignParquet, NumbersOfAnyLengthInManyRows) {
  Signers signers;
  signers.Sign(NumbersQuery());
}

/// A dictionary that Arrow gives up in the middle of a column chunk, in small pages.
TEST(SignParquet, DictionariesThatEndInTheMiddle) {
  Signers signers;
  std::string json = "[";
  for (int i = 0; i < 5000; ++i)
    json += (i == 0 ? "" : ",") +
            (i % 9 == 0 ? "null" : "\"" + std::string(static_cast<size_t>(i % 40), 'v') + std::to_string(i / 2) + "\"");
  json += "]";
  const auto column = FromJson(arrow::utf8(), json);
  const auto write = [&](int64_t dictionary_bytes, int64_t page_bytes, ::parquet::ParquetDataPageVersion version) {
    ::parquet::WriterProperties::Builder properties;
    properties.dictionary_pagesize_limit(dictionary_bytes)
        ->data_pagesize(page_bytes)
        ->write_batch_size(64)
        ->data_page_version(version);
    return MakeFile({{"x", column}, {"y", column}}, {.properties = properties.build()});
  };
  using Version = ::parquet::ParquetDataPageVersion;
  const std::string expected = signers.Sign(RowSet::Files({write(1 << 20, 1 << 20, Version::V1)}));
  EXPECT_EQ(signers.Sign(RowSet::Files({write(2000, 500, Version::V1)})), expected);
  EXPECT_EQ(signers.Sign(RowSet::Files({write(2000, 700, Version::V2)})), expected);
}

TEST(SignParquet, LeavesColumnsOut) {
  Signers signers;
  signers.WriteFile(
      "a", MakeFile({{"x", FromJson(arrow::int64(), "[1, 2]")}, {"load_time", FromJson(arrow::int64(), "[7, 8]")}}));
  signers.WriteFile("b", MakeFile({{"x", FromJson(arrow::int64(), "[1, 2]")}}));
  EXPECT_NE(signers.ByParquet({"a"}), signers.ByParquet({"b"}));
  EXPECT_EQ(signers.ByParquet({"a"}, {.leave_out = {"load_time"}}), signers.ByParquet({"b"}));
  EXPECT_EQ(signers.ByParquet({"b"}, {.leave_out = {"no such column"}}), signers.ByParquet({"b"}));
}

TEST(SignParquet, FilesOfDifferentColumnsAreRefused) {
  Signers signers;
  signers.WriteFile("a", MakeFile({{"x", FromJson(arrow::int64(), "[1]")}}));
  signers.WriteFile("b", MakeFile({{"y", FromJson(arrow::int64(), "[1]")}}));
  const auto signature = signers.SignFiles({"a", "b"});
  ASSERT_FALSE(signature.ok());
  EXPECT_EQ(signature.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(signature.status().message(), testing::AllOf(HasSubstr("'b'"), HasSubstr("other names")));
  EXPECT_EQ(signers.SignFiles({}).status().code(), Code::kInvalidArgument);
}

TEST(SignParquet, ATypeWithoutATextIsRefusedWithTheColumn) {
  Signers signers;
  for (const char* type : {"INTERVAL", "INTERVAL[]", "STRUCT(a INTEGER, b INTERVAL)"}) {
    ASSERT_TRUE(signers.db()
                    .Execute("COPY (SELECT 1 id, NULL::" + std::string(type) + " span) TO " +
                             engine::SqlText(signers.Path("i.parquet")))
                    .ok());
    const auto signature = signers.SignFiles({"i.parquet"});
    ASSERT_FALSE(signature.ok());
    EXPECT_EQ(signature.status().code(), Code::kUnsupported);
    EXPECT_THAT(signature.status().message(),
                testing::AllOf(HasSubstr("span"), HasSubstr("i.parquet"), HasSubstr("leave the column out")))
        << type;
    EXPECT_TRUE(signers.SignFiles({"i.parquet"}, {.leave_out = {"span"}}).ok());
  }
}

TEST(SignParquet, StopsOnRequest) {
  Signers signers;
  signers.WriteFile("a", MakeFile({{"x", FromJson(arrow::int64(), "[1]")}}));
  CancelFlag cancel;
  cancel.Cancel();
  EXPECT_EQ(signers.SignFiles({"a"}, {.threads = 2, .cancel = &cancel}).status().code(), Code::kCancelled);
}

TEST(SignParquet, AFileThatIsGoneIsTheStoresError) {
  Signers signers;
  signers.WriteFile("a", MakeFile({{"x", FromJson(arrow::int64(), "[1]")}}));
  EXPECT_EQ(signers.SignFiles({"a", "gone"}).status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace tidegate::signature
