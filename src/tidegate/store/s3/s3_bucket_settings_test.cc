#include "tidegate/store/s3/s3_bucket_settings.h"

#include <gtest/gtest.h>

namespace tidegate::store {
namespace {

TEST(S3BucketSettingsTest, TheSoonestEnabledRuleCounts) {
  const auto lifecycle = ReadLifecycle(
      "<LifecycleConfiguration>"
      "<Rule><Status>Enabled</Status><Transition><Days>30</Days><StorageClass>STANDARD_IA</StorageClass></Transition>"
      "<Transition><Days>180</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>"
      "<Rule><Status>Enabled</Status><Transition><Days>365</Days><StorageClass>DEEP_ARCHIVE</StorageClass></Transition>"
      "<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></"
      "Rule>"
      "<Rule><Status>Disabled</Status><Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>"
      "<Expiration><Days>3</Days></Expiration></Rule>"
      "</LifecycleConfiguration>");
  ASSERT_TRUE(lifecycle.ok());
  EXPECT_EQ(lifecycle->freezes_after_days, 180);
  EXPECT_EQ(lifecycle->aborts_uploads_after_days, 7);
  EXPECT_EQ(lifecycle->expires_after_days, std::nullopt);
}

TEST(S3BucketSettingsTest, ReadsVersioningAndUploads) {
  EXPECT_EQ(*ReadVersioning("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"), "Enabled");
  EXPECT_EQ(*ReadVersioning("<VersioningConfiguration/>"), "");
  EXPECT_EQ(*CountUploads("<ListMultipartUploadsResult><Upload/><Upload/></ListMultipartUploadsResult>"), 2U);
}

TEST(S3BucketSettingsTest, AnythingElseIsCorruption) {
  for (const char* odd : {"", "no xml", "<Other/>", "<VersioningConfiguration>"}) {
    EXPECT_EQ(ReadLifecycle(odd).status().code(), Code::kCorruption) << odd;
    EXPECT_EQ(CountUploads(odd).status().code(), Code::kCorruption) << odd;
  }
}

}  // namespace
}  // namespace tidegate::store
