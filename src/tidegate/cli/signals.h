// Signals: SIGINT and SIGTERM ask to stop, the second of them ends the program at once; SIGHUP asks a watching command
// to read its settings again.
#pragma once

#include <chrono>

#include "tidegate/app/watch_loop.h"

namespace tidegate::cli {

/// From here on the first SIGINT or SIGTERM sets StopFlag(). Call once, before threads are started.
void CatchStopSignals();

/// From here on SIGHUP asks for a reload; until then it ends the program.
void CatchReloadSignal();

/// Waits for time or a signal. Threads: one.
class SignalWaiter final : public app::Waiter {
 public:
  app::Wake Wait(std::chrono::milliseconds at_most) override;
};

}  // namespace tidegate::cli
