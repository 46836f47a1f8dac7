#include "tidegate/thaw/owner_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/thaw/restore_fixture.h"

namespace tidegate::thaw {
namespace {

using ::testing::ElementsAre;

RestorePlan PlanOf(const std::string& key) {
  ColdObject cold{.table = "shop.orders"};
  cold.object = {.key = key, .size_bytes = 1, .storage_class = "GLACIER", .archive = store::ArchiveState::kFrozen};
  return PlanRestore({cold}, Tier::kBulk, 3);
}

TEST(OwnerRequestTest, CommandsCanBePastedIntoAShell) {
  const BucketOfS3 bucket;
  const auto commands = RestoreCommands(bucket, PlanOf("v2/it's here/a.parquet"));
  ASSERT_TRUE(commands.ok()) << commands.status().ToString();
  EXPECT_THAT(*commands,
              ElementsAre(R"(aws s3api restore-object --bucket 'vendor' --key 'deliveries/v2/it'\''s here/a.parquet' )"
                          R"(--restore-request '{"Days":3,"GlacierJobParameters":{"Tier":"Bulk"}}')"));
}

TEST(OwnerRequestTest, TheBatchManifestHasEncodedKeys) {
  const BucketOfS3 bucket;
  EXPECT_EQ(*BatchManifest(bucket, PlanOf("v2/shop/etl_date=2026-11-03/a,b.parquet")),
            "vendor,deliveries/v2/shop/etl_date%3D2026-11-03/a%2Cb.parquet\n");
}

TEST(OwnerRequestTest, TheRightIsAskedForWhereItIsNeeded) {
  EXPECT_EQ(*ResourceOf(BucketOfS3()), "arn:aws:s3:::vendor/deliveries/*");
}

TEST(OwnerRequestTest, ABucketThatIsNotOfS3HasNoColdStorage) {
  const store::MemoryObjectStore memory;
  EXPECT_EQ(ResourceOf(memory).status().code(), Code::kUnsupported);
  EXPECT_EQ(BatchManifest(memory, PlanOf("k")).status().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace tidegate::thaw
