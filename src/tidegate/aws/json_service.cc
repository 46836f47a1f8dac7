#include "tidegate/aws/json_service.h"

#include <algorithm>
#include <array>

#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

constexpr uint64_t kMaxReplyBytes = 64 << 20;

constexpr std::array<ErrorMeaning, 4> kOfAllServices = {{
    {"AccessDeniedException", Code::kPermissionDenied, "see docs/permissions.md for what it needs"},
    {"UnrecognizedClientException", Code::kUnauthenticated, "the service does not know these keys: check them"},
    {"InvalidSignatureException", Code::kUnauthenticated, "check the secret key and the clock"},
    {"ExpiredTokenException", Code::kUnauthenticated, "the keys ran out: log in again"},
}};

}  // namespace

const ErrorMeaning* FindMeaning(std::span<const ErrorMeaning> meanings, std::string_view name) {
  for (const std::span<const ErrorMeaning> among : {meanings, std::span<const ErrorMeaning>(kOfAllServices)}) {
    const auto found =
        std::find_if(among.begin(), among.end(), [&](const ErrorMeaning& meaning) { return meaning.name == name; });
    if (found != among.end()) return &*found;
  }
  return nullptr;
}

JsonService::JsonService(JsonServiceSettings settings)
    : settings_(std::move(settings)),
      client_({settings_.http, settings_.credentials, std::make_shared<SystemClock>(), settings_.sleeper}) {}

std::string JsonService::What(std::string_view operation, std::string_view about) const {
  return settings_.name + ", " + std::string(operation) + " of " + std::string(about);
}

Status JsonService::ErrorOf(const net::HttpReply& reply, const std::string& what) const {
  const ServiceError error = ReadServiceError(reply);
  const ErrorMeaning* meaning = FindMeaning(settings_.meanings, error.code);
  std::string text = what + ": " + Describe(error);
  if (meaning != nullptr) text += ": " + std::string(meaning->advice);
  const Code other = IsTransient(error) ? Code::kUnavailable : Code::kInvalidArgument;
  return {meaning != nullptr ? meaning->code : other, std::move(text)};
}

Result<Json> JsonService::Call(std::string_view operation, const OrderedJson& request, std::string_view about) {
  const std::string body = DumpJson(request);
  const std::string what = What(operation, about);
  aws::Call call;
  call.request.method = "POST";
  call.request.origin = settings_.origin;
  call.request.path = "/";
  call.request.body = body;
  call.request.max_body_bytes = kMaxReplyBytes;
  call.request.headers = {{"content-type", "application/x-amz-json-1.1"},
                          {"x-amz-target", settings_.target + "." + std::string(operation)}};
  call.scope = {.region = settings_.region, .service = settings_.signing_name};
  auto answer = client_.Send(call);
  if (!answer.ok()) return answer.status().WithContext(what);
  if (!answer->reply.ok()) return ErrorOf(answer->reply, what);
  if (answer->reply.body.empty()) return Json::object();
  auto json = ParseJson(answer->reply.body);
  if (json.ok() && json->is_object()) return json;
  return Corruption(what + ": the answer is no JSON object");
}

Status JsonService::EachPage(std::string_view operation, OrderedJson request, std::string_view about,
                             const std::function<Status(const Json& page)>& take) {
  std::string token;
  while (true) {
    if (!token.empty()) request["NextToken"] = token;
    TG_ASSIGN_OR_RETURN(const Json page, Call(operation, request, about));
    TG_RETURN_IF_ERROR(take(page));
    std::string next = TextOr(page, "NextToken");
    if (next.empty()) return {};
    if (next == token) return Corruption(What(operation, about) + " gives the same page again and again");
    token = std::move(next);
  }
}

}  // namespace tidegate::aws
