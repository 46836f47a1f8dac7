// When deliveries come (C-40): daily in v1, hourly in v2. Pure.
#pragma once

#include <chrono>

#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"

namespace tidegate::contract {

/// The time of day, UTC, when a delivery of v1 is due.
inline constexpr std::chrono::minutes kDailyAt = std::chrono::hours(7);

/// After it was due, a delivery is usually there within this time.
inline constexpr std::chrono::minutes kUsuallyWithin{40};

/// The delivery right after (one day in v1, one hour in v2). Requires: not __initial__.
Delivery Next(const Delivery& delivery);

/// From when on it may be there: the start of its hour (v2), `daily_at` of its day (v1). Requires: not __initial__.
UtcTime DueAt(const Delivery& delivery, std::chrono::minutes daily_at = kDailyAt);

}  // namespace tidegate::contract
