// Where a bucket of Google Cloud Storage is and how it is asked. Filled by app/ from URL, flags, settings file and
// environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"

namespace tidegate::store {

struct GcsSettings {
  std::string bucket{};
  std::string prefix{};                // keys of the store lie below it: "" or "some/prefix", no '/' at the ends
  std::string endpoint{};              // "http://127.0.0.1:4443"; "": Google's own
  bool anonymous = false;              // ask without an identity
  double retry_limit_seconds = 30;     // no new attempt after that; with its waits, a request ends within a minute
  const CancelFlag* cancel = nullptr;  // may be null
};

/// Is nobody named to the server? Over plain HTTP a token could be read on the way.
bool AsksAnonymously(const GcsSettings& settings);

/// For a line of the log.
std::string_view DescribeGcsIdentity(const GcsSettings& settings);

struct GsUrl {
  std::string bucket{};
  std::string prefix{};
};

/// "gs://bucket/some/prefix", also with a '/' at the end. Errors: InvalidArgument.
Result<GsUrl> ParseGsUrl(const std::string& url);

/// The endpoint that was asked for, else the one of CLOUD_STORAGE_EMULATOR_ENDPOINT, else "". Errors: InvalidArgument
/// where it is no http or https URL, and where both are set and differ: Google's library would ask the variable's.
Result<std::string> ResolveGcsEndpoint(const std::string& asked_for,
                                       const std::function<std::optional<std::string>(const std::string&)>& variable);

}  // namespace tidegate::store
