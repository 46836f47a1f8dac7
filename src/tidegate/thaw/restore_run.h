// Carrying out a restore: asking object by object, and waiting until all can be read. Both may be repeated at any time.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/store/object_store.h"
#include "tidegate/thaw/restore_plan.h"

namespace tidegate::thaw {

struct AskFailure {
  std::string key;
  Status why;
};

struct AskOutcome {
  int64_t asked = 0;
  std::vector<AskFailure> failed;  // the others were asked for all the same
  int64_t not_tried = 0;           // the bucket's owner denied the first ones, and none was granted
  /// Did the owner deny it, and grant nothing?
  bool denied() const;
};

/// Asks for each object of the plan, a few at a time. Errors: Cancelled.
Result<AskOutcome> AskForAll(store::ObjectStore& bucket, const RestorePlan& plan, const CancelFlag* cancel);

/// Time comes in as ports, so that tests need not sleep.
struct WaitPorts {
  std::function<UtcTime()> now;
  std::function<bool(std::chrono::milliseconds)> sleep;  // false: stop waiting
  /// Before each sleep; may be empty.
  std::function<void(size_t readable, size_t all, std::chrono::milliseconds pause)> tell;
};

enum class Waited { kAllReadable, kTimedOut, kStopped };

struct WaitOutcome {
  Waited end = Waited::kAllReadable;
  size_t readable = 0;                // objects that can be read, or are gone
  std::string first_unreadable = {};  // key; empty: none
};

/// Looks at the objects with growing pauses until all can be read. One that is gone counts as readable: whoever reads
/// it learns what became of it. A look ends at the first that cannot be read. Errors: of Head, but passing ones.
Result<WaitOutcome> WaitUntilReadable(store::ObjectStore& bucket, std::vector<ColdObject> objects,
                                      std::optional<std::chrono::milliseconds> at_most, const WaitPorts& ports);

}  // namespace tidegate::thaw
