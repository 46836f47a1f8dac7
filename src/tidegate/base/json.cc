#include "tidegate/base/json.h"

#include <set>
#include <string>
#include <vector>

#include "tidegate/base/text.h"

namespace tidegate {
namespace {

constexpr int kMaxDepth = 64;

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  std::string refusal;
  std::vector<std::set<std::string>> keys;
  const Json::parser_callback_t guard = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth && refusal.empty()) refusal = "nested deeper than " + std::to_string(kMaxDepth);
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.empty() && refusal.empty() &&
        !keys.back().insert(parsed.get_ref<const std::string&>()).second) {
      refusal = "the key " + parsed.dump(-1, ' ', true, Json::error_handler_t::replace) + " stands twice in one object";
    }
    return refusal.empty();
  };
  try {
    Json value = Json::parse(text.begin(), text.end(), guard, /*allow_exceptions=*/true);
    if (!refusal.empty()) return Corruption("not acceptable JSON: " + refusal);
    return value;
  } catch (const Json::parse_error& error) {
    return Corruption("not JSON: error at byte " + std::to_string(error.byte) + " of " + std::to_string(text.size()));
  } catch (const Json::exception&) {
    return Corruption("not JSON: a number or text out of range");
  }
}

std::string DumpJson(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string TextOr(const Json& object, const char* key) {
  const auto field = object.find(key);
  return field != object.end() && field->is_string() ? field->get<std::string>() : "";
}

Result<std::string> RequireText(const Json& object, const char* key) {
  const auto field = object.find(key);
  if (field == object.end() || !field->is_string()) return Corruption("no text " + Quoted(key));
  return field->get<std::string>();
}

Result<int64_t> RequireInteger(const Json& object, const char* key) {
  const auto field = object.find(key);
  const bool whole = field != object.end() && field->is_number_integer();
  const bool too_large = whole && field->is_number_unsigned() && field->get<uint64_t>() > uint64_t{INT64_MAX};
  if (!whole || too_large) return Corruption("no whole number " + Quoted(key));
  return field->get<int64_t>();
}

Status RequireFormat(const Json& document, int64_t known) {
  if (!document.is_object()) return Corruption("not a JSON object");
  TG_ASSIGN_OR_RETURN(const int64_t format, RequireInteger(document, "format"));
  if (format != known) return Unsupported("written by a newer tidegate: install that version");
  return {};
}

}  // namespace tidegate
