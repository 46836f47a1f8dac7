// From [athena] of the settings file to a client of Amazon Athena. Format: docs/publish.md.
#pragma once

#include <memory>
#include <string>

#include "tidegate/app/open_store.h"
#include "tidegate/athena/athena_client.h"
#include "tidegate/base/status.h"
#include "tidegate/contract/toml_document.h"

namespace tidegate::app {

/// [athena]. "": not said.
struct AthenaOptions {
  std::string workgroup = "primary";
  std::string result_location{};  // "s3://…"
  std::string database{};
  std::string catalog{};
  std::string region{};
};

/// Errors: InvalidArgument, naming the section and what is wrong.
Result<AthenaOptions> ReadAthena(const toml::table& root, const std::string& source);

/// Errors: Unauthenticated where there is no identity; InvalidArgument (a region that is none, or nobody names one).
Result<std::unique_ptr<athena::AthenaClient>> OpenAthena(const AthenaOptions& options, const StoreAccess& access);

}  // namespace tidegate::app
