// A machine for tests: environment, files, commands, a clock that stands, and services that a test writes itself.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/aws/credentials.h"
#include "tidegate/aws/retry.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/hash.h"
#include "tidegate/base/log.h"

namespace tidegate::aws {

/// What was sent, kept beyond the call.
struct SentRequest {
  net::HttpRequest request;
  std::string body;

  std::string Url() const {
    return request.method + " " + request.origin + request.path + (request.query.empty() ? "" : "?" + request.query);
  }
  std::string Header(const std::string& name) const {
    for (const net::HttpHeader& header : request.headers) {
      if (header.name == name) return header.value;
    }
    return "";
  }
};

inline net::HttpOutcome ReplyWith(int status, std::string body) {
  net::HttpOutcome out;
  out.reply.emplace();
  out.reply->status = status;
  out.reply->body_bytes = body.size();
  out.reply->body = std::move(body);
  return out;
}

inline net::HttpOutcome NoAnswer() {
  net::HttpOutcome out;
  out.failure = {Unavailable("no answer"), false};
  return out;
}

class FakeHttp final : public net::HttpClient {
 public:
  net::HttpOutcome Send(const net::HttpRequest& request) override {
    sent.push_back({request, std::string(request.body)});
    sent.back().request.body = {};
    return answer ? answer(sent.back()) : NoAnswer();
  }

  std::function<net::HttpOutcome(const SentRequest&)> answer = {};
  std::vector<SentRequest> sent = {};
};

class NoSleep final : public Sleeper {
 public:
  Status Sleep(std::chrono::milliseconds) override {
    ++naps;
    return {};
  }
  int naps = 0;
};

/// Makes secrets, and fails where one of them shows in a text. Collects log lines meanwhile.
class Secrets {
 public:
  Secrets() {
    SetLogSink([this](LogLevel, std::string_view line) { log += std::string(line) + "\n"; });
  }
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;
  ~Secrets() {
    SetLogSink(nullptr);
    ExpectNoneIn(log);
  }

  std::string Make() {
    all.push_back("s3cr3t" + HashBytes("", RandomBits()).ToHex());
    return all.back();
  }
  void ExpectNoneIn(const std::string& text) const {
    for (const std::string& secret : all) EXPECT_EQ(text.find(secret), std::string::npos) << text;
  }

  std::vector<std::string> all = {};
  std::string log{};
};

class Machine {
 public:
  Machine() { variables["HOME"] = "/home/me"; }

  Surroundings Make() {
    Surroundings out;
    out.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end() || found->second.empty()) return std::nullopt;
      return found->second;
    };
    out.read_file = [this](const std::string& path, size_t max_bytes) -> Result<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return NotFound("cannot read the file: " + path);
      if (found->second.size() > max_bytes) return InvalidArgument("the file is too large: " + path);
      return found->second;
    };
    out.replace_file = [this](const std::string& path, const std::string& bytes) {
      if (!disk_full) files[path] = bytes;
      return disk_full ? Unavailable("no space") : Status();
    };
    out.run = [this](const std::vector<std::string>& argv) -> Result<std::string> {
      ran.push_back(argv);
      return command ? command(argv) : NotFound("cannot run the command");
    };
    out.sleeper = sleeper;
    out.clock = clock;
    out.http = http;
    out.metadata_http = metadata;
    return out;
  }

  std::map<std::string, std::string> variables = {};
  std::map<std::string, std::string> files = {};
  bool disk_full = false;
  std::function<Result<std::string>(const std::vector<std::string>&)> command = {};
  std::vector<std::vector<std::string>> ran = {};
  std::shared_ptr<NoSleep> sleeper = std::make_shared<NoSleep>();
  std::shared_ptr<FixedClock> clock = std::make_shared<FixedClock>(*ParseRfc3339("2026-11-03T03:00:00Z"));
  std::shared_ptr<FakeHttp> http = std::make_shared<FakeHttp>();
  std::shared_ptr<FakeHttp> metadata = std::make_shared<FakeHttp>();
  Secrets secrets;
};

/// What STS answers.
inline std::string StsKeys(const std::string& action, const std::string& id, const std::string& secret,
                           const std::string& token, const std::string& expires) {
  return "<" + action + R"(Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><)" + action +
         "Result><Credentials><AccessKeyId>" + id + "</AccessKeyId><SecretAccessKey>" + secret +
         "</SecretAccessKey><SessionToken>" + token + "</SessionToken><Expiration>" + expires +
         "</Expiration></Credentials></" + action + "Result></" + action + "Response>";
}

inline std::string StsError(const std::string& code, const std::string& message) {
  return R"(<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>)" + code +
         "</Code><Message>" + message + "</Message></Error><RequestId>1</RequestId></ErrorResponse>";
}

}  // namespace tidegate::aws
