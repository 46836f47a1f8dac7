// What every command shares: common options, how it ends, how it prints. One file per command adds itself to the
// program.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/app/open_store.h"
#include "tidegate/app/settings.h"
#include "tidegate/base/cancel.h"
#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::cli {

// Exit codes (docs/cli.md). `ready` has its own: 0 sealed, 1 not, 5 or more failed.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kNothingNew = 3;      // only with --detailed-exitcode
inline constexpr int kSomethingWaits = 4;  // only with --detailed-exitcode
inline constexpr int kReadyFailed = 5;

/// Set by SIGINT and SIGTERM.
CancelFlag& StopFlag();

struct CommonOptions {
  std::string config;
  app::StoreSettings store;  // how buckets are reached
  bool json = false;
  bool verbose = false;
  std::string now;  // RFC 3339, for replays
};

struct TableChoice {
  std::vector<std::string> tables, exclude;
};

/// --config, --json, -v, and how buckets are reached; `with_now` adds --now.
void AddCommon(CLI::App& app, CommonOptions& options, bool with_now);

/// How a place is reached: flags, and for a bucket the sections of the settings file. Errors: those of that file.
Result<app::StoreAccess> AccessOf(const CommonOptions& options, const std::string& url);

/// The store that a person named. Errors: as app::OpenStore; those of the settings file.
Result<std::unique_ptr<store::ObjectStore>> OpenStore(const CommonOptions& options, const std::string& url,
                                                      app::OpenMode mode);

/// The same for a lake. Errors: Unsupported also where no lake can lie.
Result<std::unique_ptr<store::ObjectStore>> OpenLake(const CommonOptions& options, const std::string& url,
                                                     app::OpenMode mode);

/// Of a bucket in which no table was found.
Status NoDeliveredTables(const store::ObjectStore& bucket);

/// --table GLOB, --exclude GLOB.
void AddTableChoice(CLI::App& app, TableChoice& choice);

/// The clock of a run: the system's, or fixed by --now. Errors: InvalidArgument.
Result<std::unique_ptr<Clock>> MakeClock(const CommonOptions& options);

/// An option that is a text with a meaning of its own, read by `parse`; left alone where it was not given.
template <typename Parse, typename T>
Status TakeOption(const std::string& text, std::string_view option, Parse parse, T* out) {
  if (text.empty()) return {};
  const auto value = parse(text);
  if (!value.ok()) return value.status().WithContext(option);
  *out = *value;
  return {};
}

/// What was asked of a store ("bucket", "lake"), as a debug line.
void LogRequests(const std::string& of, const store::StoreCounters& counters);

/// The same as fields of a report.
void AddRequests(const std::string& of, const store::StoreCounters& counters, OrderedJson& out);

/// -v: debug lines on stderr.
void ApplyVerbosity(const CommonOptions& options);

/// Prints "tidegate: <what failed>" to stderr; returns the exit code: kUsage for InvalidArgument, else kFailed.
int Fail(const Status& status);

/// Runs a command's body when it was chosen: its exit code becomes the program's.
using Body = std::function<int()>;
void OnRun(CLI::App& app, int* exit_code, Body body);

void PrintJson(const OrderedJson& value);

/// A line that shows how far a long command is: redrawn in place on a terminal, plain lines elsewhere; on stderr.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Step(const std::string& name, size_t done, size_t total);

 private:
  std::string what_;
  bool terminal_;
  bool drawn_ = false;
};

// Each adds one command.
void AddAccept(CLI::App& app, int* exit_code);
void AddClean(CLI::App& app, int* exit_code);
void AddDdl(CLI::App& app, int* exit_code);
void AddDeliver(CLI::App& app, int* exit_code);
void AddDoctor(CLI::App& app, int* exit_code);
void AddExpire(CLI::App& app, int* exit_code);
void AddHistory(CLI::App& app, int* exit_code);
void AddIngest(CLI::App& app, int* exit_code);
void AddInit(CLI::App& app, int* exit_code);
void AddLake(CLI::App& app, int* exit_code);
void AddPublish(CLI::App& app, int* exit_code);
void AddQuery(CLI::App& app, int* exit_code);
void AddRejects(CLI::App& app, int* exit_code);
void AddReady(CLI::App& app, int* exit_code);
void AddRestore(CLI::App& app, int* exit_code);
void AddRollback(CLI::App& app, int* exit_code);
void AddRuns(CLI::App& app, int* exit_code);
void AddSkip(CLI::App& app, int* exit_code);
void AddStatus(CLI::App& app, int* exit_code);

}  // namespace tidegate::cli
