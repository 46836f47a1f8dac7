#include "tidegate/base/log.h"

#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace tidegate {
namespace {

struct LogState {
  std::mutex mutex;
  LogLevel level = LogLevel::kInfo;
  std::function<void(LogLevel, std::string_view)> sink;
};

LogState& State() {
  static LogState state;
  return state;
}

const char* Prefix(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug: ";
    case LogLevel::kInfo:
      return "";
    case LogLevel::kWarning:
      return "warning: ";
    case LogLevel::kError:
      return "error: ";
  }
  return "";
}

}  // namespace

void Log(LogLevel level, std::string_view line) {
  LogState& state = State();
  const std::lock_guard lock(state.mutex);
  if (level < state.level) return;
  if (state.sink) {
    state.sink(level, line);
    return;
  }
  const std::string text = Prefix(level) + std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void SetLogLevel(LogLevel level) {
  const std::lock_guard lock(State().mutex);
  State().level = level;
}

void SetLogSink(std::function<void(LogLevel, std::string_view)> sink) {
  const std::lock_guard lock(State().mutex);
  State().sink = std::move(sink);
}

}  // namespace tidegate
