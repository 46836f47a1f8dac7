// The loop of `ingest --watch`: look cheaply, ingest where something is new, tell, wait; until it is stopped.
//
//   look = list the newest manifests ─ nothing changed ──────────────────▶ wait (watch_schedule.h)
//        └ changed · first look · sweep is due · reloaded · last one failed ─▶ ingest ─▶ tell ─▶ wait
//
// Guarantees
// - What changes while an ingest runs is seen by the next look: the listing comes before the ingest's own.
// - A failure is said and tried again, ever more seldom; nothing ends the loop but a stop.
// - It keeps no state of its own: each run takes the lake's checkpoints as they are, so it can be killed at any moment.
//
// Not here: how to ingest, how to print, signals: they come in as ports, so that tests run without sleeping.
#pragma once

#include <chrono>
#include <functional>

#include "tidegate/app/watch_schedule.h"
#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/ingest/ingest.h"
#include "tidegate/store/object_store.h"

namespace tidegate::app {

enum class Wake { kTime, kReload, kStop };

class Waiter {
 public:
  virtual ~Waiter() = default;
  /// Wait until something is asked for, at most so long. What was asked for before this call ends it at once.
  virtual Wake Wait(std::chrono::milliseconds at_most) = 0;
};

struct WatchPorts {
  store::ObjectStore* bucket = nullptr;
  const Clock* clock = nullptr;
  Waiter* waiter = nullptr;
  const CancelFlag* stop = nullptr;
  std::function<double()> jitter;  // in [0, 1)
  std::function<Result<ingest::IngestReport>()> ingest;
  std::function<void(const ingest::IngestReport&)> tell;
  std::function<Result<WatchTimes>()> reload;  // reads the settings again; an error: the old ones stay in force
};

/// Run until `stop`, or until the waiter says so.
void WatchAndIngest(const WatchPorts& ports, WatchTimes times);

}  // namespace tidegate::app
