#include "tidegate/aws/service_question.h"

#include <chrono>
#include <utility>

#include "tidegate/aws/retry.h"
#include "tidegate/aws/service_error.h"
#include "tidegate/base/hash.h"

namespace tidegate::aws {
namespace {

/// A fault that passes by itself?
bool Passes(const net::HttpOutcome& outcome) {
  if (!outcome.reply) return outcome.failure.status.code() == Code::kUnavailable;
  if (outcome.reply->ok()) return false;
  const ServiceError error = ReadServiceError(*outcome.reply);
  return IsTransient(error) || error.code == "IDPCommunicationError";  // STS could not reach the issuer of a token
}

}  // namespace

Result<net::HttpReply> Ask(const ServiceQuestion& question) {
  const RetryPolicy policy{question.attempts, std::chrono::milliseconds(200), std::chrono::seconds(5)};
  for (int attempt = 1;; ++attempt) {
    net::HttpRequest request = question.request();
    request.max_body_bytes = kMaxReplyBytes;
    net::HttpOutcome outcome = question.client->Send(request);
    if (attempt >= policy.max_attempts || !Passes(outcome)) {
      if (outcome.reply) return *std::move(outcome.reply);
      return outcome.failure.status.WithContext(question.what);
    }
    TG_RETURN_IF_ERROR(question.sleeper->Sleep(RetryWait(policy, attempt + 1, RandomBits())));
  }
}

}  // namespace tidegate::aws
