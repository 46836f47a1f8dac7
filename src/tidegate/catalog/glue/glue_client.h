// Calls of the AWS Glue API.
//
// Source: the AWS Glue Web API reference (Catalog tables, partitions). Threads: safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/aws/json_service.h"
#include "tidegate/base/json.h"
#include "tidegate/base/status.h"

namespace tidegate::catalog {

struct GlueSettings {
  std::string region{};
  std::string origin{};      // "https://glue.eu-central-1.amazonaws.com"
  std::string catalog_id{};  // of another account; "" is the caller's own
  std::shared_ptr<net::HttpClient> http{};
  std::shared_ptr<aws::CredentialsProvider> credentials{};
  std::shared_ptr<aws::Sleeper> sleeper{};
};

/// The Code for what Glue calls an error: "EntityNotFoundException" is kNotFound.
Code CodeOfGlueError(std::string_view name);

class GlueClient {
 public:
  explicit GlueClient(const GlueSettings& settings);

  const std::string& region() const { return service_.settings().region; }

  /// One call. `about` stands in messages: "table 'sales.daily'". Errors: by CodeOfGlueError; those of JsonService.
  Result<Json> Call(std::string_view operation, OrderedJson request, std::string_view about);

  /// The elements of list `field` on all pages.
  Result<std::vector<Json>> CallAllPages(std::string_view operation, OrderedJson request, const char* field,
                                         std::string_view about);

 private:
  std::string catalog_id_;
  aws::JsonService service_;
};

}  // namespace tidegate::catalog
