#include "tidegate/aws/container_source.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "tidegate/aws/service_question.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

constexpr const char* kRelative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr const char* kFull = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr size_t kMaxTokenBytes = 64 << 10;
constexpr int kAttempts = 3;

/// An address in its binary form, so that it can be written in any way; "" where it is none.
std::string Address(const std::string& text) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return "";
}

/// May a secret go there without TLS? This machine, and the agents of ECS and EKS.
bool IsNear(const std::string& host) {
  if (host == "localhost") return true;
  const std::string address = Address(host);
  if (address.empty()) return false;
  if (address.size() == 4 && address[0] == 127) return true;
  for (const char* agent : {"::1", "169.254.170.2", "169.254.170.23", "fd00:ec2::23"}) {
    if (address == Address(agent)) return true;
  }
  return false;
}

Result<Url> AgentUrl(const VariableLookup& variable) {
  if (const auto relative = variable(kRelative)) {
    const bool rooted = relative->starts_with('/');
    return ParseUrl("http://169.254.170.2" + std::string(rooted ? "" : "/") + *relative, kRelative);
  }
  TG_ASSIGN_OR_RETURN(Url url, ParseUrl(variable(kFull).value_or(""), kFull));
  if (url.tls() || IsNear(url.host)) return url;
  return InvalidArgument(std::string(kFull) +
                         ": over http only this machine and the agents of ECS and EKS are asked: " + Quoted(url.host) +
                         "; use https");
}

}  // namespace

bool NamesContainer(const VariableLookup& variable) { return variable(kRelative) || variable(kFull); }

Result<std::unique_ptr<KeySource>> ContainerSource::Make(const Surroundings& surroundings) {
  TG_ASSIGN_OR_RETURN(Url url, AgentUrl(surroundings.variable));
  return std::unique_ptr<KeySource>(new ContainerSource(surroundings, std::move(url)));
}

ContainerSource::ContainerSource(const Surroundings& surroundings, Url url)
    : surroundings_(surroundings), url_(std::move(url)) {}

std::string ContainerSource::Describe() const { return "container role (agent at " + url_.origin + ")"; }

Result<std::string> ContainerSource::Token() const {
  std::string token;
  if (const auto path = surroundings_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    TG_ASSIGN_OR_RETURN(token, surroundings_.read_file(*path, kMaxTokenBytes));
  } else {
    token = surroundings_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  }
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c >= ' ' && c < 0x7F; });
  if (plain) return token;
  return InvalidArgument("the token for the agent has characters that cannot stand in a header");
}

Result<Credentials> ContainerSource::Fetch() {
  const Result<std::string> token = Token();
  if (!token.ok()) return token.status().WithContext(Describe());
  ServiceQuestion question{surroundings_.metadata_http.get(), surroundings_.sleeper.get(), Describe(), kAttempts};
  question.request = [&] {
    net::HttpRequest request;
    request.origin = url_.origin;
    request.path = url_.path;
    request.query = url_.query;
    request.time_limit = std::chrono::seconds(5);
    request.headers = {{"accept", "application/json"}};
    if (!token->empty()) request.headers.push_back({"authorization", *token});
    return request;
  };
  TG_ASSIGN_OR_RETURN(const net::HttpReply reply, Ask(question));
  if (!reply.ok()) {
    const Code code = reply.status >= 500 || reply.status == 429 ? Code::kUnavailable : Code::kUnauthenticated;
    return Status(code, Describe() + ": no keys: status " + std::to_string(reply.status) +
                            "; check the role of the task or pod and its token");
  }
  TG_ASSIGN_OR_RETURN(const Json document, ObjectFrom(reply.body, Describe()));
  return KeysFromJson(document, "Token", Describe());
}

}  // namespace tidegate::aws
