// UTC time. Nothing in tidegate knows the machine's time zone (contract C-7).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate {

using UtcTime = std::chrono::sys_time<std::chrono::microseconds>;

/// Read RFC 3339 ("2026-11-03T03:00:00Z", fractions up to microseconds, offsets "+02:00", "t"/"z" in
/// lower case). Errors: InvalidArgument (also finer than a microsecond, also year outside 0001..9999).
Result<UtcTime> ParseRfc3339(std::string_view text);

/// Print as "2026-11-03T03:00:00Z", with a fraction only where it is not zero.
std::string FormatRfc3339(UtcTime time);

/// "YYYY-MM-DD" of a real calendar day?
bool IsDate(std::string_view text);

/// "00" … "23", exactly two digits?
bool IsHour(std::string_view text);

/// Where the time comes from; a port so that runs can be replayed (--now) and tested.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual UtcTime Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  UtcTime Now() const override;
};

class FixedClock final : public Clock {
 public:
  explicit FixedClock(UtcTime now) : now_(now) {}
  UtcTime Now() const override { return now_; }
  void Set(UtcTime now) { now_ = now; }

 private:
  UtcTime now_;
};

}  // namespace tidegate
