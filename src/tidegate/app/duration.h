// Durations as people type them: "90s", "40m", "12h", "7d".
#pragma once

#include <chrono>
#include <string>

#include "tidegate/base/status.h"

namespace tidegate::app {

/// A whole number of at most six digits and its unit. Errors: InvalidArgument.
Result<std::chrono::seconds> ParseDuration(const std::string& text);

}  // namespace tidegate::app
