#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/net/http.h"
#include "tidegate/net/test_http_server.h"

namespace tidegate::net {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::unique_ptr<HttpClient> MakeClient(HttpOptions options = {}) {
  options.use_proxy = false;
  auto client = MakeHttpClient(std::move(options));
  EXPECT_TRUE(client.ok());
  return *std::move(client);
}

HttpOptions Impatient() {
  HttpOptions options;
  options.stall_limit = std::chrono::seconds(1);
  return options;
}

TEST(CurlClientTest, SendsWhatItIsGivenAndReadsTheReply) {
  std::string seen;
  TestHttpServer server([&](const std::string& request) {
    seen = request;
    return PlainReply("hello", "206 Partial Content", "ETag: \"e\"\r\nX-Two:  b \r\n");
  });
  const auto client = MakeClient();
  HttpRequest request{.method = "PUT", .origin = server.origin(), .path = "/a%20b/dt%3D1/../c", .query = "b=&a=1"};
  request.headers = {{"x-one", "1"}, {"x-empty", ""}};
  request.body = "some bytes";
  const HttpOutcome outcome = client->Send(request);
  ASSERT_TRUE(outcome.reply.has_value()) << outcome.failure.status.ToString();
  EXPECT_EQ(outcome.reply->status, 206);
  EXPECT_EQ(outcome.reply->body, "hello");
  EXPECT_EQ(outcome.reply->Header("etag"), "\"e\"");
  EXPECT_EQ(outcome.reply->Header("x-two"), "b");
  EXPECT_EQ(outcome.reply->Header("x-three"), "");
  EXPECT_THAT(seen, StartsWith("PUT /a%20b/dt%3D1/../c?b=&a=1 HTTP/1.1\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\nx-one: 1\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\nx-empty:\r\n"));
  EXPECT_THAT(seen, testing::EndsWith("\r\n\r\nsome bytes"));
  EXPECT_THAT(seen, testing::Not(HasSubstr("Expect:")));
}

TEST(CurlClientTest, EachMethodIsSentWithTheRightLength) {
  std::string seen;
  TestHttpServer server([&](const std::string& request) {
    seen = request;
    return request.starts_with("HEAD") ? CannedReply{"HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n"} : PlainReply("");
  });
  const auto client = MakeClient();
  for (const char* method : {"GET", "HEAD", "DELETE", "POST", "PUT", "GET"}) {
    const HttpOutcome outcome = client->Send({.method = method, .origin = server.origin()});
    ASSERT_TRUE(outcome.reply.has_value()) << method << outcome.failure.status.ToString();
    EXPECT_THAT(seen, StartsWith(std::string(method) + " / HTTP/1.1\r\n"));
    const bool has_body = std::string(method).starts_with("P");
    EXPECT_EQ(seen.find("Content-Length: 0") != std::string::npos, has_body) << seen;
    EXPECT_THAT(seen, testing::Not(HasSubstr("Transfer-Encoding")));
  }
  EXPECT_EQ(server.connections(), 1);  // used again and again
}

TEST(CurlClientTest, ABodyGoesIntoTheCallersMemoryOnlyWhereItIsASuccess) {
  TestHttpServer server([&](const std::string& request) {
    return request.starts_with("GET /good") ? PlainReply("12345") : PlainReply("<Error/>", "404 Not Found");
  });
  const auto client = MakeClient();
  std::string out(8, '.');
  const HttpOutcome good = client->Send({.origin = server.origin(), .path = "/good", .out = out});
  ASSERT_TRUE(good.reply.has_value());
  EXPECT_EQ(out, "12345...");
  EXPECT_EQ(good.reply->body_bytes, 5U);
  EXPECT_EQ(good.reply->body, "");
  const HttpOutcome bad = client->Send({.origin = server.origin(), .path = "/bad", .out = out});
  ASSERT_TRUE(bad.reply.has_value());
  EXPECT_EQ(bad.reply->body, "<Error/>");
  EXPECT_EQ(out, "12345...");
}

TEST(CurlClientTest, MoreThanWasAllowedIsNeverKept) {
  TestHttpServer server([](const std::string&) { return PlainReply(std::string(100'000, 'x')); });
  const auto client = MakeClient();
  std::string out(99'999, '.');
  EXPECT_EQ(client->Send({.origin = server.origin(), .out = out}).failure.status.code(), Code::kCorruption);
  EXPECT_EQ(client->Send({.origin = server.origin(), .max_body_bytes = 99'999}).failure.status.code(),
            Code::kCorruption);
  EXPECT_TRUE(client->Send({.origin = server.origin(), .max_body_bytes = 100'000}).reply.has_value());
}

TEST(CurlClientTest, WhatAnErrorSaysIsReadHoweverSmallTheAnswerMayBe) {
  TestHttpServer server(
      [](const std::string&) { return PlainReply("<Error>what went wrong</Error>", "404 Not Found"); });
  const HttpOutcome outcome = MakeClient()->Send({.origin = server.origin(), .max_body_bytes = 3});
  ASSERT_TRUE(outcome.reply.has_value());
  EXPECT_EQ(outcome.reply->body, "<Error>what went wrong</Error>");
}

TEST(CurlClientTest, ACutBodyASilentServerAndAResetAreUnavailable) {
  using After = CannedReply::After;
  for (const CannedReply& reply :
       {CannedReply{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", After::kClose},
        CannedReply{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", After::kReset},
        CannedReply{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", After::kSilence},
        CannedReply{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n", After::kClose},
        CannedReply{"", After::kSilence}, CannedReply{"", After::kReset},
        CannedReply{"nonsense\r\n\r\n", After::kClose}}) {
    TestHttpServer server([&](const std::string&) { return reply; });
    const HttpOutcome outcome =
        MakeClient(Impatient())->Send({.method = "PUT", .origin = server.origin(), .body = "b"});
    ASSERT_FALSE(outcome.reply.has_value()) << reply.bytes;
    EXPECT_EQ(outcome.failure.status.code(), Code::kUnavailable) << outcome.failure.status.ToString();
    EXPECT_TRUE(outcome.failure.may_have_arrived);
    EXPECT_THAT(outcome.failure.status.message(), HasSubstr(server.origin()));
  }
}

TEST(CurlClientTest, AnAddressWithoutAServerDidNothing) {
  std::string origin;
  {
    origin = TestHttpServer([](const std::string&) { return PlainReply(""); }).origin();
  }
  const HttpOutcome refused = MakeClient()->Send({.origin = origin});
  EXPECT_EQ(refused.failure.status.code(), Code::kUnavailable);
  EXPECT_FALSE(refused.failure.may_have_arrived);
  const HttpOutcome unknown = MakeClient()->Send({.origin = "http://no-such-host.invalid"});
  EXPECT_EQ(unknown.failure.status.code(), Code::kUnavailable);
  EXPECT_FALSE(unknown.failure.may_have_arrived);
  EXPECT_THAT(unknown.failure.status.message(), HasSubstr("DNS"));
  for (const char* odd : {"ftp://127.0.0.1", "http://", "nonsense://x", "file:///etc"}) {
    EXPECT_EQ(MakeClient()->Send({.origin = odd}).failure.status.code(), Code::kInvalidArgument) << odd;
  }
}

TEST(CurlClientTest, ARequestThatIsCancelledEnds) {
  TestHttpServer server([](const std::string&) { return CannedReply{"", CannedReply::After::kSilence}; });
  CancelFlag cancel;
  HttpOptions options;
  options.cancel = &cancel;
  const auto client = MakeClient(options);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel.Cancel();
  });
  const HttpOutcome outcome = client->Send({.origin = server.origin()});
  later.join();
  EXPECT_EQ(outcome.failure.status.code(), Code::kCancelled);
}

TEST(CurlClientTest, ManyThreadsShareTheConnections) {
  TestHttpServer server([](const std::string& request) { return PlainReply(request.substr(0, 40)); });
  const auto client = MakeClient();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const std::string path = "/" + std::to_string(t) + "/" + std::to_string(i);
        const HttpOutcome outcome = client->Send({.origin = server.origin(), .path = path});
        if (!outcome.reply || !outcome.reply->body.starts_with("GET " + path + " ")) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(server.connections(), 8);
}

TEST(CurlClientTest, ACaFileThatIsNotThereIsAnErrorAtOnce) {
  const auto client = MakeHttpClient({.ca_bundle = "/no/such/ca.pem"});
  EXPECT_EQ(client.status().code(), Code::kNotFound);
  EXPECT_THAT(client.status().message(), HasSubstr("/no/such/ca.pem"));
}

TEST(ParseHttpDateTest, ReadsTheFormOfHeaders) {
  EXPECT_EQ(FormatRfc3339(*ParseHttpDate("Tue, 03 Nov 2026 03:04:05 GMT")), "2026-11-03T03:04:05Z");
  for (const char* odd : {"", "yesterday", "2026-11-03T03:04:05Z"}) EXPECT_FALSE(ParseHttpDate(odd)) << odd;
}

}  // namespace
}  // namespace tidegate::net
