#include "tidegate/app/manifest_watch.h"

#include <gtest/gtest.h>

#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::app {
namespace {

using contract::Delivery;
using contract::Version;

Delivery D(const std::string& text) { return *contract::ParseDelivery(text); }

class ManifestWatchTest : public testing::Test {
 protected:
  void Put(const std::string& delivery, const std::string& text = "{}") {
    ASSERT_TRUE(bucket_->Put(contract::ManifestKey(D(delivery)), text, store::PutMode::kOverwrite).ok());
  }
  bool Look(Version in_use, const std::string& from = "") { return watch_.Look(metered_, in_use, from).value(); }

  std::shared_ptr<store::MemoryObjectStore> bucket_ = std::make_shared<store::MemoryObjectStore>();
  store::MeteredObjectStore metered_{bucket_};
  ManifestWatch watch_;
};

TEST_F(ManifestWatchTest, AManifestIsNewOnce) {
  EXPECT_FALSE(Look(Version::kV2));
  Put("v2/2026-11-03/03");
  EXPECT_TRUE(Look(Version::kV2));
  EXPECT_FALSE(Look(Version::kV2));
}

TEST_F(ManifestWatchTest, AManifestThatIsWrittenAgainIsNewAgain) {  // C-33
  Put("v2/2026-11-03/03");
  Look(Version::kV2);
  Put("v2/2026-11-03/03");
  EXPECT_TRUE(Look(Version::kV2, "2026-11-03")) << "the ETag counts, also where size and text are the same";
}

TEST_F(ManifestWatchTest, OnlyDaysFromTheGivenOneAreListed) {
  Put("v2/2026-11-03/03");
  Look(Version::kV2);
  Put("v2/2026-11-03/04");
  EXPECT_FALSE(Look(Version::kV2, "2026-11-04"));
  Put("v2/2026-11-04/00");
  EXPECT_TRUE(Look(Version::kV2, "2026-11-04"));
  EXPECT_TRUE(Look(Version::kV2, "2026-11-03")) << "the one passed over is still new";
}

TEST_F(ManifestWatchTest, TheFirstKeyOfV2IsSeenWhileV1IsInUse) {  // C-12
  Put("v1/2026-11-02");
  Look(Version::kV1);
  Put("v2/2026-11-03/03");
  EXPECT_TRUE(Look(Version::kV1, "2026-11-01"));
}

TEST_F(ManifestWatchTest, ALookListsManifestsAndReadsNothing) {
  Put("v1/2026-11-02");
  Put("v2/2026-11-03/03");
  Look(Version::kV2, "2026-11-03");
  EXPECT_EQ(metered_.Snapshot().lists, 1U);
  EXPECT_EQ(metered_.Snapshot().all, store::Traffic());
}

TEST_F(ManifestWatchTest, TheNewestIsOfItsVersionAndNotFromTheFuture) {
  EXPECT_EQ(watch_.Newest(D("v2/2026-11-03/09")), std::nullopt);
  for (const char* delivery :
       {"v1/2026-11-01", "v1/2026-11-02", "v2/2026-11-03/03", "v2/2026-11-03/04", "v2/9999-12-31/23"}) {
    Put(delivery);
  }
  ASSERT_TRUE(
      bucket_->Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=05/other.json", "", store::PutMode::kOverwrite)
          .ok());
  Look(Version::kV1);
  EXPECT_EQ(watch_.Newest(D("v2/2026-11-03/09")), D("v2/2026-11-03/04"));
  EXPECT_EQ(watch_.Newest(D("v2/2026-11-03/03")), D("v2/2026-11-03/03"));
  EXPECT_EQ(watch_.Newest(D("v2/2026-11-03/02")), std::nullopt);
  EXPECT_EQ(watch_.Newest(D("v1/2026-12-31")), D("v1/2026-11-02"));
}

}  // namespace
}  // namespace tidegate::app
