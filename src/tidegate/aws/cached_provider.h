// Keys kept until shortly before they run out, fetched by one thread at a time.
//
// - "Shortly" is 5 minutes or a quarter of the keys' life, whichever is less.
// - While one thread fetches and the old keys are valid, the others go on with the old ones.
// - A fetch that fails while the old keys are valid is a warning, and is tried again after a minute.
// - Threads that wait for a fetch share what it comes to, also where it fails.
// - Refresh() within 5 seconds of a fetch does nothing: many threads whose requests were refused ask once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tidegate/aws/credentials.h"
#include "tidegate/aws/key_source.h"
#include "tidegate/base/time.h"

namespace tidegate::aws {

class CachedProvider final : public CredentialsProvider {
 public:
  CachedProvider(std::unique_ptr<KeySource> source, std::shared_ptr<const Clock> clock);

  Result<std::optional<Credentials>> Get() override;
  void Refresh() override;
  std::string Describe() const override { return source_->Describe(); }

 private:
  enum class Need { kNone, kSoon, kNow };

  Need NeedAt(UtcTime now) const;
  Result<std::optional<Credentials>> Fetch(UtcTime now);
  Result<std::optional<Credentials>> Fall(const Status& failure, UtcTime now);

  const std::unique_ptr<KeySource> source_;
  const std::shared_ptr<const Clock> clock_;
  std::mutex fetch_mutex_;  // held during a fetch; taken before mutex_
  mutable std::mutex mutex_;
  std::optional<Credentials> keys_;  // below mutex_, as all that follows
  UtcTime fetched_{};
  UtcTime not_before_{};  // a fetch failed: not again until then, where the old keys will do
  bool refused_ = false;  // Refresh() was called
  uint64_t fetches_ = 0;  // ended, well or not
  Status failure_;        // of the last one
};

/// Requests are not signed.
class AnonymousProvider final : public CredentialsProvider {
 public:
  Result<std::optional<Credentials>> Get() override { return std::optional<Credentials>(); }
  void Refresh() override {}
  std::string Describe() const override { return "anonymous: requests are not signed"; }
};

}  // namespace tidegate::aws
