#include "tidegate/app/watch_schedule.h"

#include <algorithm>

namespace tidegate::app {
namespace {

using contract::Version;
using std::chrono::milliseconds;

constexpr double kSpread = 0.25;  // of a wait, at most, is added by chance
constexpr int kLateShare = 8;     // a delivery that is late by 80 minutes is looked for every 10

milliseconds Since(UtcTime from, UtcTime to) { return std::chrono::duration_cast<milliseconds>(to - from); }

milliseconds Longest(const WatchTimes& times) { return std::max(times.poll, std::min(times.sweep, kLongestWait)); }

milliseconds AfterFailures(int failures, const WatchTimes& times) {
  milliseconds wait = times.poll;
  for (int i = 1; i < failures && wait < Longest(times); ++i) wait *= 2;
  return wait;
}

milliseconds UntilNextDue(const DueDelivery& due, const WatchState& state) {
  const auto step = state.version == Version::kV2 ? std::chrono::hours(1) : std::chrono::hours(24);
  // Rounded up: a look just before the hour would be for nothing.
  return std::chrono::ceil<milliseconds>(due.since + step - state.now);
}

}  // namespace

Status CheckTimes(const WatchTimes& times) {
  constexpr milliseconds kLeast(100);
  if (times.poll < kLeast || times.poll > kLongestWait) return InvalidArgument("poll must be from 100ms to 15m");
  if (times.sweep < times.poll || times.sweep > std::chrono::hours(24)) {
    return InvalidArgument("sweep must be from poll to 24h");
  }
  if (times.expect_within > std::chrono::hours(24)) return InvalidArgument("expect_within must be at most 24h");
  return {};
}

DueDelivery NewestDue(UtcTime now, Version version, const WatchTimes& times) {
  if (version == Version::kV2) {
    const UtcTime hour = std::chrono::floor<std::chrono::hours>(now);
    const std::string text = FormatRfc3339(hour);
    return {{Version::kV2, text.substr(0, 10), text.substr(11, 2)}, hour};
  }
  const UtcTime day = std::chrono::floor<std::chrono::days>(now - times.daily_at);
  return {{Version::kV1, FormatRfc3339(day).substr(0, 10), ""}, day + times.daily_at};
}

NextLook PlanNextLook(const WatchState& state, const WatchTimes& times, double jitter) {
  const DueDelivery due = NewestDue(state.now, state.version, times);
  const bool awaited = !state.newest || *state.newest < due.delivery;
  const milliseconds late_by = Since(due.since, state.now) - times.expect_within;
  NextLook out;
  if (awaited && late_by >= milliseconds(0)) out.late = due.delivery;

  milliseconds wait{0}, spread_of = times.poll;  // a long sleep is not spread over its length: the hour would be missed
  if (state.failures > 0) {
    wait = spread_of = AfterFailures(state.failures, times);
  } else {
    wait = awaited ? std::max(times.poll, late_by / kLateShare) : UntilNextDue(due, state);
    if (state.open) wait = std::min(wait, times.sweep / kOpenShare);
    wait = std::min(wait, times.sweep - state.since_ingest);
  }
  wait = std::clamp(wait, times.poll, Longest(times));
  const auto extra = kSpread * jitter * static_cast<double>(std::min(wait, spread_of).count());
  out.wait = std::min(wait + milliseconds(static_cast<int64_t>(extra)), Longest(times));
  return out;
}

}  // namespace tidegate::app
