#include "tidegate/aws/service_error.h"

#include <algorithm>
#include <array>
#include <pugixml.hpp>

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

constexpr size_t kMostBytes = 256 << 10;  // an error is small; more is something else, such as a proxy's page

template <size_t N>
bool IsOneOf(const std::string& code, const std::array<std::string_view, N>& codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

void ReadXml(const std::string& body, ServiceError& out) {
  pugi::xml_document document;
  if (!document.load_buffer(body.data(), body.size(), pugi::parse_minimal | pugi::parse_escapes)) return;
  pugi::xml_node error = document.child("Error");
  if (!error) error = document.first_child().child("Error");                  // <ErrorResponse><Error>
  if (!error) error = document.first_child().child("Errors").child("Error");  // <Response><Errors><Error>
  if (!error) return;
  out.code = error.child_value("Code");
  out.message = error.child_value("Message");
  out.region = error.child_value("Region");
  if (out.request_id.empty()) out.request_id = error.child_value("RequestId");
}

void ReadJson(const std::string& body, ServiceError& out) {
  const Result<Json> document = ParseJson(body);
  if (!document.ok() || !document->is_object()) return;
  out.code = TextOr(*document, "__type");
  if (out.code.empty()) out.code = TextOr(*document, "code");
  if (const size_t hash = out.code.find('#'); hash != std::string::npos) out.code.erase(0, hash + 1);
  out.message = TextOr(*document, "message");
  if (out.message.empty()) out.message = TextOr(*document, "Message");
}

}  // namespace

ServiceError ReadServiceError(const net::HttpReply& reply) {
  ServiceError out;
  out.status = reply.status;
  out.region = reply.Header("x-amz-bucket-region");
  out.request_id = reply.Header("x-amz-request-id");
  if (out.request_id.empty()) out.request_id = reply.Header("x-amzn-requestid");
  const std::string region = out.region;
  const size_t first = reply.body.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || reply.body.size() > kMostBytes) return out;
  if (reply.body[first] == '<') ReadXml(reply.body, out);
  if (reply.body[first] == '{') ReadJson(reply.body, out);
  if (!region.empty()) out.region = region;
  return out;
}

bool IsTransient(const ServiceError& error) {
  constexpr std::array<std::string_view, 17> kCodes = {"SlowDown",
                                                       "RequestTimeout",
                                                       "RequestTimeoutException",
                                                       "InternalError",
                                                       "ServiceUnavailable",
                                                       "Throttling",
                                                       "ThrottlingException",
                                                       "ThrottledException",
                                                       "RequestThrottled",
                                                       "TooManyRequestsException",
                                                       "RequestLimitExceeded",
                                                       "OperationAborted",
                                                       "BadDigest",
                                                       "IncompleteBody",
                                                       "XAmzContentChecksumMismatch",
                                                       "XAmzContentSHA256Mismatch",
                                                       "ConditionalRequestConflict"};
  constexpr std::array<int, 6> kStatuses = {408, 429, 500, 502, 503, 504};
  return IsOneOf(error.code, kCodes) || std::find(kStatuses.begin(), kStatuses.end(), error.status) != kStatuses.end();
}

bool IsClockSkew(const ServiceError& error) {
  return IsOneOf(error.code,
                 std::array<std::string_view, 3>{"RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture"});
}

bool IsExpired(const ServiceError& error) {
  return IsOneOf(error.code, std::array<std::string_view, 4>{"ExpiredToken", "ExpiredTokenException",
                                                             "TokenRefreshRequired", "InvalidToken"});
}

std::string Describe(const ServiceError& error) {
  std::string out = error.code.empty() ? "the server says nothing more" : Quoted(error.code, 80);
  if (!error.message.empty()) out += ": " + Quoted(error.message, 300);
  out += " (HTTP " + std::to_string(error.status);
  if (!error.request_id.empty()) out += ", request " + Quoted(error.request_id, 80);
  return out + ")";
}

}  // namespace tidegate::aws
