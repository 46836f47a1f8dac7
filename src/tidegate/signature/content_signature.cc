#include "tidegate/signature/content_signature.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "tidegate/base/text.h"

namespace tidegate::signature {
namespace {

constexpr size_t kParts = 5;
constexpr size_t kNamesDigits = 32;

/// Digits without leading zeros that fit.
template <typename Number>
bool ParseNumber(std::string_view text, Number& out) {
  if (text.empty() || text[0] < '0' || text[0] > '9' || (text.size() > 1 && text[0] == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string ContentSignature::ToString() const {
  if (!known) return "unknown";
  return Join(
      {std::string(kSignatureVersion), std::to_string(rows), std::to_string(upper), std::to_string(lower), names}, ":");
}

ContentSignature ContentSignature::Parse(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  ContentSignature parsed;
  if (parts.size() != kParts || parts[0] != kSignatureVersion) return {};
  if (!ParseNumber(parts[1], parsed.rows) || !ParseNumber(parts[2], parsed.upper)) return {};
  if (!ParseNumber(parts[3], parsed.lower) || parts[4].size() != kNamesDigits || !IsHex(parts[4])) return {};
  parsed.names = parts[4];
  parsed.known = true;
  return parsed;
}

}  // namespace tidegate::signature
