#include "tidegate/aws/retry.h"

#include <algorithm>
#include <thread>

namespace tidegate::aws {

bool RetryBudget::Take(int cost) {
  const std::lock_guard lock(mutex_);
  if (tokens_ < cost) return false;
  tokens_ -= cost;
  return true;
}

void RetryBudget::GiveBack(int taken) {
  const std::lock_guard lock(mutex_);
  tokens_ = std::min(kFull, tokens_ + std::max(1, taken));
}

Status SystemSleeper::Sleep(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kStep(50);
  const auto until = std::chrono::steady_clock::now() + time;
  while (true) {
    if (cancel_ != nullptr) TG_RETURN_IF_ERROR(cancel_->Check());
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero()) return {};
    std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(left, kStep));
  }
}

std::chrono::milliseconds RetryWait(const RetryPolicy& policy, int attempt, uint64_t random_bits) {
  const int doublings = std::clamp(attempt - 2, 0, 30);
  const auto longest = std::min<int64_t>(policy.longest_wait.count(), policy.first_wait.count() << doublings);
  return std::chrono::milliseconds(random_bits % static_cast<uint64_t>(longest + 1));
}

}  // namespace tidegate::aws
