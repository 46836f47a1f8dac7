#include "tidegate/ingest/staged_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/test_watched_store.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::ingest {
namespace {

using contract::Folder;
using contract::TableMode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

const Folder kHour3{{"shop", "orders"}, TableMode::kParts, DeliveryOf("v2/2026-11-03/03")};
const std::string kPath = kHour3.Path();

class StagedFolderTest : public ::testing::Test {
 protected:
  Result<StagedFolder> Stage() { return StageFrom(bucket_.store()); }
  Result<StagedFolder> StageFrom(store::ObjectStore& bucket) {
    TG_ASSIGN_OR_RETURN(const SourceFolder seen, InspectFolder(bucket, lake_.store(), kHour3, where_));
    return StageFolder(bucket, lake_.store(), seen);
  }
  std::string BytesInLake(const StagedFile& file) { return *lake_.store().Read(file.object.key, 1'000'000); }

  TestBucket bucket_;
  TestLake lake_;
  Inspect where_ = Inspect::kInLake;
};

TEST_F(StagedFolderTest, AFileIsAdoptedByteForByte) {  // C-28
  bucket_.Deliver(kPath, R"([[1, "a", 10], [2, "b", 20]])");
  const auto staged = Stage();
  ASSERT_TRUE(staged.ok()) << staged.status().ToString();
  ASSERT_EQ(staged->files.size(), 1u);
  EXPECT_FALSE(staged->files[0].rewritten);
  EXPECT_EQ(staged->rows(), 2);
  EXPECT_EQ(BytesInLake(staged->files[0]), OrderRows(R"([[1, "a", 10], [2, "b", 20]])"));
}

TEST_F(StagedFolderTest, ItsNameInTheLakeTellsFolderAndSource) {
  const store::ObjectInfo source{kPath + "/0000_part_00.parquet", 10, "e1", {}};
  EXPECT_THAT(LakeFileKey(kHour3, source),
              MatchesRegex("shop/orders/data/v2/2026-11-03/03/0000_part_00-[0-9a-f]{16}\\.parquet"));
  EXPECT_EQ(LakeFileKey(kHour3, source), LakeFileKey(kHour3, source));
  for (const store::ObjectInfo& other :
       {store::ObjectInfo{source.key, 10, "e2", {}}, store::ObjectInfo{source.key, 11, "e1", {}}}) {
    EXPECT_NE(LakeFileKey(kHour3, source), LakeFileKey(kHour3, other));
  }
}

TEST_F(StagedFolderTest, NamesThatDifferOnlyInStrangeCharactersStayApart) {  // C-6: any name may be delivered
  const std::string a = LakeFileKey(kHour3, {kPath + "/a b.parquet", 1, "e", {}});
  const std::string b = LakeFileKey(kHour3, {kPath + "/a%b.parquet", 1, "e", {}});
  EXPECT_THAT(a, HasSubstr("/a_b-"));
  EXPECT_NE(a, b);
  const std::string longest = LakeFileKey(kHour3, {kPath + "/" + std::string(900, 'x') + ".parquet", 1, "e", {}});
  EXPECT_LT(longest.size(), 200u);
}

TEST_F(StagedFolderTest, StagingAgainEndsInTheSameObjects) {  // C-27
  bucket_.Deliver(kPath, R"([[1, "a", 10]])");
  ASSERT_TRUE(Stage().ok());
  const auto before = lake_.DataObjects();
  ASSERT_TRUE(Stage().ok());
  ASSERT_EQ(lake_.DataObjects().size(), 1u);
  EXPECT_EQ(lake_.DataObjects().begin()->first, before.begin()->first);
}

TEST_F(StagedFolderTest, AReplacedSourceNeverOverwritesAnAppliedFile) {  // C-14
  bucket_.Deliver(kPath, R"([[1, "a", 10]])");
  ASSERT_TRUE(Stage().ok());
  const auto before = lake_.DataObjects();
  bucket_.Deliver(kPath, R"([[1, "b", 10]])");
  ASSERT_TRUE(Stage().ok());
  EXPECT_EQ(lake_.DataObjects().size(), 2u);
  EXPECT_EQ(lake_.DataObjects()[before.begin()->first], before.begin()->second);
}

TEST_F(StagedFolderTest, AReservedColumnIsLeftOutOfARewrittenFile) {  // C-26, A-7
  const std::string bytes = parquet::MakeRows(
      {{"id", arrow::int64()}, {"ETL_date", arrow::utf8()}, {"snapshot_date", arrow::utf8()}}, R"([[1, "x", "y"]])");
  bucket_.Put(kPath + "/0000_part_00.parquet", bytes);
  bucket_.Seal(kPath);
  const auto staged = Stage();
  ASSERT_TRUE(staged.ok()) << staged.status().ToString();
  const StagedFile& file = staged->files[0];
  EXPECT_TRUE(file.rewritten);
  EXPECT_THAT(file.reserved_columns, ElementsAre("ETL_date"));
  EXPECT_THAT(parquet::RowsAsText(BytesInLake(file), {"id", "ETL_date", "snapshot_date"}), ElementsAre("1|null|y"));
  EXPECT_EQ(file.info.columns.size(), 2u);
  EXPECT_EQ(file.info.size_bytes, file.object.size_bytes);
}

TEST_F(StagedFolderTest, MillisecondsAreRewrittenAsMicroseconds) {  // C-28
  bucket_.Put(kPath + "/0000_part_00.parquet",
              parquet::MakeRows({{"at", arrow::timestamp(arrow::TimeUnit::MILLI)}}, "[[1500]]"));
  bucket_.Seal(kPath);
  const auto staged = Stage();
  ASSERT_TRUE(staged.ok()) << staged.status().ToString();
  EXPECT_TRUE(staged->files[0].rewritten);
  EXPECT_TRUE(staged->files[0].info.obstacles.empty());
  EXPECT_THAT(parquet::RowsAsText(BytesInLake(staged->files[0]), {"at"}), ElementsAre("1970-01-01 00:00:01.500000"));
}

TEST_F(StagedFolderTest, AFileCostsTheBucketOneRequest) {
  bucket_.Deliver(kPath, R"([[1, "a", 10]])");
  store::MeteredObjectStore bucket(bucket_.shared());
  store::MeteredObjectStore lake(lake_.shared());
  const auto seen = InspectFolder(bucket, lake, kHour3, Inspect::kInLake);
  ASSERT_TRUE(seen.ok() && StageFolder(bucket, lake, *seen).ok());
  EXPECT_EQ(bucket.Snapshot().lists, 1u);
  EXPECT_EQ(bucket.Snapshot().all.opens, 1u);  // by the one adoption
  EXPECT_EQ(lake.Snapshot().all.adopts, 1u);
}

TEST_F(StagedFolderTest, WhatIsLookedAtInTheBucketLeavesNothingInTheLake) {
  bucket_.Deliver(kPath, R"([[1, "a", 10]])");
  ASSERT_TRUE(InspectFolder(bucket_.store(), lake_.store(), kHour3, Inspect::kInBucket).ok());
  EXPECT_THAT(lake_.DataObjects(), IsEmpty());
  where_ = Inspect::kInBucket;
  ASSERT_TRUE(Stage().ok());
  const auto objects = lake_.DataObjects();
  where_ = Inspect::kInLake;
  ASSERT_TRUE(Stage().ok());
  EXPECT_EQ(lake_.DataObjects().begin()->first, objects.begin()->first);
}

TEST_F(StagedFolderTest, TheCopyOfARewrittenFileGoesUnlessItWasThereBefore) {
  bucket_.Put(kPath + "/0000_part_00.parquet",
              parquet::MakeRows({{"at", arrow::timestamp(arrow::TimeUnit::MILLI)}}, "[[1500]]"));
  bucket_.Seal(kPath);
  const auto staged = Stage();
  ASSERT_TRUE(staged.ok());
  EXPECT_EQ(lake_.DataObjects().size(), 1u);
  const std::string copy = DeliveredFileKey(kHour3, staged->files[0].source);
  ASSERT_TRUE(lake_.store().Put(copy, "of an earlier version", store::PutMode::kOverwrite).ok());
  ASSERT_TRUE(Stage().ok());
  EXPECT_EQ(lake_.DataObjects().size(), 2u);
}

TEST_F(StagedFolderTest, ACopyThatAnotherIngestRemovesIsReadFromTheBucket) {
  bucket_.Deliver(kPath, R"([[1, "a", 10]])");
  WatchedStore lake(lake_.store(), [&](const WatchedStore::Call& call) {
    if (call.kind == WatchedStore::Kind::kOpen) {
      EXPECT_TRUE(lake_.store().Delete({call.key}).ok());
    }
  });
  const auto seen = InspectFolder(bucket_.store(), lake, kHour3, Inspect::kInLake);
  ASSERT_TRUE(seen.ok()) << seen.status().ToString();
  EXPECT_EQ(seen->rows(), 1);
  const auto staged = StageFolder(bucket_.store(), lake_.store(), *seen);
  ASSERT_TRUE(staged.ok()) << staged.status().ToString();
  EXPECT_EQ(BytesInLake(staged->files[0]), OrderRows(R"([[1, "a", 10]])"));
}

TEST_F(StagedFolderTest, AnUnsealedFolderIsNotStaged) {  // C-10
  bucket_.Put(kPath + "/0000_part_00.parquet", OrderRows(R"([[1, "a", 10]])"));
  EXPECT_EQ(Stage().status().code(), Code::kPreconditionFailed);
  EXPECT_THAT(lake_.DataObjects(), IsEmpty());
}

TEST_F(StagedFolderTest, ASealedFolderWithoutFilesIsStagedEmpty) {  // C-29
  bucket_.Seal(kPath);
  const auto staged = Stage();
  ASSERT_TRUE(staged.ok()) << staged.status().ToString();
  EXPECT_EQ(staged->files.size(), 0u);
  EXPECT_EQ(staged->rows(), 0);
}

TEST_F(StagedFolderTest, ABrokenFileIsNamed) {  // C-15
  bucket_.Deliver(kPath, R"([[1, "a", 10]])");
  const std::string good = OrderRows(R"([[1, "a", 10]])");
  for (const std::string& bad : {std::string("id,value\n1,a\n"), good.substr(0, good.size() / 2), std::string()}) {
    bucket_.Put(kPath + "/0001_part_00.parquet", bad);
    const Status status = Stage().status();
    EXPECT_EQ(status.code(), Code::kCorruption) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("0001_part_00.parquet"));
  }
}

TEST_F(StagedFolderTest, AFileThatIsReplacedWhileItIsReadIsNotMixed) {
  bucket_.Deliver(kPath, R"([[1, "a", 10]])");
  // Every call on the bucket in turn fails as if the object had become another one.
  for (uint64_t n = 1;; ++n) {
    store::FaultObjectStore bucket(bucket_.shared(), {n, store::FaultMode::kErrorOnce, {}, Code::kPreconditionFailed});
    const auto staged = StageFrom(bucket);
    if (!bucket.fault_happened()) break;
    EXPECT_EQ(staged.status().code(), Code::kPreconditionFailed) << n;
  }
}

}  // namespace
}  // namespace tidegate::ingest
