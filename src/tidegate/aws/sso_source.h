// Keys of IAM Identity Center ("SSO"), by the token that `aws sso login` left in ~/.aws/sso/cache.
// Source: "IAM Identity Center credential provider" of the AWS SDKs and Tools reference guide; GetRoleCredentials of
// the SSO portal, CreateToken of SSO OIDC.
#pragma once

#include <optional>
#include <string>

#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/key_source.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/json.h"

namespace tidegate::aws {

struct SsoSettings {
  std::string profile{};  // for messages: whom to log in
  std::string session{};  // of [sso-session …]; "": the older form, by start URL alone, which cannot be refreshed
  std::string start_url{};
  std::string region{};
  std::string account_id{};
  std::string role_name{};
};

class SsoSource final : public KeySource {
 public:
  /// `portal` gives keys for a token, `oidc` gives new tokens.
  SsoSource(SsoSettings settings, Url portal, Url oidc, const Surroundings& surroundings);

  /// A token that runs out within five minutes is replaced first, where it can be, also in the cache.
  /// Errors: Unauthenticated (no token, or too old a one: log in), PermissionDenied (not for this account and role),
  /// Unavailable, Corruption.
  Result<Credentials> Fetch() override;
  std::string Describe() const override;

 private:
  struct Token;

  Status LogIn(const std::string& why) const;
  Result<Token> ReadCache() const;
  Result<Token> CurrentToken() const;
  Result<Token> RefreshToken(const Token& old) const;
  Result<Token> ReadNewToken(const std::string& body, const Token& old) const;
  void WriteCache(const Token& token) const;
  Result<Credentials> AskPortal(const std::string& access_token) const;
  Result<Credentials> ReadKeys(const std::string& body) const;

  SsoSettings settings_;
  Url portal_;
  Url oidc_;
  Surroundings surroundings_;
  std::string cache_path_;
};

}  // namespace tidegate::aws
