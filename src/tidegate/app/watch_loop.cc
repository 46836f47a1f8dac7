#include "tidegate/app/watch_loop.h"

#include <algorithm>
#include <optional>
#include <string>

#include "tidegate/app/manifest_watch.h"
#include "tidegate/app/time_text.h"
#include "tidegate/base/log.h"

namespace tidegate::app {
namespace {

using contract::Delivery;
using contract::Version;

/// Open deliveries older than this are left to the sweeps: one that stays open for months must not make every look
/// long.
constexpr auto kOpenDays = std::chrono::days(7);
/// A manifest may be this far ahead of our clock.
constexpr auto kClockSkew = std::chrono::hours(1);

std::string DateOf(UtcTime time) { return FormatRfc3339(time).substr(0, 10); }

/// Trouble of ours, not of what was delivered: it may be gone at the next try.
bool MayPass(const ingest::Problem& problem) { return problem.reason == "unreadable" || problem.reason == "table"; }

class Loop {
 public:
  Loop(const WatchPorts& ports, WatchTimes times) : ports_(ports), times_(times) {}

  void Run() {
    while (!stopped()) {
      const Status looked = Look();
      if (stopped()) return;  // a look that was broken off is no failure
      CountFailures(looked);
      switch (ports_.waiter->Wait(PlanWait(looked))) {
        case Wake::kTime:
          break;
        case Wake::kReload:
          Reload();
          break;
        case Wake::kStop:
          return;
      }
    }
  }

 private:
  bool stopped() const { return ports_.stop->cancelled(); }

  Status Look() {
    TG_ASSIGN_OR_RETURN(const bool changed, manifests_.Look(*ports_.bucket, version_, FirstDate()));
    if (!changed && !must_ingest_ && SinceIngest() < SweepEvery()) return {};
    must_ingest_ = true;  // until one went well
    const UtcTime began = ports_.clock->Now();
    TG_ASSIGN_OR_RETURN(const ingest::IngestReport report, ports_.ingest());
    ingested_ = began;
    version_ = report.version;
    must_ingest_ = false;
    const auto& problems = report.problems;
    trouble_ = std::any_of(problems.begin(), problems.end(), MayPass);
    open_ = !problems.empty() || !report.waiting.empty();
    oldest_open_.reset();
    for (const auto& waiting : report.waiting) NoteOpen(waiting.delivery);
    ports_.tell(report);
    return {};
  }

  void NoteOpen(const Delivery& delivery) {
    if (delivery.is_initial() || delivery.date < DateOf(ports_.clock->Now() - kOpenDays)) return;
    if (!oldest_open_ || delivery.date < *oldest_open_) oldest_open_ = delivery.date;
  }

  /// Manifests from this day on are listed: that of the newest, of the oldest open one, and at least since yesterday.
  std::string FirstDate() const {
    const auto newest = Newest();
    if (!newest) return "";
    std::string date = std::min(newest->date, DateOf(ports_.clock->Now() - std::chrono::days(1)));
    return oldest_open_ ? std::min(date, *oldest_open_) : date;
  }

  std::optional<Delivery> Newest() const {
    return manifests_.Newest(NewestDue(ports_.clock->Now() + kClockSkew, version_, times_).delivery);
  }

  std::chrono::milliseconds SinceIngest() const {
    const UtcTime now = ports_.clock->Now();
    if (!ingested_ || now < *ingested_) return times_.sweep;  // a clock that was put back must not put off the sweep
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - *ingested_);
  }

  /// One table's trouble is tried again sooner, and does not slow down the looks for the others.
  std::chrono::milliseconds SweepEvery() const { return trouble_ ? times_.sweep / kOpenShare : times_.sweep; }

  void CountFailures(const Status& looked) {
    if (!looked.ok()) {
      ++failures_;
      return;
    }
    if (failures_ > 0) Log(LogLevel::kInfo, "the trouble is over");
    failures_ = 0;
  }

  std::chrono::milliseconds PlanWait(const Status& looked) {
    const WatchState state{ports_.clock->Now(), version_, Newest(), open_, failures_, SinceIngest()};
    const NextLook next = PlanNextLook(state, times_, ports_.jitter());
    const std::string when = "next look in " + HumanDuration(next.wait);
    if (!looked.ok()) Log(LogLevel::kError, looked.message() + "; " + when);
    if (next.late && next.late != said_late_) {
      Log(LogLevel::kWarning, next.late->ToString() + " is not there yet, " + HumanDuration(times_.expect_within) +
                                  " after it was due; ask the vendor if it stays so");
      said_late_ = next.late;
    }
    Log(LogLevel::kDebug, when);
    return next.wait;
  }

  void Reload() {
    auto times = ports_.reload();
    if (!times.ok()) {
      Log(LogLevel::kError, times.status().message() + "; the settings from before stay in force");
      return;
    }
    times_ = *times;
    must_ingest_ = true;
  }

  const WatchPorts& ports_;
  WatchTimes times_;
  ManifestWatch manifests_;
  Version version_ = Version::kV1;  // in use, as the last ingest found it
  std::optional<UtcTime> ingested_;
  bool must_ingest_ = true;
  bool open_ = false;
  bool trouble_ = false;
  std::optional<std::string> oldest_open_;  // its day
  int failures_ = 0;
  std::optional<Delivery> said_late_;
};

}  // namespace

void WatchAndIngest(const WatchPorts& ports, WatchTimes times) { Loop(ports, times).Run(); }

}  // namespace tidegate::app
