// AWS Signature Version 4 over a request's headers.
// Source: "Create a signed AWS API request" of the AWS IAM user guide; test vectors in sigv4_test.cc come from
// botocore.
//
// Pure. Services other than S3 sign a path that is encoded twice; those we use have "/", where that is the same.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/aws/credentials.h"
#include "tidegate/aws/digest.h"
#include "tidegate/base/time.h"
#include "tidegate/net/http.h"

namespace tidegate::aws {

/// Stands for the hash of a body that is not hashed (x-amz-content-sha256): only over TLS.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

/// Bytes other than A-Z a-z 0-9 - . _ ~ become %XX; '/' stays where `keep_slash` is set.
std::string UriEncode(std::string_view text, bool keep_slash);

/// "a=1&b=": parameters encoded and in the order in which they are signed. Values may be empty.
std::string EncodeQuery(std::vector<std::pair<std::string, std::string>> parameters);

struct SigningScope {
  std::string region{};   // "eu-central-1"
  std::string service{};  // "s3"
};

/// Add host, x-amz-date, x-amz-content-sha256, x-amz-security-token and authorization to the request, over every header
/// that it has by then. Requires: path and query are encoded as UriEncode and EncodeQuery do it.
void SignRequest(const Credentials& credentials, const SigningScope& scope, UtcTime now, std::string_view payload_hash,
                 net::HttpRequest& request);

}  // namespace tidegate::aws
