#include "tidegate/store/gcs/gcs_settings.h"

#include <algorithm>

#include "tidegate/base/text.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {
namespace {

/// Google's rules for names of buckets, but for a few that only Google itself can check.
bool IsBucketName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  return name.size() >= 3 && name.size() <= 222 && name.front() != '.' && name.front() != '-' &&
         name.find("..") == std::string_view::npos && std::all_of(name.begin(), name.end(), fits);
}

bool IsServer(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!url.starts_with(scheme)) continue;
    const std::string_view host = url.substr(scheme.size());
    return !host.empty() && host.find_first_of("/?#@ ") == std::string_view::npos;
  }
  return false;
}

std::string WithoutSlash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

bool AsksAnonymously(const GcsSettings& settings) {
  return settings.anonymous || settings.endpoint.starts_with("http://");
}

std::string_view DescribeGcsIdentity(const GcsSettings& settings) {
  return AsksAnonymously(settings) ? "nobody: requests carry no token" : "Google's Application Default Credentials";
}

Result<GsUrl> ParseGsUrl(const std::string& url) {
  constexpr std::string_view kScheme = "gs://";
  const std::string rest = url.starts_with(kScheme) ? WithoutSlash(url.substr(kScheme.size())) : "";
  const size_t slash = rest.find('/');
  GsUrl out{rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash + 1)};
  if (!IsBucketName(out.bucket)) {
    return InvalidArgument("there is no usable bucket name in " + Quoted(url) +
                           ": write gs://bucket or gs://bucket/prefix");
  }
  if (!out.prefix.empty()) TG_RETURN_IF_ERROR(CheckKey(out.prefix).WithContext(Quoted(url)));
  return out;
}

Result<std::string> ResolveGcsEndpoint(const std::string& asked_for,
                                       const std::function<std::optional<std::string>(const std::string&)>& variable) {
  const std::string asked = WithoutSlash(asked_for);
  std::string name, found;
  for (const char* candidate : {"CLOUD_STORAGE_EMULATOR_ENDPOINT", "CLOUD_STORAGE_TESTBENCH_ENDPOINT"}) {
    const auto value = variable(candidate);
    if (!found.empty() || !value) continue;
    name = candidate;
    found = WithoutSlash(*value);
  }
  if (!asked.empty() && !found.empty() && asked != found) {
    return InvalidArgument("two servers are named for gs://: " + Quoted(asked) + ", and by " + name + " " +
                           Quoted(found) +
                           ", which Google's library would ask: unset the variable, or name one server");
  }
  const std::string endpoint = asked.empty() ? found : asked;
  if (endpoint.empty() || IsServer(endpoint)) return endpoint;
  return InvalidArgument("not the address of a server of Google Cloud Storage: " + Quoted(endpoint) + ": write " +
                         (asked.empty() ? name : "--endpoint-url") + " as https://host or http://host:port");
}

}  // namespace tidegate::store
