#include "tidegate/thaw/restore_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::thaw {
namespace {

using store::ArchiveState;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr uint64_t kGigabyte = uint64_t{1} << 30;

ColdObject Object(const std::string& table, ArchiveState state, uint64_t bytes = kGigabyte,
                  const std::string& storage_class = "GLACIER") {
  ColdObject out{.table = table};
  out.object = {.key = "v2/" + table, .size_bytes = bytes, .storage_class = storage_class, .archive = state};
  return out;
}

TEST(RestorePlanTest, AsksForWhatIsFrozenAndCountsTheRest) {
  const RestorePlan plan =
      PlanRestore({Object("shop.orders", ArchiveState::kFrozen), Object("shop.orders", ArchiveState::kThawing),
                   Object("shop.log", ArchiveState::kThawed), Object("shop.log", ArchiveState::kReadable)},
                  Tier::kBulk, 7);
  EXPECT_THAT(plan.ask, SizeIs(1));
  EXPECT_THAT(plan.thawing, SizeIs(1));
  ASSERT_THAT(plan.tables, SizeIs(2));
  EXPECT_EQ(plan.tables[0].table, "shop.log");
  EXPECT_EQ(plan.tables[0].thawed, 1);
  EXPECT_EQ(plan.tables[1].objects, 1);
  EXPECT_EQ(plan.tables[1].thawing, 1);
  EXPECT_EQ(plan.bytes(), kGigabyte);
}

/// For 100 objects of 1 GB, readable for 30 days.
Cost CostOf(const std::string& storage_class, Tier tier) {
  const std::vector<ColdObject> objects(100, Object("t", ArchiveState::kFrozen, kGigabyte, storage_class));
  return PlanRestore(objects, tier, 30).cost;
}

TEST(RestorePlanTest, CostsAreThoseOfTheListPrices) {
  struct Expected {
    const char* storage_class;
    Tier tier;
    double retrieval, requests;
  };
  for (const Expected& e :
       {Expected{"GLACIER", Tier::kBulk, 0, 0}, Expected{"GLACIER", Tier::kStandard, 1, 0.005},
        Expected{"GLACIER", Tier::kExpedited, 3, 1}, Expected{"DEEP_ARCHIVE", Tier::kBulk, 0.25, 0.0025},
        Expected{"DEEP_ARCHIVE", Tier::kStandard, 2, 0.01}}) {
    const Cost cost = CostOf(e.storage_class, e.tier);
    EXPECT_NEAR(cost.retrieval, e.retrieval, 1e-9) << e.storage_class << TierName(e.tier);
    EXPECT_NEAR(cost.requests, e.requests, 1e-9) << e.storage_class << TierName(e.tier);
    EXPECT_NEAR(cost.temporary_copy, 2.3, 1e-9);
    EXPECT_NEAR(cost.total(), e.retrieval + e.requests + 2.3, 1e-9);
  }
  EXPECT_EQ(CostOf("INTELLIGENT_TIERING", Tier::kBulk).total(), 0);
}

TEST(RestorePlanTest, DeepArchiveHasNoExpeditedTier) {
  const auto deep = Object("t", ArchiveState::kFrozen, kGigabyte, "DEEP_ARCHIVE");
  EXPECT_EQ(TierOf(deep.object, Tier::kExpedited), Tier::kStandard);
  const RestorePlan plan = PlanRestore({deep, Object("t", ArchiveState::kFrozen)}, Tier::kExpedited, 1);
  EXPECT_EQ(plan.not_expedited, 1);
  EXPECT_EQ(plan.usually_takes, "up to 12 hours");
  EXPECT_THAT(Describe(plan), HasSubstr("has no tier Expedited"));
}

TEST(RestorePlanTest, SaysWhatItDoes) {
  const std::string text = Describe(PlanRestore({Object("shop.orders", ArchiveState::kFrozen)}, Tier::kStandard, 7));
  EXPECT_THAT(text, HasSubstr("shop.orders: 1 object, 1.1 GB"));
  EXPECT_THAT(text, HasSubstr("readable for 7 days, tier Standard"));
  EXPECT_THAT(text, HasSubstr("about $0.02 by the list prices"));
  EXPECT_THAT(text, HasSubstr("usually takes 3 to 5 hours"));
  EXPECT_THAT(Describe(PlanRestore({}, Tier::kBulk, 7)), HasSubstr("nothing lies in cold storage"));
  const std::string waits = Describe(PlanRestore({Object("a.b", ArchiveState::kThawing)}, Tier::kBulk, 7));
  EXPECT_THAT(waits, HasSubstr("1 object is being restored"));
  EXPECT_THAT(waits, Not(HasSubstr("$")));
}

TEST(RestorePlanTest, TiersAreReadInAnyCase) {
  EXPECT_EQ(*ParseTier("bulk"), Tier::kBulk);
  EXPECT_EQ(*ParseTier("Standard"), Tier::kStandard);
  EXPECT_EQ(*ParseTier("EXPEDITED"), Tier::kExpedited);
  EXPECT_EQ(ParseTier("fast").status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tidegate::thaw
