#include "tidegate/app/open_catalog.h"

#include "tidegate/aws/config_files.h"
#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/embedded/embedded_catalog.h"
#include "tidegate/catalog/glue/glue_catalog.h"
#include "tidegate/net/http.h"

namespace tidegate::app {
namespace {

constexpr std::string_view kGlue = "glue://";
using CatalogPointer = std::unique_ptr<catalog::HiveCatalog>;

Result<CatalogPointer> OpenGlue(const std::string& url, const StoreAccess& access) {
  const std::string_view place = std::string_view(url).substr(kGlue.size());
  const size_t slash = std::min(place.find('/'), place.size());
  const StoreSettings settings = SettingsFor(url, access.flags, access.sections);
  TG_ASSIGN_OR_RETURN(auto metadata_http, net::MakeHttpClient(aws::MetadataHttpOptions(access.cancel)));
  aws::Surroundings surroundings = aws::RealSurroundings(nullptr, std::move(metadata_http), access.cancel);
  TG_ASSIGN_OR_RETURN(const aws::ConfigFiles files, aws::LoadConfigFiles(surroundings));
  TG_ASSIGN_OR_RETURN(const aws::S3Settings common, aws::ResolveS3Settings(settings.s3, surroundings.variable, files));
  TG_ASSIGN_OR_RETURN(surroundings.http, net::MakeHttpClient({.ca_bundle = common.ca_bundle, .cancel = access.cancel}));
  catalog::GlueSettings out;
  const std::string asked(place.substr(0, slash));
  TG_ASSIGN_OR_RETURN(out.region, aws::ConfiguredRegion(asked.empty() ? settings.s3.region : asked,
                                                        surroundings.variable, files, settings.s3.profile));
  if (out.region.empty()) {
    return InvalidArgument(
        "nobody says in which region the catalog is: write it as glue://eu-central-1, or set AWS_REGION");
  }
  TG_ASSIGN_OR_RETURN(const aws::Url address,
                      aws::ServiceUrl("glue", "glue", out.region, surroundings.variable, files, settings.s3.profile));
  out.origin = address.origin;
  if (slash < place.size()) out.catalog_id = std::string(place.substr(slash + 1));
  const aws::IdentityOptions identity{.anonymous = settings.anonymous,
                                      .profile = settings.s3.profile,
                                      .region = out.region,
                                      .web_identity = settings.web_identity};
  TG_ASSIGN_OR_RETURN(out.credentials, aws::MakeCredentialsProvider(identity, surroundings));
  Log(LogLevel::kDebug, Quoted(url) + ": identity: " + out.credentials->Describe());
  out.http = surroundings.http;
  out.sleeper = surroundings.sleeper;
  return CatalogPointer(std::make_unique<catalog::GlueCatalog>(std::move(out)));
}

}  // namespace

bool IsGlueUrl(const std::string& url) { return url.starts_with(kGlue); }

Result<CatalogPointer> OpenCatalog(const std::string& url, const StoreAccess& access) {
  if (IsGlueUrl(url)) return OpenGlue(url, access);
  TG_ASSIGN_OR_RETURN(auto embedded, catalog::EmbeddedCatalog::Open(url));
  return CatalogPointer(std::move(embedded));
}

}  // namespace tidegate::app
