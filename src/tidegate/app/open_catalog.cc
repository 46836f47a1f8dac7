#include "tidegate/app/open_catalog.h"

#include <algorithm>

#include "tidegate/app/aws_access.h"
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
  TG_ASSIGN_OR_RETURN(const ServicePlace service, FindService(caller, "glue", std::string(place.substr(0, slash)),
                                                              "write it as glue://eu-central-1, or set AWS_REGION"));
  catalog::GlueSettings out{.region = service.region, .origin = service.origin};
  if (slash < place.size()) out.catalog_id = std::string(place.substr(slash + 1));
  out.credentials = caller.credentials;
  out.http = caller.surroundings.http;
  out.sleeper = caller.surroundings.sleeper;
  return CatalogPointer(std::make_unique<catalog::GlueCatalog>(out));
}

}  // namespace

bool IsGlueUrl(const std::string& url) { return url.starts_with(kGlue); }

Result<CatalogPointer> OpenCatalog(const std::string& url, const StoreAccess& access) {
  if (IsGlueUrl(url)) return OpenGlue(url, access);
  TG_ASSIGN_OR_RETURN(auto embedded, catalog::EmbeddedCatalog::Open(url));
  return CatalogPointer(std::move(embedded));
}

}  // namespace tidegate::app
