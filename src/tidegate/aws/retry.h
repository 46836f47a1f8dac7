// When a failed request is sent again, and how long to wait before that.
//
// Waits grow exponentially and are jittered over their whole length ("full jitter"), so that many clients do not come
// back in step. A budget that all requests of one store share ends retries when a server fails for good: each
// retry takes from it, each success gives back. The numbers are those of the AWS SDKs' "standard" retry mode.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

struct RetryPolicy {
  int max_attempts = 10;  // in all, the first among them
  std::chrono::milliseconds first_wait{100};
  std::chrono::milliseconds longest_wait{20'000};
};

/// Threads: safe.
class RetryBudget {
 public:
  static constexpr int kFull = 500, kOfRetry = 5, kOfTimeout = 10;

  /// Room for one more retry? Takes it.
  bool Take(int cost);
  /// A request succeeded, after retries that took `taken` in all.
  void GiveBack(int taken);

 private:
  std::mutex mutex_;
  int tokens_ = kFull;
};

/// Waiting, as a port: tests do not wait.
class Sleeper {
 public:
  virtual ~Sleeper() = default;
  /// Errors: Cancelled.
  virtual Status Sleep(std::chrono::milliseconds time) = 0;
};

class SystemSleeper final : public Sleeper {
 public:
  explicit SystemSleeper(const CancelFlag* cancel) : cancel_(cancel) {}
  Status Sleep(std::chrono::milliseconds time) override;

 private:
  const CancelFlag* cancel_;  // may be null
};

/// The wait before attempt number `attempt` (2, 3, …): random from 0 to first_wait · 2^(attempt-2), at most
/// longest_wait.
std::chrono::milliseconds RetryWait(const RetryPolicy& policy, int attempt, uint64_t random_bits);

}  // namespace tidegate::aws
