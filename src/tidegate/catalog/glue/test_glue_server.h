// For tests: Glue's API on a server (moto). tests/servers/run_with.py starts it and says where it is:
// TIDEGATE_TEST_S3_MOTO (the endpoint), …_REGION.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "tidegate/aws/retry.h"
#include "tidegate/aws/test_keys.h"
#include "tidegate/catalog/glue/glue_catalog.h"

namespace tidegate::catalog {

inline std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

inline GlueSettings GlueOnServer(std::shared_ptr<net::HttpClient> http) {
  GlueSettings out{.region = Variable("TIDEGATE_TEST_S3_MOTO_REGION"), .origin = Variable("TIDEGATE_TEST_S3_MOTO")};
  out.http = std::move(http);
  out.credentials = std::make_shared<aws::TestKeys>();
  out.sleeper = std::make_shared<aws::SystemSleeper>(nullptr);
  return out;
}

/// The database "sales" is there, without the table "daily".
inline void EmptyGlue(const std::shared_ptr<net::HttpClient>& http) {
  GlueClient client(GlueOnServer(http));
  static_cast<void>(client.Call("CreateDatabase", {{"DatabaseInput", OrderedJson{{"Name", "sales"}}}}, "sales"));
  static_cast<void>(GlueCatalog(GlueOnServer(http)).DropTable({"sales", "daily"}));
}

}  // namespace tidegate::catalog
