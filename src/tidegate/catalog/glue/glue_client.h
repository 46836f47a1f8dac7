// Calls of the AWS Glue API: JSON 1.1 over HTTPS, signed.
//
// Source: the AWS Glue Web API reference (Catalog tables, partitions). Threads: safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tidegate/aws/signed_client.h"
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
  explicit GlueClient(GlueSettings settings);

  const GlueSettings& settings() const { return settings_; }

  /// One call; throttling and passing faults are tried again with growing, jittered waits. `about` stands in messages:
  /// "table 'sales.daily'". Errors: by CodeOfGlueError; those of SignedClient.
  Result<Json> Call(std::string_view operation, OrderedJson request, std::string_view about);

  /// The elements of list `field` on all pages.
  Result<std::vector<Json>> CallAllPages(std::string_view operation, const OrderedJson& request, const char* field,
                                         std::string_view about);

 private:
  GlueSettings settings_;
  aws::SignedClient client_;
};

}  // namespace tidegate::catalog
