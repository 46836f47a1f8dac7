// Keys of a role, taken with other keys or with a token of an OpenID issuer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tidegate/aws/credential_chain.h"
#include "tidegate/aws/key_source.h"
#include "tidegate/aws/sts.h"
#include "tidegate/aws/surroundings.h"

namespace tidegate::aws {

/// AssumeRole, signed with the keys of `base`. Where these are refused, they are fetched anew once.
class AssumedRole final : public KeySource {
 public:
  AssumedRole(std::string described, RoleRequest role, std::unique_ptr<CredentialsProvider> base, Sts sts);

  Result<Credentials> Fetch() override;
  std::string Describe() const override { return described_; }

 private:
  Result<Credentials> Ask();

  std::string described_;
  RoleRequest role_;
  std::unique_ptr<CredentialsProvider> base_;
  Sts sts_;
};

/// Reads a token that an OpenID issuer gave. Errors: NotFound, Unauthenticated (it holds none), and those of commands.
using TokenReader = std::function<Result<std::string>()>;

TokenReader TokenFromFile(const Surroundings& surroundings, const std::string& path);
/// Errors: InvalidArgument (the command line cannot be cut into words), naming `where`.
Result<TokenReader> TokenFromCommand(const Surroundings& surroundings, const std::string& command,
                                     const std::string& where);

/// AssumeRoleWithWebIdentity; the token is read anew each time, since it is replaced where it comes from.
class WebIdentityRole final : public KeySource {
 public:
  WebIdentityRole(std::string described, RoleRequest role, TokenReader token, Sts sts);

  Result<Credentials> Fetch() override;
  std::string Describe() const override { return described_; }

 private:
  std::string described_;
  RoleRequest role_;
  TokenReader token_;
  Sts sts_;
};

}  // namespace tidegate::aws
