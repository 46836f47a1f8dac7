#include "tidegate/athena/unload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::athena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(UnloadTest, TheStatementHoldsTheSelectOnLinesOfItsOwn) {
  const auto statement = UnloadStatement({.select = "SELECT 1 AS a -- one", .to = "s3://b/it's/run=1/"});
  ASSERT_TRUE(statement.ok()) << statement.status().ToString();
  EXPECT_EQ(
      *statement,
      "UNLOAD (\nSELECT 1 AS a -- one\n) TO 's3://b/it''s/run=1/' WITH (format = 'PARQUET', compression = 'SNAPPY')");
}

TEST(UnloadTest, WhatAthenaDoesNotWriteIsRefused) {
  EXPECT_THAT(UnloadStatement({.select = "x", .to = "s3://b/", .compression = "none"}).status().message(),
              HasSubstr("snappy or zstd"));
  EXPECT_THAT(UnloadStatement({.select = "x", .to = "file:///b/"}).status().message(), HasSubstr("S3 alone"));
}

TEST(UnloadTest, AManifestIsALocationALine) {
  const auto files = ReadManifest("s3://b/run=1/b\r\n\"s3://b/run=1/a\"\n\n");
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  EXPECT_THAT(*files, ElementsAre("s3://b/run=1/a", "s3://b/run=1/b"));
  EXPECT_TRUE(ReadManifest("")->empty());
}

TEST(UnloadTest, AManifestOfSomethingElseIsRefused) {
  EXPECT_EQ(ReadManifest("<html>").status().code(), Code::kCorruption);
  EXPECT_THAT(ReadManifest("s3://b/a\ns3://b/a\n").status().message(), HasSubstr("twice"));
}

}  // namespace
}  // namespace tidegate::athena
