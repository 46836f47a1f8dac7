#include "tidegate/aws/instance_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tidegate/aws/service_question.h"
#include "tidegate/aws/sigv4.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

constexpr const char* kKeysPath = "/latest/meta-data/iam/security-credentials/";
constexpr const char* kRegionPath = "/latest/meta-data/placement/region";
constexpr int kAttempts = 2;

std::string EndpointText(const VariableLookup& variable, const std::string& profile_endpoint) {
  if (const auto set = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT")) return *set;
  if (!profile_endpoint.empty()) return profile_endpoint;
  const bool ipv6 = ToLower(variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE").value_or("")) == "ipv6";
  return ipv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
}

bool FitsHeader(std::string_view text) {
  return !text.empty() && text.size() <= 4096 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

std::string FirstLine(std::string_view text) { return std::string(text.substr(0, text.find_first_of("\r\n"))); }

}  // namespace

bool InstanceMetadataDisabled(const VariableLookup& variable) {
  return ToLower(variable("AWS_EC2_METADATA_DISABLED").value_or("")) == "true";
}

Result<std::unique_ptr<InstanceMetadata>> InstanceMetadata::Make(const Surroundings& surroundings,
                                                                 const std::string& profile_endpoint) {
  TG_ASSIGN_OR_RETURN(Url url, ParseUrl(EndpointText(surroundings.variable, profile_endpoint),
                                        "the endpoint of the instance metadata service"));
  while (url.path.ends_with('/')) url.path.pop_back();
  return std::unique_ptr<InstanceMetadata>(new InstanceMetadata(surroundings, std::move(url)));
}

InstanceMetadata::InstanceMetadata(const Surroundings& surroundings, Url endpoint)
    : surroundings_(surroundings), endpoint_(std::move(endpoint)) {}

std::string InstanceMetadata::Name() const { return "instance metadata at " + endpoint_.origin; }

Result<net::HttpReply> InstanceMetadata::Send(const net::HttpRequest& request) const {
  ServiceQuestion question{surroundings_.metadata_http.get(), surroundings_.sleeper.get(), Name(), kAttempts};
  question.request = [&] {
    net::HttpRequest out = request;
    out.origin = endpoint_.origin;
    out.path = endpoint_.path + request.path;
    out.time_limit = std::chrono::seconds(1);
    return out;
  };
  return Ask(question);
}

Result<std::string> InstanceMetadata::Token() const {
  net::HttpRequest request;
  request.method = "PUT";
  request.path = "/latest/api/token";
  request.headers = {{"x-aws-ec2-metadata-token-ttl-seconds", "300"}};
  TG_ASSIGN_OR_RETURN(const net::HttpReply reply, Send(request));
  const std::string token = FirstLine(reply.body);
  if (reply.ok() && FitsHeader(token)) return token;
  const Code code = reply.status >= 500 ? Code::kUnavailable : Code::kUnauthenticated;
  return Status(code, Name() + ": no token for version 2 of the service: status " + std::to_string(reply.status) +
                          "; allow version 2 (IMDSv2) on the machine, in a container with a hop limit of 2");
}

Result<std::string> InstanceMetadata::Read(const std::string& token, const std::string& path) const {
  net::HttpRequest request;
  request.path = path;
  request.headers = {{"x-aws-ec2-metadata-token", token}};
  TG_ASSIGN_OR_RETURN(net::HttpReply reply, Send(request));
  if (reply.ok()) return std::move(reply.body);
  const std::string what = Name() + ": " + path.substr(0, 64) + ": status " + std::to_string(reply.status);
  if (reply.status == 404) {
    return Unauthenticated(what + ": this machine has no role; attach an instance profile to it");
  }
  return Status(reply.status >= 500 || reply.status == 429 ? Code::kUnavailable : Code::kUnauthenticated, what);
}

Result<Credentials> InstanceMetadata::Keys() const {
  TG_ASSIGN_OR_RETURN(const std::string token, Token());
  TG_ASSIGN_OR_RETURN(const std::string roles, Read(token, kKeysPath));
  const std::string role = FirstLine(roles);
  if (!FitsHeader(role)) {
    return Unauthenticated(Name() + ": this machine has no role; attach an instance profile to it");
  }
  TG_ASSIGN_OR_RETURN(const std::string text, Read(token, kKeysPath + UriEncode(role, false)));
  const std::string from = Name() + ", role " + Shown(role, {token});
  TG_ASSIGN_OR_RETURN(const Json document, ObjectFrom(text, from));
  const auto code = document.find("Code");
  if (code != document.end() && *code != "Success") {
    return Unauthenticated(from + ": the service gives no keys for this role; check the role's trust policy");
  }
  return KeysFromJson(document, "Token", from);
}

Result<std::string> InstanceMetadata::Region() const {
  TG_ASSIGN_OR_RETURN(const std::string token, Token());
  TG_ASSIGN_OR_RETURN(const std::string text, Read(token, kRegionPath));
  const std::string region = FirstLine(text);
  if (!IsRegion(region)) return Corruption(Name() + ": what it calls a region is none");
  return region;
}

InstanceSource::InstanceSource(std::unique_ptr<InstanceMetadata> metadata) : metadata_(std::move(metadata)) {}

Result<std::unique_ptr<KeySource>> InstanceSource::Make(const Surroundings& surroundings,
                                                        const std::string& profile_endpoint) {
  TG_ASSIGN_OR_RETURN(auto metadata, InstanceMetadata::Make(surroundings, profile_endpoint));
  return std::unique_ptr<KeySource>(new InstanceSource(std::move(metadata)));
}

}  // namespace tidegate::aws
