#include "tidegate/app/open_catalog.h"

#include <algorithm>

#include "tidegate/app/aws_access.h"
#include "tidegate/catalog/athena/athena_catalog.h"
#include "tidegate/catalog/embedded/embedded_catalog.h"
#include "tidegate/catalog/glue/glue_catalog.h"

namespace tidegate::app {
namespace {

constexpr std::string_view kGlue = "glue://", kAthena = "athena://";
using CatalogPointer = std::unique_ptr<catalog::HiveCatalog>;

Result<std::unique_ptr<catalog::GlueCatalog>> OpenGlue(const std::string& url, const StoreAccess& access) {
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
  return std::make_unique<catalog::GlueCatalog>(out);
}

/// Tables of another account cannot be changed through statements in one's own.
Result<CatalogPointer> OpenAthenaCatalog(const std::string& url, AthenaOptions options, const StoreAccess& access) {
  const std::string region = url.substr(kAthena.size());
  if (region.find('/') != std::string::npos) {
    return InvalidArgument("write the catalog as athena://eu-central-1, with nothing behind the region");
  }
  if (!region.empty()) options.region = region;
  TG_ASSIGN_OR_RETURN(auto glue, OpenGlue(std::string(kGlue) + options.region, access));
  TG_ASSIGN_OR_RETURN(auto client, OpenAthena(options, access));
  return CatalogPointer(std::make_unique<catalog::AthenaCatalog>(std::move(glue), std::move(client)));
}

}  // namespace

bool IsAwsCatalogUrl(const std::string& url) { return url.starts_with(kGlue) || url.starts_with(kAthena); }

Result<CatalogPointer> OpenCatalog(const std::string& url, const AthenaOptions& athena, const StoreAccess& access) {
  if (url.starts_with(kAthena)) return OpenAthenaCatalog(url, athena, access);
  if (url.starts_with(kGlue)) {
    TG_ASSIGN_OR_RETURN(auto glue, OpenGlue(url, access));
    return CatalogPointer(std::move(glue));
  }
  TG_ASSIGN_OR_RETURN(auto embedded, catalog::EmbeddedCatalog::Open(url));
  return CatalogPointer(std::move(embedded));
}

}  // namespace tidegate::app
