// What a service of AWS, or a server that speaks its protocol, says in a reply that is no success.
#pragma once

#include <string>

#include "tidegate/net/http.h"

namespace tidegate::aws {

struct ServiceError {
  int status = 0;            // of HTTP
  std::string code{};        // "NoSuchKey"; "" where the reply does not say
  std::string message{};     // of the service, for people
  std::string region{};      // where the bucket is, if the reply tells
  std::string request_id{};  // what its owner asks for
};

/// Reads the XML of S3 and STS, the JSON of Glue and Athena, and the headers. Never fails: what is not there stays "".
ServiceError ReadServiceError(const net::HttpReply& reply);

/// Passing by itself: throttling, faults of the server, bytes that were turned over on their way.
bool IsTransient(const ServiceError& error);
/// The signature was made with a clock that is too far off.
bool IsClockSkew(const ServiceError& error);
/// The keys have run out: new ones may do.
bool IsExpired(const ServiceError& error);

/// "NoSuchKey: The specified key does not exist (HTTP 404, request 17A…)", quoted where it came from outside.
std::string Describe(const ServiceError& error);

}  // namespace tidegate::aws
