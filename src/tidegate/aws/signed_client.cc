#include "tidegate/aws/signed_client.h"

#include <charconv>

#include "tidegate/base/hash.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

std::chrono::milliseconds RetryAfter(const net::HttpReply& reply, std::chrono::milliseconds longest) {
  const std::string_view text = reply.Header("retry-after");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > 3600) return {};
  return std::min<std::chrono::milliseconds>(std::chrono::seconds(seconds), longest);
}

std::string What(const Call& call) {
  return call.request.method + " " + Quoted(call.request.origin + call.request.path, 1300);
}

Status GivenUp(const Status& status, int attempts) {
  return {status.code(), "after " + std::to_string(attempts) + " attempts: " + status.message() +
                             ": check endpoint and network, then run the command again; it goes on where it was"};
}

}  // namespace

struct SignedClient::Attempts {
  int made = 0;
  int budget_taken = 0;
  int mended = 0;  // new keys, or a corrected clock
  bool wait = true;
};

net::HttpOutcome SignedClient::SendOnce(const Call& call, const std::optional<Credentials>& credentials) {
  net::HttpRequest request = call.request;
  if (credentials) {
    const std::string hash = call.hash_body ? Sha256Hex(request.body) : std::string(kUnsignedPayload);
    SignRequest(*credentials, call.scope, parts_.clock->Now() + clock_skew(), hash, request);
  }
  net::HttpOutcome outcome = parts_.http->Send(request);
  const auto there = outcome.reply ? net::ParseHttpDate(outcome.reply->Header("date")) : std::nullopt;
  if (there) ahead_seconds_ = std::chrono::round<std::chrono::seconds>(*there - parts_.clock->Now()).count();
  return outcome;
}

/// New keys or a corrected clock, where the refusal asks for that.
bool SignedClient::Mend(const net::HttpReply& reply, const ServiceError& error, Attempts& attempts) {
  constexpr int kMost = 2;
  if (attempts.mended >= kMost) return false;
  if (IsExpired(error)) {
    parts_.credentials->Refresh();
  } else if (IsClockSkew(error)) {
    const auto there = net::ParseHttpDate(reply.Header("date"));
    if (!there) return false;
    skew_seconds_ = std::chrono::round<std::chrono::seconds>(*there - parts_.clock->Now()).count();
    Log(LogLevel::kDebug, "the clock is off by " + std::to_string(skew_seconds_) + " s: signing with the server's");
  } else {
    return false;
  }
  ++attempts.mended;
  attempts.wait = false;
  return true;
}

bool SignedClient::ShouldRetry(const net::HttpOutcome& outcome, Attempts& attempts) {
  attempts.wait = true;
  int cost = RetryBudget::kOfTimeout;
  if (outcome.reply) {
    if (outcome.reply->status < 400) return false;
    const ServiceError error = ReadServiceError(*outcome.reply);
    if (Mend(*outcome.reply, error, attempts)) return true;
    if (!IsTransient(error)) return false;
    cost = RetryBudget::kOfRetry;
  } else if (outcome.failure.status.code() != Code::kUnavailable) {
    return false;
  }
  if (attempts.made >= parts_.retry.max_attempts || !budget_.Take(cost)) return false;
  attempts.budget_taken += cost;
  return true;
}

Status SignedClient::Wait(const net::HttpOutcome& outcome, int next_attempt) {
  auto wait = RetryWait(parts_.retry, next_attempt, RandomBits());
  if (outcome.reply) wait = std::max(wait, RetryAfter(*outcome.reply, parts_.retry.longest_wait));
  return parts_.sleeper->Sleep(wait);
}

Result<Answer> SignedClient::Send(const Call& call) {
  Attempts attempts;
  bool may_have_happened = false;
  while (true) {
    TG_ASSIGN_OR_RETURN(const auto credentials, parts_.credentials->Get());
    net::HttpOutcome outcome = SendOnce(call, credentials);
    ++attempts.made;
    if (!ShouldRetry(outcome, attempts)) {
      if (!outcome.reply && attempts.made == 1) return outcome.failure.status;
      if (!outcome.reply) return GivenUp(outcome.failure.status, attempts.made);
      if (outcome.reply->ok()) budget_.GiveBack(attempts.budget_taken);
      return Answer{*std::move(outcome.reply), attempts.made, may_have_happened};
    }
    const bool lost = outcome.reply ? outcome.reply->status >= 500 : outcome.failure.may_have_arrived;
    may_have_happened |= lost;
    const std::string why =
        outcome.reply ? Describe(ReadServiceError(*outcome.reply)) : outcome.failure.status.message();
    Log(LogLevel::kDebug, "attempt " + std::to_string(attempts.made) + " of " + What(call) + " failed: " + why);
    if (attempts.wait) TG_RETURN_IF_ERROR(Wait(outcome, attempts.made + 1));
  }
}

}  // namespace tidegate::aws
