#include "tidegate/publish/run_id.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tidegate::publish {
namespace {

constexpr std::string_view kShape =
    "dddddddd"
    "Tdddddd"
    "Z-xxxxxx";

bool Fits(char shape, char c) {
  const bool digit = c >= '0' && c <= '9';
  if (shape == 'd') return digit;
  if (shape == 'x') return digit || (c >= 'a' && c <= 'f');
  return c == shape;
}

/// "20261102T140501Z" as RFC 3339.
std::string Rfc3339Of(std::string_view id) {
  const auto part = [&](size_t at, size_t size) { return std::string(id.substr(at, size)); };
  return part(0, 4) + "-" + part(4, 2) + "-" + part(6, 2) + "T" + part(9, 2) + ":" + part(11, 2) + ":" + part(13, 2) +
         "Z";
}

std::string TimeText(UtcTime time) {
  const std::string text = FormatRfc3339(std::chrono::floor<std::chrono::seconds>(time));
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != '-' && c != ':'; });
  return out;
}

}  // namespace

bool IsRunId(std::string_view text) {
  if (text.size() != kShape.size()) return false;
  if (!std::equal(text.begin(), text.end(), kShape.begin(), [](char c, char shape) { return Fits(shape, c); }))
    return false;
  return ParseRfc3339(Rfc3339Of(text)).ok();
}

UtcTime TimeOfRun(const RunId& id) { return *ParseRfc3339(Rfc3339Of(id)); }

RunId NewRunId(UtcTime now, uint64_t random, const std::optional<RunId>& newest) {
  std::array<char, 8> digits{};
  std::snprintf(digits.data(), digits.size(), "%06x", static_cast<unsigned>(random & 0xFFFFFF));
  RunId id = TimeText(now) + "-" + digits.data();
  if (!newest || id > *newest) return id;
  return TimeText(TimeOfRun(*newest) + std::chrono::seconds(1)) + "-" + digits.data();
}

}  // namespace tidegate::publish
