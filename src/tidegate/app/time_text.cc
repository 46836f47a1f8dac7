#include "tidegate/app/time_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "tidegate/base/text.h"

namespace tidegate::app {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kMost = 1'000'000;

std::optional<milliseconds> UnitOf(std::string_view text) {
  if (text == "ms") return milliseconds(1);
  if (text == "s") return std::chrono::seconds(1);
  if (text == "m") return std::chrono::minutes(1);
  if (text == "h") return std::chrono::hours(1);
  return std::nullopt;
}

}  // namespace

Result<milliseconds> ParseDuration(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto unit = UnitOf(text.substr(static_cast<size_t>(end - text.data())));
  if (error != std::errc() || !unit || value > kMost) {
    return InvalidArgument("a length of time is written as 90s, 40m or 2h, not " + Quoted(text));
  }
  return *unit * value;
}

Result<std::chrono::minutes> ParseTimeOfDay(std::string_view text) {
  int hour = 0, minute = 0;
  const auto digits = [&](size_t at, int* out) {
    const char* first = text.data() + at;
    return text[at] >= '0' && text[at] <= '9' && std::from_chars(first, first + 2, *out).ptr == first + 2;
  };
  if (text.size() != 5 || text[2] != ':' || !digits(0, &hour) || !digits(3, &minute) || hour > 23 || minute > 59) {
    return InvalidArgument("a time of day is written as 07:00, in UTC, not " + Quoted(text));
  }
  return std::chrono::hours(hour) + std::chrono::minutes(minute);
}

std::string HumanDuration(milliseconds length) {
  const int64_t seconds = std::max<int64_t>(1, std::chrono::round<std::chrono::seconds>(length).count());
  if (seconds < 120) return std::to_string(seconds) + " s";
  const int64_t minutes = seconds / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h" + (minutes % 60 == 0 ? "" : " " + std::to_string(minutes % 60) + " min");
}

}  // namespace tidegate::app
