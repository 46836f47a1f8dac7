#include "tidegate/app/aws_access.h"

#include "tidegate/aws/endpoints.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/net/http.h"

namespace tidegate::app {

Result<AwsAccess> ResolveAwsAccess(const std::string& url, const StoreAccess& access) {
  AwsAccess out;
  out.settings = SettingsFor(url, access.flags, access.sections);
  TG_ASSIGN_OR_RETURN(auto metadata_http, net::MakeHttpClient(aws::MetadataHttpOptions(access.cancel)));
  out.surroundings = aws::RealSurroundings(nullptr, std::move(metadata_http), access.cancel);
  TG_ASSIGN_OR_RETURN(out.files, aws::LoadConfigFiles(out.surroundings));
  TG_ASSIGN_OR_RETURN(out.s3, aws::ResolveS3Settings(out.settings.s3, out.surroundings.variable, out.files));
  TG_ASSIGN_OR_RETURN(out.surroundings.http,
                      net::MakeHttpClient({.ca_bundle = out.s3.ca_bundle, .cancel = access.cancel}));
  out.identity = {.anonymous = out.settings.anonymous,
                  .profile = out.settings.s3.profile,
                  .region = out.settings.s3.region,
                  .web_identity = out.settings.web_identity};
  TG_ASSIGN_OR_RETURN(out.credentials, aws::MakeCredentialsProvider(out.identity, out.surroundings));
  Log(LogLevel::kDebug, Quoted(url) + ": identity: " + out.credentials->Describe());
  return out;
}

Result<ServicePlace> FindService(const AwsAccess& caller, const std::string& service, const std::string& asked_region,
                                 std::string_view advice) {
  const aws::S3Flags& flags = caller.settings.s3;
  ServicePlace out;
  TG_ASSIGN_OR_RETURN(out.region, aws::ConfiguredRegion(asked_region.empty() ? flags.region : asked_region,
                                                        caller.surroundings.variable, caller.files, flags.profile));
  if (out.region.empty()) return InvalidArgument("nobody says in which region: " + std::string(advice));
  TG_ASSIGN_OR_RETURN(
      const aws::Url address,
      aws::ServiceUrl(service, service, out.region, caller.surroundings.variable, caller.files, flags.profile));
  out.origin = address.origin;
  return out;
}

}  // namespace tidegate::app
