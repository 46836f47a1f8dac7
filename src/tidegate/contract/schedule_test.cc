#include "tidegate/contract/schedule.h"

#include <gtest/gtest.h>

namespace tidegate::contract {
namespace {

TEST(ScheduleTest, TheNextDeliveryIsADayOrAnHourLater) {  // C-40
  EXPECT_EQ(Next({Version::kV1, "2026-10-31", ""}), (Delivery{Version::kV1, "2026-11-01", ""}));
  EXPECT_EQ(Next({Version::kV2, "2026-11-03", "09"}), (Delivery{Version::kV2, "2026-11-03", "10"}));
  EXPECT_EQ(Next({Version::kV2, "2028-02-28", "23"}), (Delivery{Version::kV2, "2028-02-29", "00"}));
}

TEST(ScheduleTest, ADeliveryIsDueAtItsHourOrAtItsTimeOfDay) {  // C-40
  EXPECT_EQ(FormatRfc3339(DueAt({Version::kV2, "2026-11-03", "09"})), "2026-11-03T09:00:00Z");
  EXPECT_EQ(FormatRfc3339(DueAt({Version::kV1, "2026-11-02", ""})), "2026-11-02T07:00:00Z");
  EXPECT_EQ(FormatRfc3339(DueAt({Version::kV1, "2026-11-02", ""}, std::chrono::minutes(90))), "2026-11-02T01:30:00Z");
}

}  // namespace
}  // namespace tidegate::contract
