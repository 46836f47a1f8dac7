#include "tidegate/base/time.h"

#include <cstdint>
#include <cstdio>
#include <optional>

namespace tidegate {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

/// Reads exactly `digits` decimal digits off the front of a text.
std::optional<int> TakeDigits(std::string_view& text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool TakeChar(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<sys_days> TakeDate(std::string_view& text) {
  const auto year = TakeDigits(text, 4);
  if (!year || *year == 0 || !TakeChar(text, "-")) return std::nullopt;
  const auto month = TakeDigits(text, 2);
  if (!month || !TakeChar(text, "-")) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!day) return std::nullopt;
  const year_month_day date{std::chrono::year(*year), std::chrono::month(unsigned(*month)),
                            std::chrono::day(unsigned(*day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

std::optional<microseconds> TakeFraction(std::string_view& text) {
  if (!TakeChar(text, ".")) return microseconds(0);
  int64_t micros = 0;
  size_t digits = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), ++digits) {
    if (digits < 6)
      micros = micros * 10 + (text[0] - '0');
    else if (text[0] != '0')
      return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  for (size_t i = digits; i < 6; ++i) micros *= 10;
  return microseconds(micros);
}

std::optional<microseconds> TakeTimeOfDay(std::string_view& text) {
  const auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 23 || !TakeChar(text, ":")) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || *minute > 59 || !TakeChar(text, ":")) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  const auto fraction = TakeFraction(text);
  if (!fraction) return std::nullopt;
  return hours(*hour) + minutes(*minute) + seconds(*second) + *fraction;
}

std::optional<minutes> TakeOffset(std::string_view& text) {
  if (TakeChar(text, "zZ")) return minutes(0);
  const bool negative = !text.empty() && text[0] == '-';
  if (!TakeChar(text, "+-")) return std::nullopt;
  const auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 23 || !TakeChar(text, ":")) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return negative ? -offset : offset;
}

}  // namespace

Result<UtcTime> ParseRfc3339(std::string_view text) {
  std::string_view rest = text;
  const auto bad = [&] {
    return InvalidArgument("not an RFC 3339 time such as 2026-11-03T03:00:00Z: '" + std::string(text.substr(0, 64)) +
                           "'");
  };
  const auto date = TakeDate(rest);
  if (!date || !TakeChar(rest, "Tt ")) return bad();
  const auto time = TakeTimeOfDay(rest);
  if (!time) return bad();
  const auto offset = TakeOffset(rest);
  if (!offset || !rest.empty()) return bad();
  return UtcTime(*date) + *time - *offset;
}

std::string FormatRfc3339(UtcTime time) {
  const auto day = std::chrono::floor<days>(time);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", int(date.year()), unsigned(date.month()),
                unsigned(date.day()), int(clock.hours().count()), int(clock.minutes().count()),
                int(clock.seconds().count()));
  std::string out = text;
  if (const auto micros = clock.subseconds().count(); micros != 0) {
    std::snprintf(text, sizeof text, ".%06d", int(micros));
    out += text;
    out.erase(out.find_last_not_of('0') + 1);
  }
  return out + "Z";
}

bool IsDate(std::string_view text) { return TakeDate(text).has_value() && text.empty(); }

bool IsHour(std::string_view text) {
  const auto hour = TakeDigits(text, 2);
  return hour && *hour <= 23 && text.empty();
}

UtcTime SystemClock::Now() const { return std::chrono::floor<microseconds>(std::chrono::system_clock::now()); }

}  // namespace tidegate
