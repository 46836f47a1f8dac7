// Who asks a service of AWS, and how it is reached: what buckets and catalogs of AWS have in common.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tidegate/app/open_store.h"
#include "tidegate/aws/config_files.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/status.h"

namespace tidegate::app {

struct AwsAccess {
  StoreSettings settings;
  aws::Surroundings surroundings;
  aws::ConfigFiles files;
  aws::S3Settings s3;  // as flags, sections, environment and profile give them
  aws::IdentityOptions identity;
  std::shared_ptr<aws::CredentialsProvider> credentials;
};

/// Where a service of AWS is reached.
struct ServicePlace {
  std::string region{};
  std::string origin{};  // "https://glue.eu-central-1.amazonaws.com"
};

/// For a place that a person named, as flags and sections say of it. Errors: those of AWS's files; Unauthenticated.
Result<AwsAccess> ResolveAwsAccess(const std::string& url, const StoreAccess& access);

/// `service` ("glue") in `asked_region`, or where that is empty, in the region that flags, sections and environment
/// say. `advice` ends the error where nobody says one. Errors: InvalidArgument.
Result<ServicePlace> FindService(const AwsAccess& caller, const std::string& service, const std::string& asked_region,
                                 std::string_view advice);

}  // namespace tidegate::app
