#include "tidegate/catalog/glue/glue_client.h"

#include <array>

#include "tidegate/base/text.h"

namespace tidegate::catalog {
namespace {

constexpr uint64_t kMaxReplyBytes = 64 << 20;

struct Meaning {
  std::string_view name;
  Code code;
  std::string_view advice;
};

constexpr std::array<Meaning, 10> kMeanings = {{
    {"EntityNotFoundException", Code::kNotFound, "check the names and the region"},
    {"AlreadyExistsException", Code::kAlreadyExists, "it was made meanwhile"},
    {"ConcurrentModificationException", Code::kPreconditionFailed, "another program changed it; run again"},
    {"InvalidInputException", Code::kInvalidArgument, "Glue does not take this"},
    {"AccessDeniedException", Code::kPermissionDenied, "see docs/permissions.md for what it needs"},
    {"UnrecognizedClientException", Code::kUnauthenticated, "Glue does not know these keys: check them"},
    {"InvalidSignatureException", Code::kUnauthenticated, "check the secret key and the clock"},
    {"ExpiredTokenException", Code::kUnauthenticated, "the keys ran out: log in again"},
    {"ResourceNumberLimitExceededException", Code::kUnavailable, "a quota of Glue is used up: ask AWS to raise it"},
    {"GlueEncryptionException", Code::kPermissionDenied, "check that it may use the key of the catalog's encryption"},
}};

const Meaning* MeaningOf(std::string_view name) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.name == name) return &meaning;
  }
  return nullptr;
}

Status ErrorOf(const net::HttpReply& reply, std::string_view operation, std::string_view about) {
  const aws::ServiceError error = aws::ReadServiceError(reply);
  const Meaning* meaning = MeaningOf(error.code);
  std::string text = "Glue, " + std::string(operation) + " of " + std::string(about) + ": " + aws::Describe(error);
  if (meaning != nullptr) text += ": " + std::string(meaning->advice);
  const Code other = aws::IsTransient(error) ? Code::kUnavailable : Code::kInvalidArgument;
  return {meaning != nullptr ? meaning->code : other, std::move(text)};
}

}  // namespace

Code CodeOfGlueError(std::string_view name) {
  const Meaning* meaning = MeaningOf(name);
  return meaning == nullptr ? Code::kUnavailable : meaning->code;
}

GlueClient::GlueClient(GlueSettings settings)
    : settings_(std::move(settings)),
      client_({settings_.http, settings_.credentials, std::make_shared<SystemClock>(), settings_.sleeper}) {}

Result<Json> GlueClient::Call(std::string_view operation, OrderedJson request, std::string_view about) {
  if (!settings_.catalog_id.empty()) request["CatalogId"] = settings_.catalog_id;
  const std::string body = DumpJson(request);
  aws::Call call;
  call.request.method = "POST";
  call.request.origin = settings_.origin;
  call.request.path = "/";
  call.request.body = body;
  call.request.max_body_bytes = kMaxReplyBytes;
  call.request.headers = {{"content-type", "application/x-amz-json-1.1"},
                          {"x-amz-target", "AWSGlue." + std::string(operation)}};
  call.scope = {.region = settings_.region, .service = "glue"};
  auto answer = client_.Send(call);
  if (!answer.ok()) return answer.status().WithContext("Glue, " + std::string(operation) + " of " + std::string(about));
  if (!answer->reply.ok()) return ErrorOf(answer->reply, operation, about);
  if (answer->reply.body.empty()) return Json::object();
  auto json = ParseJson(answer->reply.body);
  if (json.ok() && json->is_object()) return json;
  return Corruption("Glue, " + std::string(operation) + " of " + std::string(about) + ": the answer is no JSON object");
}

Result<std::vector<Json>> GlueClient::CallAllPages(std::string_view operation, const OrderedJson& request,
                                                   const char* field, std::string_view about) {
  std::vector<Json> out;
  std::string token;
  while (true) {
    OrderedJson page_request = request;
    if (!token.empty()) page_request["NextToken"] = token;
    TG_ASSIGN_OR_RETURN(const Json page, Call(operation, std::move(page_request), about));
    if (const auto list = page.find(field); list != page.end() && list->is_array()) {
      out.insert(out.end(), list->begin(), list->end());
    }
    std::string next = TextOr(page, "NextToken");
    if (next.empty()) return out;
    if (next == token) return Corruption("Glue, " + std::string(operation) + " gives the same page again and again");
    token = std::move(next);
  }
}

}  // namespace tidegate::catalog
