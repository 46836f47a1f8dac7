#include "tidegate/cli/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "tidegate/cli/command.h"

namespace tidegate::cli {
namespace {

// A handler may set flags and write to this, nothing more. A wait that begins after the signal still ends by it.
int wake_fd = -1;
std::atomic<bool> reload_asked{false};

void WakeUp() {
  const int before = errno;
  const uint64_t one = 1;
  if (write(wake_fd, &one, sizeof one) < 0) {
    // Full: then the waiter has more than enough to wake up by.
  }
  errno = before;
}

extern "C" void OnStopSignal(int signal_number) {
  if (StopFlag().asked()) {  // the second one
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    return;
  }
  StopFlag().Cancel();
  WakeUp();
}

extern "C" void OnReloadSignal(int) {
  reload_asked.store(true);
  WakeUp();
}

void Catch(int signal_number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void CatchStopSignals() {
  StopFlag();  // made here, not in a handler
  wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  Catch(SIGINT, OnStopSignal);
  Catch(SIGTERM, OnStopSignal);
}

void CatchReloadSignal() { Catch(SIGHUP, OnReloadSignal); }

app::Wake SignalWaiter::Wait(std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    if (StopFlag().cancelled()) return app::Wake::kStop;
    if (reload_asked.exchange(false)) return app::Wake::kReload;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return app::Wake::kTime;
    struct pollfd waited {
      wake_fd, POLLIN, 0
    };
    if (poll(&waited, 1, static_cast<int>(left.count())) <= 0) continue;
    uint64_t times = 0;
    if (read(wake_fd, &times, sizeof times) < 0) continue;  // taken already
  }
}

}  // namespace tidegate::cli
