#include "tidegate/app/open_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tidegate/base/temp_dir_for_test.h"

namespace tidegate::app {
namespace {

using ::testing::HasSubstr;

TEST(OpenStoreTest, PathsAndFileUrlsNameFolders) {
  EXPECT_EQ(*LocalPathOf("bucket"), "bucket");
  EXPECT_EQ(*LocalPathOf("/data/bucket"), "/data/bucket");
  EXPECT_EQ(*LocalPathOf("file:///data/bucket"), "/data/bucket");
  EXPECT_EQ(*LocalPathOf("file:/data/bucket"), "/data/bucket");
  EXPECT_EQ(*LocalPathOf("file://localhost/data/bucket"), "/data/bucket");
  EXPECT_EQ(*LocalPathOf("a:b"), "a:b");
}

TEST(OpenStoreTest, AFileUrlNeedsAnAbsolutePath) {
  for (const std::string url : {"file://data/bucket", "file://", "file://localhost"}) {
    EXPECT_EQ(LocalPathOf(url).status().code(), Code::kInvalidArgument) << url;
  }
  EXPECT_EQ(LocalPathOf("").status().code(), Code::kInvalidArgument);
}

TEST(OpenStoreTest, ASchemeWithoutABackendIsRefusedWithAWayOn) {
  for (const std::string url : {"ftp://bucket", "https://host/x"}) {
    const Status status = OpenStore(url, OpenMode::kMustExist, {}).status();
    EXPECT_EQ(status.code(), Code::kUnsupported) << url;
    EXPECT_THAT(status.message(), HasSubstr("s3://bucket"));
  }
  for (const char* url : {"s3://bucket", "gs://bucket"})
    EXPECT_THAT(LocalPathOf(url).status().message(), HasSubstr("on this machine"));
}

TEST(OpenStoreTest, ABucketIsOpenedWithoutAskingIt) {
  setenv("AWS_CONFIG_FILE", "/dev/null", 1);
  setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
  StoreAccess access;
  access.flags.anonymous = true;
  access.flags.s3.region = "eu-west-1";
  const auto store = OpenStore("s3a://bucket/some/prefix/", OpenMode::kCreate, access);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  EXPECT_EQ((*store)->url(), "s3://bucket/some/prefix");
  EXPECT_EQ(OpenStore("s3://No Bucket", OpenMode::kCreate, access).status().code(), Code::kInvalidArgument);
  access.flags.s3.endpoint_url = "nonsense";
  EXPECT_EQ(OpenStore("s3://bucket", OpenMode::kCreate, access).status().code(), Code::kInvalidArgument);
}

TEST(OpenStoreTest, ABucketOfGoogleIsOpenedForReadingAlone) {
  StoreAccess access;
  access.flags.anonymous = true;
  const auto store = OpenStore("gs://bucket/some/prefix/", OpenMode::kMustExist, access);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  EXPECT_EQ((*store)->url(), "gs://bucket/some/prefix");
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kMayBeEmpty}) {
    const Status status = OpenStore("gs://bucket/lake", mode, access).status();
    EXPECT_EQ(status.code(), Code::kUnsupported);
    EXPECT_THAT(status.message(), HasSubstr("Keep the lake in a folder or in S3"));
  }
  EXPECT_EQ(CheckMayHoldLake("gs://bucket/lake").code(), Code::kUnsupported);
  EXPECT_TRUE(CheckMayHoldLake("s3://bucket/lake").ok() && CheckMayHoldLake("lake").ok());
  EXPECT_EQ(OpenStore("gs://No Bucket", OpenMode::kMustExist, access).status().code(), Code::kInvalidArgument);
  access.flags.s3.endpoint_url = "nonsense";
  EXPECT_EQ(OpenStore("gs://bucket", OpenMode::kMustExist, access).status().code(), Code::kInvalidArgument);
}

TEST(OpenStoreTest, AMissingFolderIsMadeOnlyWhereAskedFor) {
  const TempDirForTest temp;
  const std::string path = (temp.path() / "lake").string();
  EXPECT_EQ(OpenStore(path, OpenMode::kMustExist, {}).status().code(), Code::kNotFound);
  ASSERT_TRUE(OpenStore(path, OpenMode::kCreate, {}).ok());
  const auto again = OpenStore("file://" + path, OpenMode::kMustExist, {});
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_TRUE((*again)->List({})->objects.empty());
}

TEST(OpenStoreTest, AFileIsNoStore) {
  const TempDirForTest temp;
  auto store = OpenStore(temp.path().string(), OpenMode::kMustExist, {});
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE((*store)->Put("a", "x", store::PutMode::kOverwrite).ok());
  EXPECT_FALSE(OpenStore((temp.path() / "a").string(), OpenMode::kMustExist, {}).ok());
  EXPECT_FALSE(OpenStore((temp.path() / "a").string(), OpenMode::kCreate, {}).ok());
}

}  // namespace
}  // namespace tidegate::app
