#include "tidegate/base/cancel.h"

namespace tidegate {
namespace {

using Clock = std::chrono::steady_clock;

thread_local int graces_of_thread = 0;

}  // namespace

Status StoppedOnRequest() { return Cancelled("stopped on request; run the command again to go on"); }

void CancelFlag::Cancel() {
  if (asked()) return;
  asked_at_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  asked_.store(true, std::memory_order_release);
}

bool CancelFlag::WithinGrace() const {
  if (graces_of_thread == 0) return false;
  const Clock::time_point asked_at{Clock::duration(asked_at_.load(std::memory_order_relaxed))};
  return Clock::now() < asked_at + grace_;
}

StopGrace::StopGrace() { ++graces_of_thread; }
StopGrace::~StopGrace() { --graces_of_thread; }

}  // namespace tidegate
