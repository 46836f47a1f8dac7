#include "tidegate/app/duration.h"

#include <charconv>

#include "tidegate/base/text.h"

namespace tidegate::app {

Result<std::chrono::seconds> ParseDuration(const std::string& text) {
  constexpr int64_t kMost = 999'999;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && value >= 0 && value <= kMost && end - stop == 1 && text[0] != '-') {
    if (*stop == 's') return std::chrono::seconds(value);
    if (*stop == 'm') return std::chrono::seconds(std::chrono::minutes(value));
    if (*stop == 'h') return std::chrono::seconds(std::chrono::hours(value));
    if (*stop == 'd') return std::chrono::seconds(std::chrono::hours(value * 24));
  }
  return InvalidArgument("a duration is a whole number with its unit, such as 90s, 40m, 12h or 7d, not " +
                         Quoted(text));
}

}  // namespace tidegate::app
