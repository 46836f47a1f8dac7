#include "tidegate/parquet/reject_file.h"

#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "tidegate/parquet/file_info.h"
#include "tidegate/parquet/test_objects.h"

namespace tidegate::parquet {
namespace {

std::string Write(const std::vector<RejectedRow>& rows) {
  Finished finished;
  BytesWriter writer("rejects.parquet", finished);
  const Status status = WriteRejects(rows, writer);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return writer.bytes();
}

TEST(RejectFileTest, NamesFolderFileRowAndReasonOfEachRow) {  // C-23
  const std::string bytes =
      Write({{"v2/shop/lines/etl_date=2026-11-03/etl_hour=03", "0000_part_00.parquet", 7, "null key"}});
  BytesReader reader(bytes, "rejects.parquet");
  const auto info = ReadFileInfo(reader);
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  ASSERT_EQ(info->columns.size(), 4u);
  EXPECT_EQ(info->columns[0].name, "folder");
  EXPECT_EQ(info->columns[1].name, "file");
  EXPECT_EQ(info->columns[2].name, "row");
  EXPECT_EQ(info->columns[3].name, "reason");
  EXPECT_EQ(info->rows, 1);
  const auto file =
      ::parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
  const auto column = file->RowGroup(0)->Column(2);
  int64_t row = 0;
  int64_t read = 0;
  static_cast<::parquet::Int64Reader*>(column.get())->ReadBatch(1, nullptr, nullptr, &row, &read);
  EXPECT_EQ(row, 7);
}

TEST(RejectFileTest, TheSameRowsGiveTheSameBytes) {
  const std::vector<RejectedRow> rows(1000, {"folder", "file", 1, "null key"});
  EXPECT_EQ(Write(rows), Write(rows));
}

}  // namespace
}  // namespace tidegate::parquet
