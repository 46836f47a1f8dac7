#include "tidegate/catalog/location.h"

#include <gtest/gtest.h>

namespace tidegate::catalog {
namespace {

TEST(LocationTest, FindsTheFolderOfALocation) {
  EXPECT_EQ(FolderOf("s3://b/t", "s3://b/t/day=1/"), "day=1");
  EXPECT_EQ(FolderOf("s3://b/t/", "s3a://b/t/day=1"), "day=1");
  EXPECT_EQ(FolderOf("s3://b/t", "s3://b/t"), "");
  EXPECT_EQ(FolderOf("file:///d/t", "file:/d/t/day=1"), "day=1");
  EXPECT_EQ(FolderOf("s3://b/t", "s3://b/t2/day=1"), std::nullopt);
  EXPECT_EQ(FolderOf("s3://b/t", "s3://b"), std::nullopt);
  EXPECT_EQ(FolderOf("s3://b/t", ""), std::nullopt);
}

TEST(LocationTest, OnePlaceHasSeveralSpellings) {
  EXPECT_TRUE(SamePlace("s3://b/t", "s3://b/t/"));
  EXPECT_TRUE(SamePlace("s3n://b/t", "s3a://b/t"));
  EXPECT_TRUE(SamePlace("file:/d", "file:///d/"));
  EXPECT_FALSE(SamePlace("s3://b/t", "s3://b/T"));
  EXPECT_FALSE(SamePlace("s3://b/t", "s3://b/t/day=1"));
  EXPECT_FALSE(SamePlace("s3://b/t", "gs://b/t"));
}

}  // namespace
}  // namespace tidegate::catalog
