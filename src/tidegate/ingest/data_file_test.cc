#include "tidegate/ingest/data_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tidegate::ingest {
namespace {

using schema::Field;
using schema::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Field MakeField(int id, const std::string& name, schema::Type type) {
  Field field;
  field.id = id;
  field.name = name;
  field.type = std::move(type);
  return field;
}

template <typename T>
std::string Bytes(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

parquet::ColumnMetrics Metrics(std::string lower, std::string upper) {
  parquet::ColumnMetrics out;
  out.compressed_bytes = 40;
  out.value_count = 3;
  out.null_count = 1;
  out.lower_bound = std::move(lower);
  out.upper_bound = std::move(upper);
  return out;
}

schema::Schema OneColumn(const std::string& name, schema::Type type) {
  schema::Schema out;
  out.fields = {MakeField(7, name, std::move(type))};
  return out;
}

TEST(DataFileTest, AFileIsDescribedByColumnIds) {
  parquet::FileInfo info;
  info.rows = 3;
  info.size_bytes = 1234;
  info.split_offsets = {4, 600};
  info.metrics["id"] = Metrics(Bytes<int64_t>(1), Bytes<int64_t>(9));
  const auto file = DescribeDataFile(info, OneColumn("id", Kind::kLong), "memory:/x", {"v2", "2026-11-03", "03"});
  EXPECT_EQ(file.content, table::FileContent::kData);
  EXPECT_EQ(file.location, "memory:/x");
  EXPECT_THAT(file.partition, ElementsAre("v2", "2026-11-03", "03"));
  EXPECT_EQ(file.record_count, 3);
  EXPECT_EQ(file.file_size_bytes, 1234);
  EXPECT_THAT(file.split_offsets, ElementsAre(4, 600));
  EXPECT_THAT(file.column_sizes, ElementsAre(Pair(7, 40)));
  EXPECT_THAT(file.value_counts, ElementsAre(Pair(7, 3)));
  EXPECT_THAT(file.null_value_counts, ElementsAre(Pair(7, 1)));
  EXPECT_THAT(file.lower_bounds, ElementsAre(Pair(7, Bytes<int64_t>(1))));
  EXPECT_THAT(file.upper_bounds, ElementsAre(Pair(7, Bytes<int64_t>(9))));
}

TEST(DataFileTest, BoundsOfANarrowerFileAreWidenedToTheTablesType) {  // C-25
  parquet::FileInfo info;
  info.metrics["n"] = Metrics(Bytes<int32_t>(-2), Bytes<int32_t>(5));
  const auto file = DescribeDataFile(info, OneColumn("n", Kind::kLong), "x", {});
  EXPECT_THAT(file.lower_bounds, ElementsAre(Pair(7, Bytes<int64_t>(-2))));
  EXPECT_THAT(file.upper_bounds, ElementsAre(Pair(7, Bytes<int64_t>(5))));
  info.metrics["n"] = Metrics(Bytes<float>(-0.5F), Bytes<float>(1.5F));
  const auto wide = DescribeDataFile(info, OneColumn("n", Kind::kDouble), "x", {});
  EXPECT_THAT(wide.lower_bounds, ElementsAre(Pair(7, Bytes<double>(-0.5))));
  EXPECT_THAT(wide.upper_bounds, ElementsAre(Pair(7, Bytes<double>(1.5))));
}

TEST(DataFileTest, BoundsOfTheTablesOwnTypeStayAsTheyAre) {
  parquet::FileInfo info;
  info.metrics["s"] = Metrics("abcd", "wxyz");  // four bytes, as an int has
  const auto file = DescribeDataFile(info, OneColumn("s", Kind::kString), "x", {});
  EXPECT_THAT(file.lower_bounds, ElementsAre(Pair(7, "abcd")));
}

TEST(DataFileTest, WhatIsUnknownIsLeftOut) {
  parquet::FileInfo info;
  info.metrics["id"].value_count = 3;
  info.metrics["not in the table"].value_count = 3;
  const auto file = DescribeDataFile(info, OneColumn("id", Kind::kLong), "x", {});
  EXPECT_THAT(file.value_counts, ElementsAre(Pair(7, 3)));
  EXPECT_THAT(file.null_value_counts, IsEmpty());
  EXPECT_THAT(file.lower_bounds, IsEmpty());
  EXPECT_THAT(file.upper_bounds, IsEmpty());
}

TEST(DataFileTest, LeavesOfStructsAreFoundByTheirPath) {
  parquet::FileInfo info;
  info.metrics["address.city"] = Metrics("A", "Z");
  const auto type = schema::Type::Struct({MakeField(8, "city", Kind::kString)});
  const auto file = DescribeDataFile(info, OneColumn("address", type), "x", {});
  EXPECT_THAT(file.lower_bounds, ElementsAre(Pair(8, "A")));
}

}  // namespace
}  // namespace tidegate::ingest
