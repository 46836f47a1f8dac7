#include "tidegate/thaw/restore_run.h"

#include <algorithm>
#include <atomic>
#include <future>

#include "tidegate/base/task_pool.h"

namespace tidegate::thaw {
namespace {

using std::chrono::milliseconds;

constexpr size_t kAtOnce = 8;

/// After so many denials and no grant, the others are not asked for.
constexpr int64_t kMostDenials = 20;

constexpr milliseconds kFirstPause = std::chrono::seconds(15);
constexpr milliseconds kLongestPause = std::chrono::minutes(15);

struct Tally {
  std::atomic<int64_t> asked{0};
  std::atomic<int64_t> denied{0};
  std::atomic<int64_t> not_tried{0};
  bool is_hopeless() const { return asked == 0 && denied >= kMostDenials; }
};

Status AskFor(store::ObjectStore& bucket, const ColdObject& cold, const RestorePlan& plan, Tally& tally) {
  if (tally.is_hopeless()) {
    ++tally.not_tried;
    return {};
  }
  const store::RestoreRequest request{.days = plan.days, .tier = std::string(TierName(TierOf(cold.object, plan.tier)))};
  Status done = bucket.RequestRestore(cold.object.key, request);
  if (done.ok()) ++tally.asked;
  if (done.code() == Code::kPermissionDenied) ++tally.denied;
  return done;
}

bool Passes(const Status& status) {
  return status.code() == Code::kUnavailable || status.code() == Code::kUnknownOutcome;
}

/// Removes from the front what can be read. Errors: of Head, but passing ones.
Status DropReadable(store::ObjectStore& bucket, std::vector<ColdObject>& left) {
  while (!left.empty()) {
    const auto now = bucket.Head(left.back().object.key);
    if (!now.ok() && now.status().code() != Code::kNotFound) return Passes(now.status()) ? Status() : now.status();
    if (now.ok() && !store::CanBeRead(now->archive)) return {};
    left.pop_back();
  }
  return {};
}

}  // namespace

bool AskOutcome::denied() const {
  return asked == 0 && !failed.empty() && std::all_of(failed.begin(), failed.end(), [](const AskFailure& failure) {
           return failure.why.code() == Code::kPermissionDenied;
         });
}

Result<AskOutcome> AskForAll(store::ObjectStore& bucket, const RestorePlan& plan, const CancelFlag* cancel) {
  Tally tally;
  std::vector<std::future<Status>> answers;
  AskOutcome out;
  {
    TaskPool pool(kAtOnce);
    for (const ColdObject& cold : plan.ask) {
      answers.push_back(pool.Submit([&bucket, &cold, &plan, &tally, cancel]() -> Status {
        if (cancel != nullptr) TG_RETURN_IF_ERROR(cancel->Check());
        return AskFor(bucket, cold, plan, tally);
      }));
    }
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    const Status done = answers[i].get();
    if (done.code() == Code::kCancelled) return done;
    if (!done.ok()) out.failed.push_back({plan.ask[i].object.key, done});
  }
  out.asked = tally.asked;
  out.not_tried = tally.not_tried;
  return out;
}

Result<WaitOutcome> WaitUntilReadable(store::ObjectStore& bucket, std::vector<ColdObject> objects,
                                      std::optional<milliseconds> at_most, const WaitPorts& ports) {
  const size_t all = objects.size();
  const UtcTime began = ports.now();
  std::reverse(objects.begin(), objects.end());  // the first one is the last: removing it costs nothing
  for (milliseconds pause = kFirstPause;; pause = std::min(pause * 3 / 2, kLongestPause)) {
    TG_RETURN_IF_ERROR(DropReadable(bucket, objects));
    WaitOutcome out{.readable = all - objects.size()};
    if (objects.empty()) return out;
    out.first_unreadable = objects.back().object.key;
    milliseconds next = pause;
    if (at_most) {
      const auto left = *at_most - std::chrono::duration_cast<milliseconds>(ports.now() - began);
      out.end = Waited::kTimedOut;
      if (left <= milliseconds(0)) return out;
      next = std::min(next, left);
    }
    if (ports.tell) ports.tell(out.readable, all, next);
    out.end = Waited::kStopped;
    if (!ports.sleep(next)) return out;
  }
}

}  // namespace tidegate::thaw
