// Addresses of AWS services: cutting a URL into parts, and which URL a service has by environment, profile and region.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/aws/config_files.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

struct Url {
  std::string origin{};  // "https://host:port", as net::HttpRequest takes it
  std::string host{};    // without port and without the brackets of an IPv6 address
  std::string path{};    // begins with '/'
  std::string query{};
  bool tls() const { return origin.starts_with("https://"); }
};

/// Errors: InvalidArgument (another scheme than http and https, user or password, no host, a port that is none, control
/// characters or spaces, a fragment); `name` says in the message where the URL stands.
Result<Url> ParseUrl(std::string_view text, std::string_view name);

/// "eu-central-1"? Letters, digits and '-' only, at most 64: it becomes part of a host name.
bool IsRegion(std::string_view text);

/// "amazonaws.com", in China "amazonaws.com.cn": what the names of a region's hosts end with.
std::string_view DnsSuffix(std::string_view region);

/// The endpoint that environment and profile give a service: AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL, `service` in
/// the profile's `services` section, the profile's endpoint_url. `service` is "s3", "sts", "sso" or "sso_oidc".
/// "": none is given, or AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is true. `where` gets the name of what gave it.
std::string ConfiguredEndpoint(std::string_view service, const VariableLookup& variable, const ConfigFiles& files,
                               const std::string& profile, std::string* where);

/// Where a service that is not S3 is reached: what is configured, else https://<host_label>.<region>.<suffix>.
Result<Url> ServiceUrl(std::string_view service, std::string_view host_label, std::string_view region,
                       const VariableLookup& variable, const ConfigFiles& files, const std::string& profile);

/// AWS_REGION, AWS_DEFAULT_REGION or the profile's; "" where nobody says. Errors: InvalidArgument.
Result<std::string> ConfiguredRegion(const std::string& asked, const VariableLookup& variable, const ConfigFiles& files,
                                     const std::string& profile);

}  // namespace tidegate::aws
