// Settings of a project: tidegate.toml, found beside the work or named by --config. One file holds the table catalog
// and the settings of each command. Format: docs/formats/catalog.md and docs/cli.md.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/app/publish_settings.h"
#include "tidegate/app/store_settings.h"
#include "tidegate/app/watch_schedule.h"
#include "tidegate/base/status.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/ingest/look.h"
#include "tidegate/ingest/shrink_guard.h"

namespace tidegate::app {

/// C-43: what a bucket of S3 does, where the settings do not say.
inline constexpr std::chrono::milliseconds kFreezesAfter = std::chrono::hours(180 * 24);

/// Where settings come from that no file gave.
inline constexpr const char* kBuiltIn = "built-in";

struct Settings {
  contract::TableCatalog catalog;  // default: the built-in `cloudhumans`
  std::string source = kBuiltIn;   // where it was read from
  std::optional<int> ingest_jobs;
  std::optional<int64_t> ingest_memory;  // bytes
  std::chrono::milliseconds list_all_every = ingest::kListAllEvery;
  ingest::ShrinkGuard shrink_guard;
  WatchTimes watch;  // of `ingest --watch`
  std::optional<std::string> query_memory_limit;
  std::optional<int> query_threads;
  std::optional<int> keep_snapshots;  // [lake]: what `expire` leaves of each table
  std::optional<std::chrono::milliseconds> keep_for;
  std::optional<std::chrono::milliseconds> freezes_after;  // [bucket]: how old objects are that go into cold storage
  std::vector<StoreSection> stores;                        // [[store]]
  PublishSettings publish;                                 // [hive_catalog], [[publish]]
};

/// `config`: a file, or empty: ./tidegate.toml where it exists, else the built-in defaults. The environment variable
/// TIDEGATE_CONFIG names it too. Errors: NotFound, InvalidArgument naming file and line.
Result<Settings> LoadSettings(const std::string& config);

}  // namespace tidegate::app
