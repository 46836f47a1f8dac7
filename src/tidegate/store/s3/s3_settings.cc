#include "tidegate/store/s3/s3_settings.h"

#include <algorithm>

#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/sigv4.h"
#include "tidegate/base/text.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {
namespace {

/// The rules of AWS for names of buckets, and of servers that also allow '_' and capitals.
bool IsBucketName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  };
  return name.size() >= 3 && name.size() <= 255 && name.front() != '.' && name.front() != '-' &&
         name.find("..") == std::string_view::npos && std::all_of(name.begin(), name.end(), fits);
}

bool IsRegionName(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), fits);
}

bool UsePath(const S3Settings& settings) {
  if (settings.addressing != aws::AddressingStyle::kAuto) return settings.addressing == aws::AddressingStyle::kPath;
  return !settings.endpoint.empty() || settings.bucket.find('.') != std::string::npos;  // no certificate fits dots
}

Result<std::string> EndpointOf(const S3Settings& settings) {
  if (settings.endpoint.empty()) {
    if (!IsRegionName(settings.region)) return InvalidArgument("not the name of a region: " + Quoted(settings.region));
    return "https://s3." + settings.region + "." + std::string(aws::DnsSuffix(settings.region));
  }
  std::string endpoint = settings.endpoint;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const size_t scheme = endpoint.find("://");
  const bool known = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  const std::string_view rest = known ? std::string_view(endpoint).substr(scheme + 3) : std::string_view();
  if (rest.empty() || rest.find_first_of("/?#@ ") != std::string_view::npos) {
    return InvalidArgument("not the address of an S3 server: " + Quoted(settings.endpoint) +
                           ": write --endpoint-url as https://host or http://host:port");
  }
  return endpoint;
}

}  // namespace

Result<S3Url> ParseS3Url(const std::string& url) {
  const size_t scheme = url.find("://");
  std::string rest = scheme == std::string::npos ? "" : url.substr(scheme + 3);
  while (rest.ends_with('/')) rest.pop_back();
  const size_t slash = rest.find('/');
  S3Url out{rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash + 1)};
  if (!IsBucketName(out.bucket)) {
    return InvalidArgument("there is no usable bucket name in " + Quoted(url) +
                           ": write s3://bucket or s3://bucket/prefix");
  }
  if (!out.prefix.empty()) TG_RETURN_IF_ERROR(CheckKey(out.prefix).WithContext(Quoted(url)));
  return out;
}

Result<S3Address> AddressOf(const S3Settings& settings) {
  TG_ASSIGN_OR_RETURN(const std::string endpoint, EndpointOf(settings));
  if (UsePath(settings)) return S3Address{endpoint, "/" + aws::UriEncode(settings.bucket, false) + "/"};
  const size_t host = endpoint.find("://") + 3;
  return S3Address{endpoint.substr(0, host) + settings.bucket + "." + endpoint.substr(host), "/"};
}

}  // namespace tidegate::store
