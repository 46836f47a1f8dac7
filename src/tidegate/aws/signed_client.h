// SignedClient: sends requests to a service of AWS with the caller's identity, and again where that helps.
//
// Sent again, after a jittered wait and while the budget lasts: no answer, a truncated one, throttling, faults of the
// server. At once and a few times: with new keys where the old ones ran out, with a corrected clock where ours is off.
// Everything else is the caller's to read: redirects, refusals, conflicts.
//
// Threads: safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tidegate/aws/credentials.h"
#include "tidegate/aws/retry.h"
#include "tidegate/aws/service_error.h"
#include "tidegate/aws/sigv4.h"
#include "tidegate/base/time.h"
#include "tidegate/net/http.h"

namespace tidegate::aws {

struct SignedClientParts {
  std::shared_ptr<net::HttpClient> http;
  std::shared_ptr<CredentialsProvider> credentials;
  std::shared_ptr<const Clock> clock;
  std::shared_ptr<Sleeper> sleeper;
  RetryPolicy retry = {};
};

struct Call {
  net::HttpRequest request = {};  // not signed; path and query encoded
  SigningScope scope = {};
  bool hash_body = true;  // false: UNSIGNED-PAYLOAD, only over TLS
};

struct Answer {
  net::HttpReply reply = {};
  int attempts = 1;
  bool may_have_happened_before = false;  // an earlier attempt may have reached the server, its reply was lost
};

class SignedClient {
 public:
  explicit SignedClient(SignedClientParts parts) : parts_(std::move(parts)) {}

  /// The last reply, whatever its status. Errors: Unavailable where no whole reply came; Unauthenticated where there is
  /// no identity; Cancelled; Corruption where a reply is larger than the request allows.
  Result<Answer> Send(const Call& call);

  /// How far the servers' clocks are ahead of ours, as learned from a refusal.
  std::chrono::seconds clock_skew() const { return std::chrono::seconds(skew_seconds_.load()); }

  /// By how much the server's clock was ahead of ours at its last reply; nothing before one told.
  std::optional<std::chrono::seconds> server_ahead() const {
    const int64_t seconds = ahead_seconds_;
    return seconds == kNeverTold ? std::nullopt : std::optional(std::chrono::seconds(seconds));
  }

 private:
  struct Attempts;
  net::HttpOutcome SendOnce(const Call& call, const std::optional<Credentials>& credentials);
  bool ShouldRetry(const net::HttpOutcome& outcome, Attempts& attempts);
  bool Mend(const net::HttpReply& reply, const ServiceError& error, Attempts& attempts);
  Status Wait(const net::HttpOutcome& outcome, int next_attempt);

  SignedClientParts parts_;
  RetryBudget budget_;
  std::atomic<int64_t> skew_seconds_{0};
  static constexpr int64_t kNeverTold = INT64_MIN;
  std::atomic<int64_t> ahead_seconds_{kNeverTold};
};

}  // namespace tidegate::aws
