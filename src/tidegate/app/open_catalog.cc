#include "tidegate/app/open_catalog.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "tidegate/app/aws_access.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/athena/athena_catalog.h"
#include "tidegate/catalog/embedded/embedded_catalog.h"
#include "tidegate/catalog/glue/glue_catalog.h"
#include "tidegate/catalog/metastore/metastore_catalog.h"

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

/// "glu://x", "glue:x": a file is not called like this by anybody who means a file.
bool HasScheme(const std::string& url) {
  const size_t colon = url.find(':');
  return colon != std::string::npos && colon > 0 && url.find('/') > colon &&
         std::all_of(url.begin(), url.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-'; });
}

/// What comes after hive:// or thrift://, if it is one of them.
std::optional<std::string_view> MetastorePlace(std::string_view url) {
  for (const std::string_view scheme : {"hive://", "thrift://"}) {
    if (url.starts_with(scheme)) return url.substr(scheme.size());
  }
  return std::nullopt;
}

/// "host", "host:9083", "[::1]:9083".
Result<catalog::TcpSettings> MetastoreAddress(const std::string& url, std::string_view place) {
  const Status wrong =
      InvalidArgument("not the address of a Hive Metastore: " + Quoted(url) + ": write it as hive://host:9083");
  while (place.ends_with('/')) place.remove_suffix(1);
  catalog::TcpSettings out{.port = 9083};
  const bool bracketed = place.starts_with('[');
  const size_t host_end = bracketed ? place.find(']') : std::min(place.find(':'), place.size());
  if (host_end == std::string_view::npos) return wrong;
  out.host = place.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0));
  if (out.host.empty() || out.host.find_first_of("/,@ ") != std::string::npos) return wrong;
  const std::string_view rest = place.substr(host_end + (bracketed ? 1 : 0));
  if (rest.empty()) return out;
  const char* end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data() + 1, end, out.port);
  if (rest[0] != ':' || error != std::errc() || stop != end || out.port < 1 || out.port > 65535) return wrong;
  return out;
}

}  // namespace

bool IsCatalogUrl(const std::string& url) {
  return url.starts_with(kGlue) || url.starts_with(kAthena) || MetastorePlace(url).has_value();
}

Result<CatalogPointer> OpenCatalog(const std::string& url, const AthenaOptions& athena, const StoreAccess& access) {
  if (url.starts_with(kAthena)) return OpenAthenaCatalog(url, athena, access);
  if (url.starts_with(kGlue)) {
    TG_ASSIGN_OR_RETURN(auto glue, OpenGlue(url, access));
    return CatalogPointer(std::move(glue));
  }
  if (const auto place = MetastorePlace(url)) {
    TG_ASSIGN_OR_RETURN(catalog::TcpSettings address, MetastoreAddress(url, *place));
    address.cancel = access.cancel;
    return CatalogPointer(std::make_unique<catalog::MetastoreCatalog>(std::move(address)));
  }
  if (HasScheme(url)) {
    return InvalidArgument(
        "not a catalog: " + Quoted(url, 1200) +
        ": write it as glue://eu-central-1, athena://eu-central-1, hive://host:9083, or name a file, "
        "as hive.db");
  }
  TG_ASSIGN_OR_RETURN(auto embedded, catalog::EmbeddedCatalog::Open(url));
  return CatalogPointer(std::move(embedded));
}

}  // namespace tidegate::app
