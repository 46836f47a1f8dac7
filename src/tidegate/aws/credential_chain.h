// Which identity is used: the sources that AWS tools know, in their order, and an account of Google or any other OpenID
// issuer by web identity. For people: docs/identities.md. Why it is our own:
// docs/decisions/0005-own-credential-chain.md.
//
// Guarantees
// - The choice is made from settings, environment and files alone; no source is asked to find out whether it is there.
//   So the same surroundings give the same identity, and no fault of the network gives another one.
// - No secret stands in a message, a log line or a description.
#pragma once

#include <memory>
#include <string>

#include "tidegate/aws/credentials.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

/// A token of an OpenID issuer, changed for keys of a role. Exactly one of file and command is set, or neither.
struct WebIdentitySettings {
  std::string role_arn{};
  std::string token_file{};     // read again for each exchange
  std::string token_command{};  // prints a token; run again for each exchange, without a shell
  std::string session_name{};   // "": tidegate chooses one

  bool empty() const { return token_file.empty() && token_command.empty(); }
};

struct IdentityOptions {
  bool anonymous = false;
  std::string profile{};  // named by the user: wins over keys in the environment; "": AWS_PROFILE or "default"
  std::string region{};   // of STS; "": AWS_REGION, AWS_DEFAULT_REGION, the profile's
  WebIdentitySettings web_identity = {};
};

/// The source that the options and surroundings choose, kept and fetched anew as credentials.h says.
/// Errors: InvalidArgument (settings that contradict each other or cannot be, roles that lead in a circle), NotFound (a
/// profile that was named is not there), Unauthenticated (half a pair of keys; no source at all), Unsupported
/// (a profile that needs an MFA code).
Result<std::unique_ptr<CredentialsProvider>> MakeCredentialsProvider(const IdentityOptions& options,
                                                                     const Surroundings& surroundings);

/// Is the chosen source the role of the machine that this runs on?
bool UsesInstanceRole(const IdentityOptions& options, const Surroundings& surroundings);

}  // namespace tidegate::aws
