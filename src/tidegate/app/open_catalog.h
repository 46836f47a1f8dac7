// From what a person names as a catalog to one: a file, glue://eu-central-1, athena://eu-central-1, hive://host:9083.
#pragma once

#include <memory>
#include <string>

#include "tidegate/app/athena_access.h"
#include "tidegate/app/open_store.h"
#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::app {

/// "glue://", "glue://eu-central-1", "glue://eu-central-1/123456789012" (the catalog of another account); "athena://",
/// "athena://eu-central-1": read from Glue, and changed through statements of Athena; "hive://host" (port 9083),
/// "hive://host:port", "thrift://host:port" (a Hive Metastore). Any other name is a file.
bool IsCatalogUrl(const std::string& url);

/// `athena`: how statements run, where there are any. Errors: those of the file; Unauthenticated where there is no
/// identity; InvalidArgument (a region that is none, or nobody names one; no host and port). A metastore is asked for
/// the first time later.
Result<std::unique_ptr<catalog::HiveCatalog>> OpenCatalog(const std::string& url, const AthenaOptions& athena,
                                                          const StoreAccess& access);

}  // namespace tidegate::app
