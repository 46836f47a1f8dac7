#include "tidegate/aws/signed_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace tidegate::aws {
namespace {

using net::HttpOutcome;
using net::HttpReply;
using std::chrono::milliseconds;
using testing::HasSubstr;

/// Answers in turn; the last answer stays.
class Script final : public net::HttpClient {
 public:
  HttpOutcome Send(const net::HttpRequest& request) override {
    requests.push_back(request);
    const HttpOutcome outcome = answers.front();
    if (answers.size() > 1) answers.pop_front();
    return outcome;
  }
  std::deque<HttpOutcome> answers;
  std::vector<net::HttpRequest> requests;
};

class Waits final : public Sleeper {
 public:
  Status Sleep(milliseconds time) override {
    waits.push_back(time);
    return cancelled ? Cancelled("stopped") : Status();
  }
  std::vector<milliseconds> waits;
  bool cancelled = false;
};

class Keys final : public CredentialsProvider {
 public:
  Result<std::optional<Credentials>> Get() override {
    if (anonymous) return std::optional<Credentials>();
    return std::optional(Credentials{.access_key_id = "id" + std::to_string(refreshes), .secret_access_key = "secret"});
  }
  void Refresh() override { ++refreshes; }
  std::string Describe() const override { return "test"; }
  int refreshes = 0;
  bool anonymous = false;
};

HttpOutcome Reply(int status, const std::string& code = "", std::vector<net::HttpHeader> headers = {}) {
  return {.reply = HttpReply{.status = status,
                             .headers = std::move(headers),
                             .body = code.empty() ? "" : "<Error><Code>" + code + "</Code></Error>"}};
}

HttpOutcome NoAnswer(bool may_have_arrived) { return {.failure = {Unavailable("no answer"), may_have_arrived}}; }

class SignedClientTest : public testing::Test {
 protected:
  Result<Answer> Send(std::deque<HttpOutcome> answers) {
    http_->answers = std::move(answers);
    http_->requests.clear();
    return client_.Send({.request = {.origin = "http://s3.test"}, .scope = {"us-east-1", "s3"}});
  }

  static std::string HeaderOf(const net::HttpRequest& request, std::string_view name) {
    for (const net::HttpHeader& header : request.headers) {
      if (header.name == name) return header.value;
    }
    return "";
  }

  std::shared_ptr<Script> http_ = std::make_shared<Script>();
  std::shared_ptr<Waits> sleeper_ = std::make_shared<Waits>();
  std::shared_ptr<Keys> keys_ = std::make_shared<Keys>();
  std::shared_ptr<FixedClock> clock_ = std::make_shared<FixedClock>(*ParseRfc3339("2026-11-03T03:00:00Z"));
  SignedClient client_{
      {.http = http_, .credentials = keys_, .clock = clock_, .sleeper = sleeper_, .retry = {.max_attempts = 5}}};
};

TEST_F(SignedClientTest, SendsOnceWhereItIsAnswered) {
  for (const int status : {200, 204, 301, 404, 412}) {
    const auto answer = Send({Reply(status)});
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->reply.status, status);
    EXPECT_EQ(http_->requests.size(), 1U);
    EXPECT_FALSE(answer->may_have_happened_before);
  }
  EXPECT_TRUE(sleeper_->waits.empty());
}

TEST_F(SignedClientTest, EachAttemptIsSignedAnew) {
  clock_->Set(*ParseRfc3339("2026-11-03T03:00:00Z"));
  ASSERT_TRUE(Send({Reply(503), Reply(200)}).ok());
  ASSERT_EQ(http_->requests.size(), 2U);
  for (const auto& request : http_->requests)
    EXPECT_THAT(HeaderOf(request, "authorization"), HasSubstr("Credential=id0/"));
}

TEST_F(SignedClientTest, AnAnonymousCallIsNotSigned) {
  keys_->anonymous = true;
  ASSERT_TRUE(Send({Reply(200)}).ok());
  EXPECT_TRUE(http_->requests[0].headers.empty());
}

TEST_F(SignedClientTest, FaultsThatPassAreTriedAgainAfterAWait) {
  const auto answer = Send({NoAnswer(true), Reply(503, "SlowDown"), NoAnswer(false), Reply(200)});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->attempts, 4);
  EXPECT_TRUE(answer->may_have_happened_before);
  EXPECT_EQ(sleeper_->waits.size(), 3U);
}

TEST_F(SignedClientTest, WhatNeverLeftHasNotHappened) {
  const auto answer = Send({NoAnswer(false), Reply(429), Reply(200)});
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->may_have_happened_before);
}

TEST_F(SignedClientTest, ItGivesUpAfterItsAttempts) {
  EXPECT_EQ(Send({NoAnswer(true)}).status().code(), Code::kUnavailable);
  EXPECT_EQ(http_->requests.size(), 5U);
  const auto answer = Send({Reply(500)});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->reply.status, 500);
  EXPECT_EQ(answer->attempts, 5);
}

TEST_F(SignedClientTest, TheBudgetOfAllCallsEndsRetries) {
  size_t sent = 0;
  for (int call = 0; call < 60; ++call) {
    static_cast<void>(Send({Reply(503)}));
    sent += http_->requests.size();
  }
  EXPECT_EQ(sent, 60U + RetryBudget::kFull / RetryBudget::kOfRetry);
}

TEST_F(SignedClientTest, ExpiredKeysAreRefreshedAtOnceAndNotForever) {
  ASSERT_EQ(Send({Reply(400, "ExpiredToken"), Reply(200)})->reply.status, 200);
  EXPECT_EQ(keys_->refreshes, 1);
  EXPECT_THAT(HeaderOf(http_->requests[1], "authorization"), HasSubstr("Credential=id1/"));
  EXPECT_TRUE(sleeper_->waits.empty());
  EXPECT_EQ(Send({Reply(400, "ExpiredToken")})->reply.status, 400);
  EXPECT_EQ(http_->requests.size(), 3U);
}

TEST_F(SignedClientTest, AClockThatIsOffIsCorrectedByTheServers) {
  const std::vector<net::HttpHeader> date = {{"date", "Tue, 03 Nov 2026 03:20:00 GMT"}};
  ASSERT_EQ(Send({Reply(403, "RequestTimeTooSkewed", date), Reply(200)})->reply.status, 200);
  EXPECT_EQ(HeaderOf(http_->requests[0], "x-amz-date"), "20261103T030000Z");
  EXPECT_EQ(HeaderOf(http_->requests[1], "x-amz-date"), "20261103T032000Z");
  EXPECT_EQ(client_.clock_skew(), std::chrono::minutes(20));
  EXPECT_EQ(client_.server_ahead(), std::chrono::minutes(20));
  ASSERT_TRUE(Send({Reply(200)}).ok());
  EXPECT_EQ(HeaderOf(http_->requests[0], "x-amz-date"), "20261103T032000Z");  // remembered
}

TEST_F(SignedClientTest, RetryAfterIsKeptWithinReason) {
  ASSERT_TRUE(Send({Reply(503, "", {{"retry-after", "3"}}), Reply(200)}).ok());
  EXPECT_GE(sleeper_->waits.at(0), std::chrono::seconds(3));
  ASSERT_TRUE(Send({Reply(503, "", {{"retry-after", "3000"}}), Reply(200)}).ok());
  EXPECT_LE(sleeper_->waits.at(1), RetryPolicy().longest_wait);
}

TEST_F(SignedClientTest, AStopEndsTheRetries) {
  sleeper_->cancelled = true;
  EXPECT_EQ(Send({Reply(503)}).status().code(), Code::kCancelled);
  EXPECT_EQ(http_->requests.size(), 1U);
}

TEST_F(SignedClientTest, FailuresThatStayAreNotTriedAgain) {
  EXPECT_EQ(Send({{.failure = {Corruption("too large"), true}}}).status().code(), Code::kCorruption);
  EXPECT_EQ(http_->requests.size(), 1U);
}

}  // namespace
}  // namespace tidegate::aws
