// Cancellation: one flag that long work looks at between steps.
#pragma once

#include <atomic>

#include "tidegate/base/status.h"

namespace tidegate {

class CancelFlag {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  /// Cancelled once asked to stop, else ok.
  Status Check() const {
    return cancelled() ? Cancelled("stopped on request; run the command again to go on") : Status();
  }

 private:
  std::atomic<bool> cancelled_{false};  // lock-free: may be set from a signal handler
};

}  // namespace tidegate
