// What `ingest` and `ingest --watch` share: how a report is shown. The first is in ingest_command.cc, the second in
// ingest_watch.cc.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tidegate/app/settings.h"
#include "tidegate/base/json.h"
#include "tidegate/cli/command.h"
#include "tidegate/ingest/ingest.h"
#include "tidegate/store/object_store.h"

namespace tidegate::cli {

OrderedJson ToJson(const std::vector<ingest::Problem>& problems);
OrderedJson ToJson(const std::vector<ingest::Waiting>& waiting);
OrderedJson ToJson(const std::vector<ingest::Held>& held);
OrderedJson ToJson(const std::vector<ingest::Cold>& cold);
void LogWarnings(const std::vector<ingest::Warning>& warnings);
void LogProblems(const std::vector<ingest::Problem>& problems);

/// "2 of 5 tables updated (contract v2)": the last line of a run.
std::string Summary(const ingest::IngestReport& report);

struct WatchOptions {
  bool on = false;
  std::string poll, sweep, expect_within, daily_at;  // empty: as the settings say
};

void AddWatch(CLI::App& command, WatchOptions& options);

struct WatchRun {
  const CommonOptions& common;
  const WatchOptions& watch;
  store::ObjectStore& bucket;
  store::ObjectStore& lake;
  ingest::IngestOptions& run;
  /// Puts settings that were read into `run`.
  std::function<void(const app::Settings&)> take_settings;
};

/// Ingest until it is stopped; returns the exit code. `settings` are in force at first.
int WatchIngest(const WatchRun& watch, const app::Settings& settings);

}  // namespace tidegate::cli
