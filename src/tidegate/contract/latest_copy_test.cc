#include "tidegate/contract/latest_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/contract/version_choice.h"

namespace tidegate::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Delivery kDay1{Version::kV1, "2026-11-01", ""};
const Delivery kDay2{Version::kV1, "2026-11-02", ""};
const Delivery kHour03{Version::kV2, "2026-11-03", "03"};
const Delivery kHour10{Version::kV2, "2026-11-03", "10"};
const Delivery kNextDay{Version::kV2, "2026-11-04", "00"};

TEST(LatestCopyTest, TheGreatestDateAndHourWins) {  // C-11
  EXPECT_EQ(LatestCopy({kHour10, kNextDay, kHour03}, Version::kV2), kNextDay);
  EXPECT_EQ(LatestCopy({kHour03, kHour10}, Version::kV2), kHour10);
  EXPECT_EQ(LatestCopy({kDay2, kDay1}, Version::kV1), kDay2);
}

TEST(LatestCopyTest, OnlyTheVersionInUseCounts) {  // C-11, C-13
  EXPECT_EQ(LatestCopy({kDay2, kHour03}, Version::kV1), kDay2);
  EXPECT_EQ(LatestCopy({kDay2, kHour03, kDay1}, Version::kV2), kHour03);
}

TEST(LatestCopyTest, AfterTheSwitchV1StaysUntilTheFirstCopyOfV2) {  // C-13, A-16
  EXPECT_EQ(LatestCopy({kDay1, kDay2}, Version::kV2), kDay2);
}

TEST(LatestCopyTest, WithoutASealedCopyThereIsNone) {
  EXPECT_EQ(LatestCopy({}, Version::kV1), std::nullopt);
  EXPECT_EQ(LatestCopy({}, Version::kV2), std::nullopt);
  EXPECT_EQ(LatestCopy({kHour03}, Version::kV1), std::nullopt);
}

TEST(CopiesNewestFirstTest, GivesWhatToTryWhenTheNewestIsBroken) {
  EXPECT_THAT(CopiesNewestFirst({kHour03, kDay2, kNextDay, kHour10}, Version::kV2),
              ElementsAre(kNextDay, kHour10, kHour03));
  EXPECT_THAT(CopiesNewestFirst({kDay1, kHour03, kDay2}, Version::kV1), ElementsAre(kDay2, kDay1));
  EXPECT_THAT(CopiesNewestFirst({}, Version::kV2), IsEmpty());
}

TEST(VersionInUseTest, IsV2OnceAManifestOfV2IsThere) {  // C-12
  EXPECT_EQ(VersionInUse(false, std::nullopt), Version::kV1);
  EXPECT_EQ(VersionInUse(true, std::nullopt), Version::kV2);
  EXPECT_EQ(VersionInUse(true, Version::kV1), Version::kV2);
  EXPECT_EQ(VersionInUse(false, Version::kV1), Version::kV1);
}

TEST(VersionInUseTest, ALakeThatHasSeenV2NeverGoesBack) {  // C-12
  EXPECT_EQ(VersionInUse(false, Version::kV2), Version::kV2);
  EXPECT_EQ(VersionInUse(true, Version::kV2), Version::kV2);
}

}  // namespace
}  // namespace tidegate::contract
