// Who asks: the keys that sign requests to AWS and to stores that speak its protocol, and where they come from.
// Sources and their order: docs/identities.md.
#pragma once

#include <optional>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"

namespace tidegate::aws {

/// Secrets: never printed, never logged. There is no operator<< and no text form on purpose.
struct Credentials {
  std::string access_key_id{};
  std::string secret_access_key{};
  std::string session_token{};          // "" for keys that last
  std::optional<UtcTime> expires = {};  // from when on they are refused
};

class CredentialsProvider {
 public:
  virtual ~CredentialsProvider() = default;

  /// Keys that are valid now, fetched anew some minutes before they run out. Nothing: requests are not signed
  /// (anonymous access). Errors: Unauthenticated, saying which sources were asked and what to do; Unavailable where a
  /// source did not answer. Threads: safe.
  virtual Result<std::optional<Credentials>> Get() = 0;

  /// The keys of the last Get() were refused as expired or unknown: fetch new ones next time, if the source has any.
  virtual void Refresh() = 0;

  /// Where the keys come from, for people, without anything secret: "profile 'vendor' of ~/.aws/config, SSO".
  virtual std::string Describe() const = 0;
};

}  // namespace tidegate::aws
