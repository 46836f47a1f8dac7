#include "tidegate/catalog/glue/glue_client.h"

#include <array>

namespace tidegate::catalog {
namespace {

constexpr std::array<aws::ErrorMeaning, 6> kMeanings = {{
    {"EntityNotFoundException", Code::kNotFound, "check the names and the region"},
    {"AlreadyExistsException", Code::kAlreadyExists, "it was made meanwhile"},
    {"ConcurrentModificationException", Code::kPreconditionFailed, "another program changed it; run again"},
    {"InvalidInputException", Code::kInvalidArgument, "Glue does not take this"},
    {"ResourceNumberLimitExceededException", Code::kUnavailable, "a quota of Glue is used up: ask AWS to raise it"},
    {"GlueEncryptionException", Code::kPermissionDenied, "check that it may use the key of the catalog's encryption"},
}};

aws::JsonServiceSettings ServiceOf(const GlueSettings& settings) {
  aws::JsonServiceSettings out{.name = "Glue", .target = "AWSGlue", .signing_name = "glue", .meanings = kMeanings};
  out.region = settings.region;
  out.origin = settings.origin;
  out.http = settings.http;
  out.credentials = settings.credentials;
  out.sleeper = settings.sleeper;
  return out;
}

}  // namespace

Code CodeOfGlueError(std::string_view name) {
  const aws::ErrorMeaning* meaning = aws::FindMeaning(kMeanings, name);
  return meaning == nullptr ? Code::kUnavailable : meaning->code;
}

GlueClient::GlueClient(const GlueSettings& settings)
    : catalog_id_(settings.catalog_id), service_(ServiceOf(settings)) {}

Result<Json> GlueClient::Call(std::string_view operation, OrderedJson request, std::string_view about) {
  if (!catalog_id_.empty()) request["CatalogId"] = catalog_id_;
  return service_.Call(operation, request, about);
}

Result<std::vector<Json>> GlueClient::CallAllPages(std::string_view operation, OrderedJson request, const char* field,
                                                   std::string_view about) {
  if (!catalog_id_.empty()) request["CatalogId"] = catalog_id_;
  std::vector<Json> out;
  const auto take = [&](const Json& page) {
    const auto list = page.find(field);
    if (list != page.end() && list->is_array()) out.insert(out.end(), list->begin(), list->end());
    return Status();
  };
  TG_RETURN_IF_ERROR(service_.EachPage(operation, std::move(request), about, take));
  return out;
}

}  // namespace tidegate::catalog
