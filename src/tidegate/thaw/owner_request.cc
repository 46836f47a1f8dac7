#include "tidegate/thaw/owner_request.h"

#include <string_view>

#include "tidegate/aws/sigv4.h"
#include "tidegate/base/text.h"

namespace tidegate::thaw {
namespace {

struct Place {
  std::string bucket, key;
};

/// "s3://bucket/a/b" as its two parts.
Result<Place> PlaceOf(const store::ObjectStore& bucket, std::string_view key) {
  constexpr std::string_view kScheme = "s3://";
  const std::string location = bucket.Location(key);
  if (!location.starts_with(kScheme)) {
    return Unsupported("only a bucket of S3 has cold storage: " + Quoted(bucket.url()));
  }
  const size_t slash = location.find('/', kScheme.size());
  return Place{location.substr(kScheme.size(), slash - kScheme.size()), location.substr(slash + 1)};
}

/// In single quotes, as a POSIX shell reads it.
std::string ForShell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += R"('\'')";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace

Result<std::string> ResourceOf(const store::ObjectStore& bucket) {
  TG_ASSIGN_OR_RETURN(const Place place, PlaceOf(bucket, "*"));
  return "arn:aws:s3:::" + place.bucket + "/" + place.key;
}

Result<std::vector<std::string>> RestoreCommands(const store::ObjectStore& bucket, const RestorePlan& plan) {
  std::vector<std::string> out;
  for (const ColdObject& cold : plan.ask) {
    TG_ASSIGN_OR_RETURN(const Place place, PlaceOf(bucket, cold.object.key));
    const std::string request = R"({"Days":)" + std::to_string(plan.days) + R"(,"GlacierJobParameters":{"Tier":")" +
                                std::string(TierName(TierOf(cold.object, plan.tier))) + R"("}})";
    out.push_back("aws s3api restore-object --bucket " + ForShell(place.bucket) + " --key " + ForShell(place.key) +
                  " --restore-request " + ForShell(request));
  }
  return out;
}

Result<std::string> BatchManifest(const store::ObjectStore& bucket, const RestorePlan& plan) {
  std::string out;
  for (const ColdObject& cold : plan.ask) {
    TG_ASSIGN_OR_RETURN(const Place place, PlaceOf(bucket, cold.object.key));
    out += place.bucket + "," + aws::UriEncode(place.key, true) + "\n";
  }
  return out;
}

}  // namespace tidegate::thaw
