// Cancellation: one flag that long work looks at between steps.
#pragma once

#include <atomic>
#include <chrono>

#include "tidegate/base/status.h"

namespace tidegate {

/// What work says that ended because the user asked for it.
Status StoppedOnRequest();

class CancelFlag {
 public:
  /// `grace`: so long after Cancel() a StopGrace counts.
  explicit CancelFlag(std::chrono::milliseconds grace = std::chrono::seconds(5)) : grace_(grace) {}

  /// May be called from a signal handler.
  void Cancel();
  /// May be called from a signal handler, and there only this one.
  bool asked() const { return asked_.load(std::memory_order_acquire); }
  /// Is this thread to end its work?
  bool cancelled() const { return asked() && !WithinGrace(); }
  /// Cancelled once asked to stop, else ok.
  Status Check() const { return cancelled() ? StoppedOnRequest() : Status(); }

 private:
  bool WithinGrace() const;

  const std::chrono::milliseconds grace_;
  std::atomic<bool> asked_{false};
  std::atomic<std::chrono::steady_clock::rep> asked_at_{0};  // of steady_clock
};

/// While it lives, its thread goes on after Cancel(), for as long as the flag grants: to say what others would have to
/// wait for otherwise, such as the end of a lease. A request that is begun within it may end without an answer.
class StopGrace {
 public:
  StopGrace();
  ~StopGrace();
  StopGrace(const StopGrace&) = delete;
  StopGrace& operator=(const StopGrace&) = delete;
};

}  // namespace tidegate
