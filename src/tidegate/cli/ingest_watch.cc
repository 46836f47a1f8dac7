// tidegate ingest SRC LAKE --watch: stays up and follows the deliveries.
#include <chrono>
#include <cstdio>
#include <random>

#include "tidegate/app/delivery_news.h"
#include "tidegate/app/time_text.h"
#include "tidegate/app/watch_loop.h"
#include "tidegate/base/log.h"
#include "tidegate/cli/ingest_command.h"
#include "tidegate/cli/signals.h"

namespace tidegate::cli {
namespace {

/// The system's clock, or with --now one that starts there and runs on.
class RunningClock final : public Clock {
 public:
  explicit RunningClock(UtcTime start) : start_(start) {}
  UtcTime Now() const override {
    return start_ + std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began_);
  }

 private:
  const UtcTime start_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

Result<std::unique_ptr<Clock>> MakeWatchClock(const CommonOptions& common) {
  TG_ASSIGN_OR_RETURN(std::unique_ptr<Clock> clock, MakeClock(common));
  if (common.now.empty()) return clock;
  return std::unique_ptr<Clock>(std::make_unique<RunningClock>(clock->Now()));
}

/// What the command line says comes before the settings.
Result<app::WatchTimes> TimesOf(const WatchOptions& options, app::WatchTimes times) {
  TG_RETURN_IF_ERROR(TakeOption(options.poll, "--poll", app::ParseDuration, &times.poll));
  TG_RETURN_IF_ERROR(TakeOption(options.sweep, "--sweep", app::ParseDuration, &times.sweep));
  TG_RETURN_IF_ERROR(TakeOption(options.expect_within, "--expect-within", app::ParseDuration, &times.expect_within));
  TG_RETURN_IF_ERROR(TakeOption(options.daily_at, "--daily-at", app::ParseTimeOfDay, &times.daily_at));
  TG_RETURN_IF_ERROR(app::CheckTimes(times));
  return times;
}

OrderedJson LineOf(const app::DeliveryNews& news, const std::string& at) {
  OrderedJson tables = OrderedJson::array();
  for (const app::TableNews& table : news.tables) {
    tables.push_back(
        OrderedJson{{"table", table.table}, {"action", ingest::ActionName(table.action)}, {"rows_in", table.rows}});
  }
  return OrderedJson{{"at", at},
                     {"delivery", news.delivery.ToString()},
                     {"rows_in", news.rows()},
                     {"tables", std::move(tables)},
                     {"problems", ToJson(news.problems)},
                     {"waiting", ToJson(news.waiting)},
                     {"held", ToJson(news.held)}};
}

class Teller {
 public:
  Teller(const Clock& clock, bool json) : clock_(clock), json_(json) {}

  void Tell(const ingest::IngestReport& report) {
    const app::News news = desk_.Take(report);
    LogWarnings(news.warnings);
    LogProblems(news.problems);
    for (const ingest::Cold& cold : news.cold) Log(LogLevel::kWarning, cold.table + ": " + ingest::Describe(cold));
    const std::string at = FormatRfc3339(std::chrono::floor<std::chrono::seconds>(clock_.Now()));
    for (const app::DeliveryNews& delivery : news.deliveries) {
      const std::string line = json_ ? DumpJson(LineOf(delivery, at)) : at + " " + app::Describe(delivery);
      std::printf("%s\n", line.c_str());
    }
    std::fflush(stdout);  // whoever reads a pipe or a journal sees it now
    const bool worth_saying = first_ || report.applied_anything() || !news.problems.empty();
    Log(worth_saying ? LogLevel::kInfo : LogLevel::kDebug, Summary(report));
    first_ = false;
  }

 private:
  const Clock& clock_;
  const bool json_;
  bool first_ = true;
  app::NewsDesk desk_;
};

Result<app::WatchTimes> Reload(const WatchRun& watch) {
  TG_ASSIGN_OR_RETURN(const app::Settings settings, app::LoadSettings(watch.common.config));
  TG_ASSIGN_OR_RETURN(const app::WatchTimes times, TimesOf(watch.watch, settings.watch));
  watch.take_settings(settings);
  Log(LogLevel::kInfo, "settings read again: " + settings.source);
  return times;
}

}  // namespace

void AddWatch(CLI::App& command, WatchOptions& options) {
  auto* watch = command.add_flag("--watch", options.on, "Stay up and follow the deliveries; one line for each");
  const auto add = [&](const char* name, std::string& value, const char* type, const char* what) {
    command.add_option(name, value, what)->type_name(type)->needs(watch);
  };
  add("--poll", options.poll, "DURATION", "--watch: look for an awaited delivery this often (default: 60s)");
  add("--sweep", options.sweep, "DURATION", "--watch: compare the whole bucket at least this often (default: 15m)");
  add("--expect-within", options.expect_within, "DURATION",
      "--watch: a delivery that is due for longer is late (default: 40m)");
  add("--daily-at", options.daily_at, "HH:MM", "--watch: when a daily delivery is due, UTC (default: 07:00)");
}

int WatchIngest(const WatchRun& watch, const app::Settings& settings) {
  const auto times = TimesOf(watch.watch, settings.watch);
  if (!times.ok()) return Fail(times.status());
  const auto clock = MakeWatchClock(watch.common);
  if (!clock.ok()) return Fail(clock.status());
  watch.run.clock = clock->get();
  watch.run.progress = nullptr;
  Teller teller(**clock, watch.common.json);
  SignalWaiter waiter;
  std::mt19937 random(std::random_device{}());
  CatchReloadSignal();

  app::WatchPorts ports;
  ports.bucket = &watch.bucket;
  ports.clock = clock->get();
  ports.waiter = &waiter;
  ports.stop = &StopFlag();
  ports.jitter = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  ports.ingest = [&] { return ingest::RunIngest(watch.bucket, watch.lake, watch.run); };
  ports.tell = [&](const ingest::IngestReport& report) { teller.Tell(report); };
  ports.reload = [&] { return Reload(watch); };
  Log(LogLevel::kInfo, "watching " + watch.bucket.url() + "; Ctrl-C or SIGTERM stops, SIGHUP reads the settings again");
  app::WatchAndIngest(ports, *times);
  Log(LogLevel::kInfo, "stopped");
  return kDone;
}

}  // namespace tidegate::cli
