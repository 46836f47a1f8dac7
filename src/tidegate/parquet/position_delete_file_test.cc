#include "tidegate/parquet/position_delete_file.h"

#include <arrow/array/array_base.h>
#include <arrow/io/memory.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "tidegate/parquet/file_info.h"
#include "tidegate/parquet/test_objects.h"

namespace tidegate::parquet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kDataFile[] = "file:///lake/shop/orders/data/part é.parquet";

std::string Write(const std::vector<int64_t>& positions) {
  Finished finished;
  BytesWriter writer("deletes.parquet", finished);
  const Status status = WritePositionDeletes(kDataFile, positions, writer);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return writer.bytes();
}

Result<std::map<std::string, std::vector<int64_t>>> Read(const std::string& bytes) {
  BytesReader reader(bytes, "deletes.parquet");
  return ReadPositionDeletes(reader);
}

TEST(PositionDeleteFileTest, WhatWasWrittenIsReadBack) {
  const auto deletes = Read(Write({0, 3, 1'000'000'000'000}));
  ASSERT_TRUE(deletes.ok()) << deletes.status().ToString();
  EXPECT_THAT(*deletes, ElementsAre(Pair(kDataFile, ElementsAre(0, 3, 1'000'000'000'000))));
}

TEST(PositionDeleteFileTest, MoreRowsThanOneRowGroupHolds) {
  std::vector<int64_t> positions(1'200'000);
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(3 * i);
  const std::string bytes = Write(positions);
  const auto deletes = Read(bytes);
  ASSERT_TRUE(deletes.ok());
  EXPECT_EQ(deletes->at(kDataFile), positions);
  EXPECT_LT(bytes.size(), 5'000'000u);
}

TEST(PositionDeleteFileTest, TheColumnsAreTheSpecsWithItsFieldIds) {
  const std::string bytes = Write({1, 2});
  const auto file =
      ::parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
  const ::parquet::schema::GroupNode& root = *file->metadata()->schema()->group_node();
  ASSERT_EQ(root.field_count(), 2);
  EXPECT_EQ(root.field(0)->name(), "file_path");
  EXPECT_EQ(root.field(0)->field_id(), 2147483546);
  EXPECT_TRUE(root.field(0)->is_required());
  EXPECT_TRUE(root.field(0)->logical_type()->is_string());
  EXPECT_EQ(root.field(1)->name(), "pos");
  EXPECT_EQ(root.field(1)->field_id(), 2147483545);
  EXPECT_TRUE(root.field(1)->is_required());
  EXPECT_LT(bytes.size(), 2'000u);  // tiny files are cheap
}

TEST(PositionDeleteFileTest, FilesOfOtherEnginesAreReadWhateverTheirOrder) {
  const std::string bytes = MakeFile({{"row", FromJson(arrow::struct_({arrow::field("id", arrow::int32())}),
                                                       R"([{"id": 1}, null, null, null, null])")},
                                      {"pos", FromJson(arrow::int64(), "[9, 2, 9, 1, 2]")},
                                      {"file_path", FromJson(arrow::utf8(), R"(["b", "b", "a", "b", "b"])")}});
  const auto deletes = Read(bytes);
  ASSERT_TRUE(deletes.ok()) << deletes.status().ToString();
  EXPECT_THAT(*deletes, ElementsAre(Pair("a", ElementsAre(9)), Pair("b", ElementsAre(1, 2, 9))));
}

TEST(PositionDeleteFileTest, OtherFilesAreRefused) {
  const auto path = FromJson(arrow::utf8(), R"(["a"])");
  EXPECT_EQ(Read(MakeFile({{"file_path", path}})).status().code(), Code::kCorruption);
  EXPECT_EQ(Read(MakeFile({{"file_path", path}, {"pos", FromJson(arrow::int32(), "[1]")}})).status().code(),
            Code::kCorruption);
  const Status negative = Read(MakeFile({{"file_path", path}, {"pos", FromJson(arrow::int64(), "[-1]")}})).status();
  EXPECT_EQ(negative.code(), Code::kCorruption);
  EXPECT_THAT(negative.message(), HasSubstr("deletes.parquet"));
  EXPECT_EQ(Read(MakeFile({{"file_path", path}, {"pos", FromJson(arrow::int64(), "[null]")}})).status().code(),
            Code::kCorruption);
}

TEST(PositionDeleteFileTest, PositionsOutOfOrderAreABugOfTheCaller) {
  Finished finished;
  BytesWriter writer("d", finished);
  for (const std::vector<int64_t>& positions : {std::vector<int64_t>{}, {2, 1}, {1, 1}, {-1, 0}}) {
    EXPECT_EQ(WritePositionDeletes(kDataFile, positions, writer).code(), Code::kInternal);
  }
}

TEST(PositionDeleteFileTest, AnErrorOfTheStoreIsHandedOn) {
  Finished finished;
  BytesWriter writer("d", finished);
  writer.FailAfter(100, Unavailable("append: 'd': try again"));
  EXPECT_EQ(WritePositionDeletes(kDataFile, {1, 2, 3}, writer), Unavailable("append: 'd': try again"));
}

}  // namespace
}  // namespace tidegate::parquet
