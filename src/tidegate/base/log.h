// Log lines for people, on stderr. Results go to stdout and never through here.
#pragma once

#include <functional>
#include <string_view>

namespace tidegate {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Print one line at a level: "warning: …" (info lines have no prefix). Threads: safe.
void Log(LogLevel level, std::string_view line);

/// Lines below this are dropped. Default: kInfo. `-v` sets kDebug.
void SetLogLevel(LogLevel level);

/// Where lines go instead of stderr (the progress bar and tests set it); nullptr restores stderr.
void SetLogSink(std::function<void(LogLevel, std::string_view)> sink);

}  // namespace tidegate
