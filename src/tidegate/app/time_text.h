// Lengths of time and times of day as people type them in options and settings.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate::app {

/// Read "200ms", "90s", "40m" or "2h": a whole number and its unit. Errors: InvalidArgument (also beyond 1,000,000).
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// Read "07:00", a time of day in UTC. Errors: InvalidArgument.
Result<std::chrono::minutes> ParseTimeOfDay(std::string_view text);

/// "45 s", "2 min", "1 h 5 min": for messages; less than a second counts as one.
std::string HumanDuration(std::chrono::milliseconds length);

}  // namespace tidegate::app
