#include "tidegate/aws/sts.h"

#include <algorithm>
#include <pugixml.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/aws/key_source.h"
#include "tidegate/aws/service_error.h"
#include "tidegate/aws/service_question.h"
#include "tidegate/aws/sigv4.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

constexpr int kLeastDurationSeconds = 900;
constexpr int kLongestDurationSeconds = 43'200;

bool IsSessionName(std::string_view text) {
  return text.size() >= 2 && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("_+=,.@-").find(c) != std::string_view::npos;
         });
}

bool IsArn(std::string_view text) {
  return text.starts_with("arn:") && text.size() <= 2048 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

/// The element of a name among the children, whatever its namespace prefix.
pugi::xml_node Child(const pugi::xml_node& parent, std::string_view name) {
  for (const pugi::xml_node child : parent.children()) {
    const std::string_view full = child.name();
    const size_t colon = full.find(':');
    if (full.substr(colon == std::string_view::npos ? 0 : colon + 1) == name) return child;
  }
  return {};
}

bool IsOneOf(std::string_view code, std::initializer_list<std::string_view> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

/// What a refusal means and what to do, where it is one that STS is known for.
struct Meaning {
  Code code = Code::kUnauthenticated;
  std::string_view advice{};
};

Meaning MeaningForToken(std::string_view code) {
  if (code == "ExpiredTokenException" || code == "ExpiredToken") {
    return {Code::kUnauthenticated, "the token has run out; let its issuer give a new one"};
  }
  if (code == "InvalidIdentityToken" || code == "InvalidParameterValue") {  // the latter from SeaweedFS
    return {Code::kUnauthenticated,
            "the token is not accepted; check that its issuer is an identity provider of the account, and that its "
            "audience is one of the provider's"};
  }
  if (code == "IDPRejectedClaim") {
    return {Code::kUnauthenticated, "the issuer does not stand by the token; let it give a new one"};
  }
  if (IsOneOf(code, {"AccessDenied", "AccessDeniedException"})) {
    return {
        Code::kPermissionDenied,
        "the role does not trust the token; compare the conditions of its trust policy with the token's aud and sub"};
  }
  return {};
}

Meaning MeaningForKeys(std::string_view code) {
  if (IsOneOf(code, {"AccessDenied", "AccessDeniedException"})) {
    return {Code::kPermissionDenied,
            "these keys may not take the role; the role's trust policy and the keys' own policy must both allow "
            "sts:AssumeRole (an external id has to match, too)"};
  }
  if (IsOneOf(code, {"ExpiredToken", "ExpiredTokenException"})) {
    return {Code::kUnauthenticated, "the keys that ask have run out; get new ones"};
  }
  if (IsOneOf(code, {"InvalidClientTokenId", "UnrecognizedClientException", "InvalidAccessKeyId"})) {
    return {Code::kUnauthenticated, "the keys that ask are not known; check them"};
  }
  if (code == "SignatureDoesNotMatch") {
    return {Code::kUnauthenticated,
            "the secret key is not the one that belongs to the access key, or the clock is wrong"};
  }
  return {};
}

Meaning MeaningOf(const ServiceError& refusal, bool by_token) {
  const Meaning known = by_token ? MeaningForToken(refusal.code) : MeaningForKeys(refusal.code);
  if (!known.advice.empty()) return known;
  if (refusal.code == "RegionDisabledException") {
    return {Code::kPermissionDenied, "STS is switched off in this region for the account; name another region"};
  }
  if (refusal.code == "ValidationError")
    return {Code::kInvalidArgument, "check the role's ARN, its duration and names"};
  if (IsTransient(refusal) || refusal.code == "IDPCommunicationError") return {Code::kUnavailable, "run again later"};
  if (refusal.status == 403) return {Code::kPermissionDenied, "check the role's trust policy"};
  return {Code::kUnauthenticated, "check the endpoint, the role and the identity that asks"};
}

Result<Credentials> ReadKeys(const net::HttpReply& reply, const std::string& action, const std::string& name) {
  pugi::xml_document document;
  if (!document.load_buffer(reply.body.data(), reply.body.size())) {
    return Corruption(name + ": the reply to " + action + " is no XML; check the endpoint");
  }
  const pugi::xml_node result = Child(Child(document, action + "Response"), action + "Result");
  const pugi::xml_node keys = Child(result, "Credentials");
  if (!keys) return Corruption(name + ": the reply to " + action + " holds no keys; check the endpoint");
  Credentials out;
  out.access_key_id = Child(keys, "AccessKeyId").text().as_string();
  out.secret_access_key = Child(keys, "SecretAccessKey").text().as_string();
  out.session_token = Child(keys, "SessionToken").text().as_string();
  TG_ASSIGN_OR_RETURN(out.expires, ReadExpiry(Child(keys, "Expiration").text().as_string(), name));
  return CheckedKeys(std::move(out), name);
}

/// What a reply with another status than 2xx comes to. No secret of the request is in the message, even where the
/// service sends it back.
Status RefusalStatus(const net::HttpReply& reply, const std::string& name, bool by_token,
                     std::initializer_list<std::string_view> secrets) {
  const ServiceError refusal = ReadServiceError(reply);
  const Meaning meaning = MeaningOf(refusal, by_token);
  std::string message =
      name + " gives no keys: " + std::string(meaning.advice) + ": status " + std::to_string(reply.status);
  if (!refusal.code.empty()) message += ", " + Shown(refusal.code, secrets);
  if (!refusal.message.empty()) message += ", " + Shown(refusal.message, secrets);
  return {meaning.code, message};
}

Parameters CommonParameters(const char* action, const RoleRequest& role, UtcTime now) {
  Parameters out = {{"Action", action}, {"Version", "2011-06-15"}, {"RoleArn", role.role_arn}};
  const std::string usual_name = "tidegate-" + std::to_string(UnixSeconds(now));
  out.emplace_back("RoleSessionName", role.session_name.empty() ? usual_name : role.session_name);
  if (role.duration_seconds) out.emplace_back("DurationSeconds", std::to_string(*role.duration_seconds));
  return out;
}

net::HttpRequest Post(const Url& endpoint, std::string_view body) {
  net::HttpRequest out;
  out.method = "POST";
  out.origin = endpoint.origin;
  out.path = endpoint.path;
  out.query = endpoint.query;
  out.headers = {{"content-type", "application/x-www-form-urlencoded; charset=utf-8"}};
  out.body = body;
  return out;
}

}  // namespace

Status CheckRoleRequest(const RoleRequest& role, std::string_view where) {
  if (!IsArn(role.role_arn)) {
    return InvalidArgument(
        std::string(where) +
        ": a role is named by its ARN, such as arn:aws:iam::123456789012:role/x: " + Quoted(role.role_arn));
  }
  if (!role.session_name.empty() && !IsSessionName(role.session_name)) {
    return InvalidArgument(std::string(where) + ": the name of a session has 2 to 64 letters, digits and _+=,.@-: " +
                           Quoted(role.session_name));
  }
  const int seconds = role.duration_seconds.value_or(kLeastDurationSeconds);
  if (seconds < kLeastDurationSeconds || seconds > kLongestDurationSeconds) {
    return InvalidArgument(std::string(where) + ": duration_seconds must be from 900 to 43200");
  }
  return {};
}

Sts::Sts(const Surroundings& surroundings, Url endpoint, std::string region)
    : surroundings_(surroundings), endpoint_(std::move(endpoint)), region_(std::move(region)) {
  if (region_.empty()) region_ = "us-east-1";
}

std::string Sts::Name() const { return "STS at " + endpoint_.origin; }

Result<Credentials> Sts::AssumeRole(const RoleRequest& role, const Credentials& signer) const {
  Parameters parameters = CommonParameters("AssumeRole", role, surroundings_.clock->Now());
  if (!role.external_id.empty()) parameters.emplace_back("ExternalId", role.external_id);
  const std::string body = EncodeQuery(std::move(parameters));
  ServiceQuestion question{surroundings_.http.get(), surroundings_.sleeper.get(), Name()};
  question.request = [&] {
    net::HttpRequest request = Post(endpoint_, body);
    SignRequest(signer, {region_, "sts"}, surroundings_.clock->Now(), Sha256Hex(body), request);
    return request;
  };
  TG_ASSIGN_OR_RETURN(const net::HttpReply reply, Ask(question));
  if (reply.ok()) return ReadKeys(reply, "AssumeRole", Name());
  return RefusalStatus(reply, Name(), /*by_token=*/false,
                       {signer.secret_access_key, signer.session_token, role.external_id});
}

Result<Credentials> Sts::AssumeRoleWithWebIdentity(const RoleRequest& role, const std::string& token) const {
  Parameters parameters = CommonParameters("AssumeRoleWithWebIdentity", role, surroundings_.clock->Now());
  parameters.emplace_back("WebIdentityToken", token);
  const std::string body = EncodeQuery(std::move(parameters));
  ServiceQuestion question{surroundings_.http.get(), surroundings_.sleeper.get(), Name()};
  question.request = [&] { return Post(endpoint_, body); };
  TG_ASSIGN_OR_RETURN(const net::HttpReply reply, Ask(question));
  if (reply.ok()) return ReadKeys(reply, "AssumeRoleWithWebIdentity", Name());
  return RefusalStatus(reply, Name(), /*by_token=*/true, {token});
}

}  // namespace tidegate::aws
