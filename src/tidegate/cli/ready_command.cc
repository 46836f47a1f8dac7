// tidegate ready SRC SCHEMA.TABLE [DATE [HOUR]]: is this folder sealed? (C-16)
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "tidegate/app/open_store.h"
#include "tidegate/app/time_text.h"
#include "tidegate/base/text.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/cli/command.h"

namespace tidegate::cli {
namespace {

using contract::Delivery;
using contract::Version;

struct Options {
  CommonOptions common;
  std::string bucket, table, date, hour, wait;
};

/// The sealed folder that answers the question, if there is one: exactly the asked one, or the newest of those that
/// fit.
std::optional<std::string> FindSealed(const bucket::BucketView& view, const contract::TableName& table,
                                      const Options& options) {
  const auto it = view.tables.find(table);
  if (it == view.tables.end()) return std::nullopt;
  const Version newest = view.has_v2_manifest_key ? Version::kV2 : Version::kV1;
  std::optional<std::pair<Delivery, std::string>> best;
  for (const bucket::FolderMap* folders : {&it->second.full, &it->second.parts}) {
    for (const auto& [delivery, state] : *folders) {
      if (!state.sealed() || delivery.version > newest) continue;
      if (!options.date.empty() && delivery.date != options.date) continue;
      if (!options.hour.empty() && delivery.hour != options.hour) continue;
      if (!best || best->first < delivery) best = {delivery, state.folder.Path()};
    }
  }
  if (!best) return std::nullopt;
  return best->second;
}

Status CheckArguments(const Options& options) {
  if (!options.date.empty() && options.date != contract::kInitial && !IsDate(options.date)) {
    return InvalidArgument("DATE must be YYYY-MM-DD or __initial__, not " + Quoted(options.date));
  }
  if (!options.hour.empty() && !IsHour(options.hour)) {
    return InvalidArgument("HOUR must be two digits, 00 to 23, not " + Quoted(options.hour));
  }
  return {};
}

Result<std::optional<std::string>> Look(store::ObjectStore& bucket, const contract::TableName& table,
                                        const Options& options) {
  // No manifest is needed to know what is sealed: none is read.
  bucket::ScanOptions scan{{table.ToString()}, {}, Delivery{Version::kV2, "9999-12-31", "23"}};
  TG_ASSIGN_OR_RETURN(const bucket::BucketView view, bucket::ScanBucket(bucket, scan));
  return FindSealed(view, table, options);
}

int FailReady(const Status& status) {
  Fail(status);
  return kReadyFailed;
}

int Ready(const Options& options) {
  ApplyVerbosity(options.common);
  const auto wait = app::ParseDuration(options.wait.empty() ? "0s" : options.wait);
  if (!wait.ok()) return FailReady(wait.status().WithContext("--wait"));
  if (const Status bad = CheckArguments(options); !bad.ok()) return FailReady(bad);
  const auto table = contract::ParseTableName(options.table);
  if (!table.ok()) return FailReady(table.status());
  auto bucket = OpenStore(options.common, options.bucket, app::OpenMode::kMustExist);
  if (!bucket.ok()) return FailReady(bucket.status());
  const auto deadline = std::chrono::steady_clock::now() + *wait;
  for (;;) {
    const auto found = Look(**bucket, *table, options);
    if (!found.ok()) return FailReady(found.status());
    if (*found) {
      if (options.common.json)
        PrintJson(OrderedJson{{"ready", true}, {"folder", **found}});
      else
        std::printf("%s\n", (*found)->c_str());
      return 0;
    }
    if (std::chrono::steady_clock::now() >= deadline || StopFlag().cancelled()) break;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  if (options.common.json) PrintJson(OrderedJson{{"ready", false}});
  return 1;
}

}  // namespace

void AddReady(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("ready", "Is this folder sealed? Exits 0 or 1, as a scheduler wants it");
  command->add_option("SRC", options->bucket, "The delivery bucket: a path, s3://bucket/prefix or gs://bucket/prefix")
      ->required();
  command->add_option("TABLE", options->table, "SCHEMA.TABLE")->required();
  command->add_option("DATE", options->date, "YYYY-MM-DD or __initial__ (default: the newest)");
  command->add_option("HOUR", options->hour, "00 to 23, UTC");
  command->add_option("--wait", options->wait, "Look again each second, this long, e.g. 40m")->type_name("DURATION");
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer(
      "Prints the sealed folder and exits 0; prints nothing and exits 1 where there is none; 5 on a failure.\n"
      "Examples:\n"
      "  tidegate ready ./bucket datamart_claudia.claudia_messages 2026-11-03 03\n"
      "  tidegate ready ./bucket shop.orders --wait 40m && run-my-job");
  OnRun(*command, exit_code, [options] { return Ready(*options); });
}

}  // namespace tidegate::cli
