#include "tidegate/aws/sso_source.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "tidegate/aws/digest.h"
#include "tidegate/aws/service_question.h"
#include "tidegate/aws/sigv4.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr size_t kMaxCacheBytes = 256 << 10;
constexpr minutes kRefreshBefore(5);
constexpr int64_t kLongestTokenSeconds = 366 * 24 * 3600;

bool FitsHeader(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

std::string WithPath(const Url& url, const char* path) { return (url.path == "/" ? "" : url.path) + path; }

}  // namespace

struct SsoSource::Token {
  Json document{};  // as it lies in the cache
  std::string access{};
  UtcTime expires{};

  bool CanRefresh() const {
    return !TextOr(document, "refreshToken").empty() && !TextOr(document, "clientId").empty() &&
           !TextOr(document, "clientSecret").empty();
  }
};

SsoSource::SsoSource(SsoSettings settings, Url portal, Url oidc, const Surroundings& surroundings)
    : settings_(std::move(settings)), portal_(std::move(portal)), oidc_(std::move(oidc)), surroundings_(surroundings) {
  const std::string& key = settings_.session.empty() ? settings_.start_url : settings_.session;
  cache_path_ = ExpandHome(surroundings_.variable, "~/.aws/sso/cache/" + Sha1Hex(key) + ".json");
}

std::string SsoSource::Describe() const {
  return "profile " + Quoted(settings_.profile) + " (SSO, role " + Quoted(settings_.role_name) + " of account " +
         Quoted(settings_.account_id) + ")";
}

Status SsoSource::LogIn(const std::string& why) const {
  return Unauthenticated(Describe() + ": " + why + "; run `aws sso login --profile " + Quoted(settings_.profile) + "`");
}

Result<SsoSource::Token> SsoSource::ReadCache() const {
  const Result<std::string> text = surroundings_.read_file(cache_path_, kMaxCacheBytes);
  if (!text.ok() && text.status().code() == Code::kNotFound) return LogIn("nobody is logged in");
  if (!text.ok()) return text.status().WithContext(Describe());
  Token out;
  const Result<Json> document = ObjectFrom(*text, Describe());
  if (!document.ok()) return LogIn("the cached login cannot be read");
  out.document = *document;
  out.access = TextOr(out.document, "accessToken");
  const Result<UtcTime> expires = ReadExpiry(TextOr(out.document, "expiresAt"), Describe());
  if (!expires.ok() || !FitsHeader(out.access)) return LogIn("the cached login cannot be read");
  out.expires = *expires;
  return out;
}

Result<SsoSource::Token> SsoSource::CurrentToken() const {
  TG_ASSIGN_OR_RETURN(Token token, ReadCache());
  const UtcTime now = surroundings_.clock->Now();
  if (now + kRefreshBefore < token.expires) return token;
  if (!settings_.session.empty() && token.CanRefresh()) {
    Result<Token> fresh = RefreshToken(token);
    if (fresh.ok()) {
      WriteCache(*fresh);
      return fresh;
    }
    if (now >= token.expires) return fresh;
  }
  if (now < token.expires) return token;
  return LogIn("the login ran out at " + FormatRfc3339(token.expires));
}

Result<SsoSource::Token> SsoSource::RefreshToken(const Token& old) const {
  const Result<UtcTime> registered = ReadExpiry(TextOr(old.document, "registrationExpiresAt"), Describe());
  if (registered.ok() && *registered <= surroundings_.clock->Now()) return LogIn("the login ran out for good");
  OrderedJson form;
  form["grantType"] = "refresh_token";
  form["clientId"] = TextOr(old.document, "clientId");
  form["clientSecret"] = TextOr(old.document, "clientSecret");
  form["refreshToken"] = TextOr(old.document, "refreshToken");
  const std::string body = DumpJson(form);
  ServiceQuestion question{surroundings_.http.get(), surroundings_.sleeper.get(),
                           Describe() + ": SSO OIDC at " + oidc_.origin};
  question.request = [&] {
    net::HttpRequest request;
    request.method = "POST";
    request.origin = oidc_.origin;
    request.path = WithPath(oidc_, "/token");
    request.headers = {{"content-type", "application/json"}};
    request.body = body;
    return request;
  };
  TG_ASSIGN_OR_RETURN(const net::HttpReply reply, Ask(question));
  if (reply.ok()) return ReadNewToken(reply.body, old);
  if (reply.status >= 500 || reply.status == 429) {
    return Unavailable(question.what + ": status " + std::to_string(reply.status) + "; run again later");
  }
  return LogIn("the login could not be renewed: status " + std::to_string(reply.status));
}

Result<SsoSource::Token> SsoSource::ReadNewToken(const std::string& body, const Token& old) const {
  TG_ASSIGN_OR_RETURN(const Json reply, ObjectFrom(body, Describe()));
  Token out = old;
  out.access = TextOr(reply, "accessToken");
  const Result<int64_t> life = RequireInteger(reply, "expiresIn");
  if (!FitsHeader(out.access) || !life.ok() || *life <= 0 || *life > kLongestTokenSeconds) {
    return Corruption(Describe() + ": the reply to a renewed login holds no token");
  }
  out.expires = std::chrono::floor<seconds>(surroundings_.clock->Now()) + seconds(*life);
  out.document["accessToken"] = out.access;
  out.document["expiresAt"] = FormatRfc3339(out.expires);
  if (const std::string next = TextOr(reply, "refreshToken"); !next.empty()) out.document["refreshToken"] = next;
  return out;
}

/// The next tool needs the new refresh token: the old one may be spent.
void SsoSource::WriteCache(const Token& token) const {
  const Status written = surroundings_.replace_file(cache_path_, DumpJson(OrderedJson(token.document)));
  if (!written.ok()) Log(LogLevel::kWarning, Describe() + ": the renewed login is not kept: " + written.message());
}

Result<Credentials> SsoSource::AskPortal(const std::string& access_token) const {
  ServiceQuestion question{surroundings_.http.get(), surroundings_.sleeper.get(),
                           Describe() + ": SSO at " + portal_.origin};
  question.request = [&] {
    net::HttpRequest request;
    request.origin = portal_.origin;
    request.path = WithPath(portal_, "/federation/credentials");
    request.query = EncodeQuery({{"account_id", settings_.account_id}, {"role_name", settings_.role_name}});
    request.headers = {{"x-amz-sso_bearer_token", access_token}};
    return request;
  };
  TG_ASSIGN_OR_RETURN(const net::HttpReply reply, Ask(question));
  const std::string status = "status " + std::to_string(reply.status);
  if (reply.ok()) return ReadKeys(reply.body);
  if (reply.status == 401) return LogIn("the login is not accepted any more");
  if (reply.status >= 500 || reply.status == 429)
    return Unavailable(question.what + ": " + status + "; run again later");
  return PermissionDenied(Describe() + ": the portal gives no keys for this role of this account: " + status +
                          "; check sso_account_id and sso_role_name, and what is assigned to you");
}

Result<Credentials> SsoSource::ReadKeys(const std::string& body) const {
  TG_ASSIGN_OR_RETURN(const Json document, ObjectFrom(body, Describe()));
  const auto keys = document.find("roleCredentials");
  if (keys == document.end() || !keys->is_object()) return Corruption(Describe() + ": the reply holds no keys");
  Credentials out;
  out.access_key_id = TextOr(*keys, "accessKeyId");
  out.secret_access_key = TextOr(*keys, "secretAccessKey");
  out.session_token = TextOr(*keys, "sessionToken");
  const Result<int64_t> expires = RequireInteger(*keys, "expiration");
  constexpr int64_t kYear9999Milliseconds = 253'370'764'800'000;
  if (!expires.ok() || *expires < 0 || *expires > kYear9999Milliseconds) {
    return Corruption(Describe() + ": the reply does not say when the keys run out");
  }
  out.expires = UtcTime(std::chrono::milliseconds(*expires));
  return CheckedKeys(std::move(out), Describe());
}

Result<Credentials> SsoSource::Fetch() {
  TG_ASSIGN_OR_RETURN(const Token token, CurrentToken());
  return AskPortal(token.access);
}

}  // namespace tidegate::aws
