#include "tidegate/cli/command.h"

#include <unistd.h>

#include <cstdio>

#include "tidegate/app/request_cost.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"

namespace tidegate::cli {

namespace {

/// Named as the AWS command line names them.
void AddStoreOptions(CLI::App& app, app::StoreSettings& store) {
  const auto add = [&](const char* name, std::string& to, const char* what, const char* type) {
    app.add_option(name, to, what)->type_name(type)->group("Buckets");
  };
  add("--profile", store.s3.profile, "Profile of AWS's config and credentials files", "NAME");
  add("--region", store.s3.region, "Region of the bucket", "NAME");
  add("--endpoint-url", store.s3.endpoint_url, "Server of the bucket, where it is not Amazon's or Google's", "URL");
  add("--ca-bundle", store.s3.ca_bundle, "Certificates of a private CA, in PEM", "FILE");
  app.add_flag("--no-sign-request", store.anonymous, "Ask without an identity: public buckets")->group("Buckets");
  app.add_flag("--request-payer", store.requester_pays, "Pay for the requests: buckets whose owner wants that")
      ->group("Buckets");
}

}  // namespace

CancelFlag& StopFlag() {
  static CancelFlag flag;
  return flag;
}

void AddCommon(CLI::App& app, CommonOptions& options, bool with_now) {
  app.add_option("--config", options.config, "Settings and table catalog (default: tidegate.toml here, else built-in)")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "Print the result as JSON");
  app.add_flag("-v,--verbose", options.verbose, "Say more on stderr");
  AddStoreOptions(app, options.store);
  if (with_now)
    app.add_option("--now", options.now, "Take this as the time, for replays and tests")->type_name("RFC3339");
}

Result<app::StoreAccess> AccessOf(const CommonOptions& options, const std::string& url) {
  app::StoreAccess access{.flags = options.store, .sections = {}, .cancel = &StopFlag()};
  if (app::IsS3Url(url) || app::IsGsUrl(url)) {
    TG_ASSIGN_OR_RETURN(app::Settings settings, app::LoadSettings(options.config));
    access.sections = std::move(settings.stores);
  }
  return access;
}

Result<std::unique_ptr<store::ObjectStore>> OpenStore(const CommonOptions& options, const std::string& url,
                                                      app::OpenMode mode) {
  TG_ASSIGN_OR_RETURN(const app::StoreAccess access, AccessOf(options, url));
  return app::OpenStore(url, mode, access);
}

Result<std::unique_ptr<store::ObjectStore>> OpenLake(const CommonOptions& options, const std::string& url,
                                                     app::OpenMode mode) {
  TG_RETURN_IF_ERROR(app::CheckMayHoldLake(url));
  return OpenStore(options, url, mode);
}

Status NoDeliveredTables(const store::ObjectStore& bucket) {
  return NotFound("no delivered tables in " + bucket.url() +
                  ": the bucket should hold keys such as v1/<schema>/<table>/snapshot_date=…/0000_part_00.parquet");
}

void AddTableChoice(CLI::App& app, TableChoice& choice) {
  app.add_option("--table", choice.tables, "Only tables that match, e.g. 'shop.*' (may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--exclude", choice.exclude, "Leave out tables that match (may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

void LogRequests(const std::string& of, const store::StoreCounters& counters) {
  Log(LogLevel::kDebug,
      of + ": " + app::DescribeRequests(counters) + ", " + HumanBytes(counters.data.bytes_read) + " of data read");
}

void AddRequests(const std::string& of, const store::StoreCounters& counters, OrderedJson& out) {
  out[of + "_data_bytes_read"] = counters.data.bytes_read;
  out[of + "_requests"] = counters.requests();
  out[of + "_requests_by_kind"] = app::RequestsByKind(counters);
  out[of + "_requests_cost_usd"] = app::RequestCostUsd(counters);
}

Result<std::unique_ptr<Clock>> MakeClock(const CommonOptions& options) {
  if (options.now.empty()) return std::unique_ptr<Clock>(std::make_unique<SystemClock>());
  auto now = ParseRfc3339(options.now);
  if (!now.ok()) return now.status().WithContext("--now");
  return std::unique_ptr<Clock>(std::make_unique<FixedClock>(*now));
}

void ApplyVerbosity(const CommonOptions& options) {
  if (options.verbose) SetLogLevel(LogLevel::kDebug);
}

int Fail(const Status& status) {
  std::fprintf(stderr, "tidegate: %s\n", status.message().c_str());
  return status.code() == Code::kInvalidArgument ? kUsage : kFailed;
}

void OnRun(CLI::App& app, int* exit_code, Body body) {
  app.callback([exit_code, body = std::move(body)] { *exit_code = body(); });
}

void PrintJson(const OrderedJson& value) {
  const std::string text = value.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Step(const std::string& name, size_t done, size_t total) {
  constexpr size_t kWidth = 24;
  if (!terminal_) {
    Log(LogLevel::kDebug, what_ + " " + std::to_string(done) + "/" + std::to_string(total) + " " + name);
    return;
  }
  const size_t full = total == 0 ? kWidth : done * kWidth / total;
  const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
  std::fprintf(stderr, "\r\x1b[K%s [%s] %zu/%zu %s", what_.c_str(), bar.c_str(), done, total, name.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace tidegate::cli
