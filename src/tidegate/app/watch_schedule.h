// When `ingest --watch` looks into the bucket again: decided from the clock and what was seen last. Pure.
//
// A delivery is due when its hour begins (v2) or at its time of day (v1), and usually there within a known time (C-40):
// - nothing is due: sleep until something is;
// - a delivery is due: look at the short interval `poll`; once it is late, ever more seldom;
// - something is open (missing, pending, a gap): look more often than while all is well;
// - a look failed: twice the wait with each failure in a row.
// Every wait is at least `poll` and at most 15 minutes, and never goes beyond the next sweep.
#pragma once

#include <chrono>
#include <optional>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/contract/schedule.h"

namespace tidegate::app {

struct WatchTimes {
  std::chrono::milliseconds poll = std::chrono::minutes(1);
  std::chrono::milliseconds sweep = std::chrono::minutes(15);          // a whole ingest at least so often
  std::chrono::milliseconds expect_within = contract::kUsuallyWithin;  // after it was due, a delivery is late
  std::chrono::minutes daily_at = contract::kDailyAt;                  // v1: UTC
  friend bool operator==(const WatchTimes&, const WatchTimes&) = default;
};

/// Errors: InvalidArgument where no schedule can be made of them.
Status CheckTimes(const WatchTimes& times);

inline constexpr std::chrono::milliseconds kLongestWait = std::chrono::minutes(15);
/// While something is open: so many looks in the time between two sweeps.
inline constexpr int kOpenShare = 3;

struct WatchState {
  UtcTime now;
  contract::Version version = contract::Version::kV1;
  std::optional<contract::Delivery> newest;  // that has a manifest, of the version in use, not from the future
  bool open = false;                         // a table is missing or pending, or a folder is a gap
  int failures = 0;                          // in a row
  std::chrono::milliseconds since_ingest{0};
};

struct NextLook {
  std::chrono::milliseconds wait{0};
  std::optional<contract::Delivery> late;  // is due for longer than `expect_within`, and not there
};

/// The newest delivery that may be there, and since when.
struct DueDelivery {
  contract::Delivery delivery;
  UtcTime since;
};
DueDelivery NewestDue(UtcTime now, contract::Version version, const WatchTimes& times);

/// `jitter`, in [0, 1), spreads the looks of many programs: it only ever lengthens a wait.
NextLook PlanNextLook(const WatchState& state, const WatchTimes& times, double jitter);

}  // namespace tidegate::app
