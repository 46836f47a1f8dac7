// AWS Security Token Service: keys of a role for keys or for a token of an OpenID issuer.
// Source: "AssumeRole" and "AssumeRoleWithWebIdentity" of the AWS STS API reference (query protocol, version
// 2011-06-15).
#pragma once

#include <optional>
#include <string>

#include "tidegate/aws/credentials.h"
#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

struct RoleRequest {
  std::string role_arn{};
  std::string session_name{};                // stands in CloudTrail; "": "tidegate-<Unix time>"
  std::string external_id{};                 // "" is none; only for AssumeRole
  std::optional<int> duration_seconds = {};  // nothing: what the service gives, an hour
};

/// Errors: InvalidArgument (not an ARN; name or duration outside what STS takes), naming `where`.
Status CheckRoleRequest(const RoleRequest& role, std::string_view where);

/// Threads: safe.
class Sts {
 public:
  /// `region` is signed; "": us-east-1, as the service's global address has it.
  Sts(const Surroundings& surroundings, Url endpoint, std::string region);

  /// Errors: PermissionDenied (this role is not for these keys), Unauthenticated (the keys or the token are not
  /// accepted), InvalidArgument, Unavailable (after four attempts), Corruption (the reply is none of STS).
  Result<Credentials> AssumeRole(const RoleRequest& role, const Credentials& signer) const;
  Result<Credentials> AssumeRoleWithWebIdentity(const RoleRequest& role, const std::string& token) const;

 private:
  std::string Name() const;

  Surroundings surroundings_;
  Url endpoint_;
  std::string region_;
};

}  // namespace tidegate::aws
