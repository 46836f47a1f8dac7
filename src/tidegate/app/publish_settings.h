// [hive_catalog], [athena] and [[publish]] of the settings file: the tables that `tidegate publish` keeps. Format:
// docs/publish.md.
#pragma once

#include <string>
#include <vector>

#include "tidegate/app/athena_access.h"
#include "tidegate/base/status.h"
#include "tidegate/contract/toml_document.h"
#include "tidegate/publish/definition.h"

namespace tidegate::app {

struct PublishSettings {
  std::string catalog_url = "hive.db";  // [hive_catalog] url: a file, or glue://region
  AthenaOptions athena;
  std::vector<publish::Definition> tables;
};

/// Errors: InvalidArgument, naming the section and what is wrong.
Result<PublishSettings> ReadPublish(const toml::table& root, const std::string& source);

/// Errors: NotFound, naming those that there are and how to write one.
Result<publish::Definition> FindDefinition(const PublishSettings& settings, const std::string& table);

/// "lake.shop.orders": the lake as the settings name it, and the table that it follows; "" where it follows none.
std::string FollowedName(const publish::Definition& definition);

/// Those whose FollowedName is `from`, at least one. Errors: NotFound, naming those that there are.
Result<std::vector<publish::Definition>> FindFollowers(const PublishSettings& settings, const std::string& from);

}  // namespace tidegate::app
