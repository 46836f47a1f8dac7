#include "tidegate/app/aws_access.h"

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

}  // namespace tidegate::app
