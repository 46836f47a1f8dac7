#include "tidegate/app/open_catalog.h"

#include <algorithm>

#include "tidegate/app/aws_access.h"
#include "tidegate/aws/endpoints.h"
#include "tidegate/catalog/embedded/embedded_catalog.h"
#include "tidegate/catalog/glue/glue_catalog.h"

namespace tidegate::app {
namespace {

constexpr std::string_view kGlue = "glue://";
using CatalogPointer = std::unique_ptr<catalog::HiveCatalog>;

Result<CatalogPointer> OpenGlue(const std::string& url, const StoreAccess& access) {
  const std::string_view place = std::string_view(url).substr(kGlue.size());
  const size_t slash = std::min(place.find('/'), place.size());
  TG_ASSIGN_OR_RETURN(const AwsAccess caller, ResolveAwsAccess(url, access));
  catalog::GlueSettings out;
  const std::string asked(place.substr(0, slash));
  const std::string& profile = caller.settings.s3.profile;
  TG_ASSIGN_OR_RETURN(out.region, aws::ConfiguredRegion(asked.empty() ? caller.settings.s3.region : asked,
                                                        caller.surroundings.variable, caller.files, profile));
  if (out.region.empty()) {
    return InvalidArgument(
        "nobody says in which region the catalog is: write it as glue://eu-central-1, or set AWS_REGION");
  }
  TG_ASSIGN_OR_RETURN(const aws::Url address,
                      aws::ServiceUrl("glue", "glue", out.region, caller.surroundings.variable, caller.files, profile));
  out.origin = address.origin;
  if (slash < place.size()) out.catalog_id = std::string(place.substr(slash + 1));
  out.credentials = caller.credentials;
  out.http = caller.surroundings.http;
  out.sleeper = caller.surroundings.sleeper;
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
