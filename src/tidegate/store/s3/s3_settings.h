// Where a bucket is and how it is spoken to. Filled by app/ from URL, flags, environment and AWS's own files.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "tidegate/aws/credentials.h"
#include "tidegate/aws/retry.h"
#include "tidegate/aws/s3_settings.h"
#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"

namespace tidegate::store {

struct S3Settings {
  std::string bucket{};
  std::string prefix{};  // keys of the store lie below it: "" or "some/prefix", no '/' at the ends
  std::string region = "us-east-1";
  std::string endpoint{};  // "http://127.0.0.1:8333"; "": AWS's own for the region
  aws::AddressingStyle addressing =
      aws::AddressingStyle::kAuto;  // auto: path at an endpoint of one's own, and where the name has a dot
  bool requester_pays = false;
  std::string ca_bundle{};                                     // a file in PEM; "": the system's
  std::shared_ptr<aws::CredentialsProvider> credentials = {};  // whose Get() may say: anonymous
  aws::RetryPolicy retry = {};
  std::chrono::milliseconds stall_limit{30'000};
  int connections = 8;                 // requests at once for one big object
  const CancelFlag* cancel = nullptr;  // may be null
};

struct S3Url {
  std::string bucket{};
  std::string prefix{};
};

/// "s3://bucket/some/prefix", also "s3a://" and a '/' at the end. Errors: InvalidArgument.
Result<S3Url> ParseS3Url(const std::string& url);

/// scheme, host and port for a bucket, and what stands before a key in the path.
struct S3Address {
  std::string origin{};     // "https://bucket.s3.eu-central-1.amazonaws.com"
  std::string path_head{};  // "/" or "/bucket/", encoded
};

/// Errors: InvalidArgument where the endpoint is no http or https URL.
Result<S3Address> AddressOf(const S3Settings& settings);

}  // namespace tidegate::store
