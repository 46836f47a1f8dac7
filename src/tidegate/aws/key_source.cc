#include "tidegate/aws/key_source.h"

#include <algorithm>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

constexpr size_t kMaxKeyBytes = 64 << 10;

bool FitsHeader(std::string_view text) {
  return text.size() <= kMaxKeyBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

bool FitsCredentialField(std::string_view id) {
  return !id.empty() && FitsHeader(id) && id.find_first_of("/,") == std::string_view::npos;
}

Result<std::string> OptionalText(const Json& object, const char* key, std::string_view from) {
  const auto field = object.find(key);
  if (field == object.end() || field->is_null()) return std::string();
  if (!field->is_string()) return Corruption(std::string(from) + ": the reply's " + key + " is no text");
  return field->get<std::string>();
}

}  // namespace

Result<Credentials> CheckedKeys(Credentials keys, std::string_view from) {
  const bool good = FitsCredentialField(keys.access_key_id) && !keys.secret_access_key.empty() &&
                    FitsHeader(keys.secret_access_key) && FitsHeader(keys.session_token);
  if (good) return keys;
  return Corruption(std::string(from) + ": the keys are empty, too long or have characters that no key has");
}

Result<UtcTime> ReadExpiry(std::string_view text, std::string_view from) {
  std::string time(text.substr(0, 64));
  if (time.ends_with("UTC")) time.replace(time.size() - 3, 3, "Z");
  const Result<UtcTime> out = ParseRfc3339(time);
  if (out.ok() && text.size() <= 64) return *out;
  return Corruption(std::string(from) + ": the time when the keys run out is no time such as 2026-11-03T03:00:00Z");
}

Result<Credentials> KeysFromJson(const Json& document, const char* token_field, std::string_view from) {
  Credentials out;
  TG_ASSIGN_OR_RETURN(out.access_key_id, OptionalText(document, "AccessKeyId", from));
  TG_ASSIGN_OR_RETURN(out.secret_access_key, OptionalText(document, "SecretAccessKey", from));
  TG_ASSIGN_OR_RETURN(out.session_token, OptionalText(document, token_field, from));
  TG_ASSIGN_OR_RETURN(const std::string expires, OptionalText(document, "Expiration", from));
  if (!expires.empty()) {
    TG_ASSIGN_OR_RETURN(out.expires, ReadExpiry(expires, from));
  }
  return CheckedKeys(std::move(out), from);
}

Result<Json> ObjectFrom(std::string_view text, std::string_view from) {
  Result<Json> out = ParseJson(text);
  if (out.ok() && out->is_object()) return out;
  return Corruption(std::string(from) + ": the reply is no JSON object");
}

std::string Shown(std::string_view text, std::initializer_list<std::string_view> secrets) {
  std::string out(text);
  for (const std::string_view secret : secrets) {
    if (secret.empty()) continue;
    for (size_t at = out.find(secret); at != std::string::npos; at = out.find(secret, at)) {
      out.replace(at, secret.size(), "…");
    }
  }
  return Quoted(out, 300);
}

int64_t UnixSeconds(UtcTime time) { return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count(); }

}  // namespace tidegate::aws
