#include "tidegate/aws/cached_provider.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tidegate/base/log.h"

namespace tidegate::aws {
namespace {

using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr seconds kRefreshAtMostEvery(5);
constexpr minutes kTryAgainAfter(1);

/// How long before its end a set of keys is replaced.
microseconds Margin(microseconds life) { return std::clamp<microseconds>(life / 4, microseconds(0), minutes(5)); }

}  // namespace

CachedProvider::CachedProvider(std::unique_ptr<KeySource> source, std::shared_ptr<const Clock> clock)
    : source_(std::move(source)), clock_(std::move(clock)) {}

CachedProvider::Need CachedProvider::NeedAt(UtcTime now) const {
  if (!keys_ || refused_) return Need::kNow;
  if (!keys_->expires) return Need::kNone;
  if (now >= *keys_->expires) return Need::kNow;
  const bool due = now >= *keys_->expires - Margin(*keys_->expires - fetched_);
  return due && now >= not_before_ ? Need::kSoon : Need::kNone;
}

Result<std::optional<Credentials>> CachedProvider::Get() {
  const UtcTime now = clock_->Now();
  std::unique_lock fetching(fetch_mutex_, std::defer_lock);
  uint64_t fetches = 0;
  {
    const std::lock_guard lock(mutex_);
    const Need need = NeedAt(now);
    if (need == Need::kNone) return keys_;
    if (need == Need::kSoon && !fetching.try_lock()) return keys_;
    fetches = fetches_;
  }
  if (!fetching.owns_lock()) fetching.lock();
  {
    const std::lock_guard lock(mutex_);  // another thread may have fetched while this one waited
    if (NeedAt(now) == Need::kNone) return keys_;
    if (fetches != fetches_ && !failure_.ok()) return failure_;
  }
  return Fetch(now);
}

Result<std::optional<Credentials>> CachedProvider::Fetch(UtcTime now) {
  Result<Credentials> fresh = source_->Fetch();
  if (fresh.ok() && fresh->expires && *fresh->expires <= clock_->Now()) {
    fresh = Unauthenticated(source_->Describe() + ": the keys ran out at " + FormatRfc3339(*fresh->expires) +
                            "; get new ones, or set the clock right");
  }
  if (!fresh.ok()) return Fall(fresh.status(), now);
  const std::lock_guard lock(mutex_);
  ++fetches_;
  failure_ = {};
  keys_ = *std::move(fresh);
  fetched_ = clock_->Now();
  refused_ = false;
  return keys_;
}

Result<std::optional<Credentials>> CachedProvider::Fall(const Status& failure, UtcTime now) {
  const std::lock_guard lock(mutex_);
  ++fetches_;
  failure_ = failure;
  if (NeedAt(now) == Need::kNow) return failure;
  not_before_ = now + kTryAgainAfter;
  Log(LogLevel::kWarning, "new keys could not be had, the old ones are used until " + FormatRfc3339(*keys_->expires) +
                              ": " + failure.message());
  return keys_;
}

void CachedProvider::Refresh() {
  const std::lock_guard lock(mutex_);
  if (keys_ && clock_->Now() >= fetched_ + kRefreshAtMostEvery) refused_ = true;
}

}  // namespace tidegate::aws
