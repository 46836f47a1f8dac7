// Run a command of the user's that prints keys or a token. No shell takes part: nothing is expanded.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

/// Cut a line into words as a POSIX shell does: spaces part, '…' and "…" hold together, a backslash makes the next
/// character plain. Errors: InvalidArgument (no word, a quote without its end); never shows the line.
Result<std::vector<std::string>> SplitCommandLine(std::string_view line);

struct CommandLimits {
  std::chrono::milliseconds time{60'000};
  size_t max_bytes = 256 << 10;
  const CancelFlag* cancel = nullptr;  // may be null
};

/// What the command prints on stdout. It reads nothing on stdin; what it says on stderr goes to ours, for the user to
/// read. Ended, with all it started in its process group, where it takes too long or prints too much. Errors: NotFound
/// (no such program), Unauthenticated (ends with another code than 0), Unavailable (too slow), InvalidArgument (prints
/// too much), Cancelled. They name the program, not its arguments, which may be secret.
Result<std::string> RunCommand(const std::vector<std::string>& argv, const CommandLimits& limits);

}  // namespace tidegate::aws
