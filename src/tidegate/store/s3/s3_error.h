// What an error of S3 means for the caller: a Status whose message says what to do next. Pure.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/aws/service_error.h"
#include "tidegate/base/status.h"

namespace tidegate::store {

/// `what` failed on `url` ("cannot read object", "s3://bucket/key").
Status StatusOfS3Error(const aws::ServiceError& error, std::string_view what, const std::string& url,
                       const std::string& bucket);

/// The object is not the one that was seen: PreconditionFailed.
Status ReplacedError(const std::string& url);

/// Create-if-absent found something: AlreadyExists.
Status TakenError(const std::string& url);

}  // namespace tidegate::store
