// One place that keys come from, asked anew each time. What every source has to hold to is checked here, since what a
// service, a file or a command says goes into the headers of requests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tidegate/aws/credentials.h"
#include "tidegate/base/json.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

class KeySource {
 public:
  virtual ~KeySource() = default;
  /// Errors: as CredentialsProvider::Get. Never called by two threads at once.
  virtual Result<Credentials> Fetch() = 0;
  /// As CredentialsProvider::Describe. Threads: safe, also during Fetch().
  virtual std::string Describe() const = 0;
};

/// The keys as they are, or Corruption: one is empty, longer than 64 kB or has a character that cannot stand in a
/// header. `from` says in the message whose they are; the keys are not shown.
Result<Credentials> CheckedKeys(Credentials keys, std::string_view from);

/// A time as services write it, RFC 3339, or with "UTC" in place of "Z". Errors: Corruption, without showing the text.
Result<UtcTime> ReadExpiry(std::string_view text, std::string_view from);

/// JSON with AccessKeyId, SecretAccessKey, `token_field` and Expiration, the last two not always there.
/// Errors: Corruption, without showing anything of the text.
Result<Credentials> KeysFromJson(const Json& document, const char* token_field, std::string_view from);

/// ParseJson, and it is an object. Errors: Corruption, without showing anything of the text.
Result<Json> ObjectFrom(std::string_view text, std::string_view from);

/// Text from a service for a message: without any of the secrets (they become "…"), quoted, cut.
std::string Shown(std::string_view text, std::initializer_list<std::string_view> secrets);

/// A time as Unix time, in seconds.
int64_t UnixSeconds(UtcTime time);

}  // namespace tidegate::aws
