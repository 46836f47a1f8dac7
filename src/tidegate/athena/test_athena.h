// For tests: an Athena on loopback that answers each call with what a function says, and a client of it that does not
// wait.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tidegate/athena/athena_client.h"
#include "tidegate/aws/test_keys.h"
#include "tidegate/net/test_http_server.h"

namespace tidegate::athena {

class NeverWaits final : public aws::Sleeper {
 public:
  Status Sleep(std::chrono::milliseconds) override { return {}; }
};

class TestAthena {
 public:
  /// `answer` gets the operation and the request's JSON, on the server's threads; what it returns goes out with 200.
  explicit TestAthena(std::function<std::string(const std::string& operation, const std::string& body)> answer)
      : answer_(std::move(answer)) {}

  std::unique_ptr<AthenaClient> Client() {
    AthenaSettings settings{.region = "eu-central-1", .origin = server_.origin()};
    settings.credentials = std::make_shared<aws::TestKeys>();
    settings.http = *net::MakeHttpClient({.use_proxy = false});
    settings.sleeper = std::make_shared<NeverWaits>();
    return std::make_unique<AthenaClient>(std::move(settings));
  }

 private:
  net::CannedReply Reply(const std::string& request) {
    constexpr std::string_view kBefore = "AmazonAthena.";
    const size_t at = request.find(kBefore) + kBefore.size();
    const std::string operation = request.substr(at, request.find_first_of("\r\n", at) - at);
    return net::PlainReply(answer_(operation, request.substr(request.find("\r\n\r\n") + 4)));
  }

  const std::function<std::string(const std::string&, const std::string&)> answer_;
  net::TestHttpServer server_{[this](const std::string& request) { return Reply(request); }};
};

}  // namespace tidegate::athena
