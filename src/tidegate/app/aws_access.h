// Who asks a service of AWS, and how it is reached: what buckets and catalogs of AWS have in common.
#pragma once

#include <memory>
#include <string>

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

/// For a place that a person named, as flags and sections say of it. Errors: those of AWS's files; Unauthenticated.
Result<AwsAccess> ResolveAwsAccess(const std::string& url, const StoreAccess& access);

}  // namespace tidegate::app
