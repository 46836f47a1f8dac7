// tidegate accept|skip SRC LAKE FOLDER… --reason TEXT: a person's word on folders that cannot be applied as they are.
#include <cstdio>

#include "tidegate/app/open_store.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/ingest/settlement.h"

namespace tidegate::cli {
namespace {

using ingest::Verdict;

struct Options {
  CommonOptions common;
  std::string bucket, lake, reason;
  std::vector<std::string> folders;
};

Result<std::vector<ingest::Settlement>> DecideAll(const Options& options, Verdict verdict, store::ObjectStore& bucket,
                                                  store::ObjectStore& lake) {
  TG_ASSIGN_OR_RETURN(const auto clock, MakeClock(options.common));
  std::vector<ingest::Settlement> out;
  for (const std::string& path : options.folders) {
    TG_ASSIGN_OR_RETURN(const contract::Folder folder, contract::ParseFolder(path));
    TG_ASSIGN_OR_RETURN(auto word, ingest::Decide(bucket, lake, folder, verdict, options.reason, clock->Now()));
    out.push_back(std::move(word));
  }
  return out;
}

/// All are looked at before any is written down.
Status SettleAll(const Options& options, Verdict verdict) {
  TG_ASSIGN_OR_RETURN(const auto bucket, OpenStore(options.common, options.bucket, app::OpenMode::kMustExist));
  TG_ASSIGN_OR_RETURN(const auto lake, OpenLake(options.common, options.lake, app::OpenMode::kMustExist));
  TG_ASSIGN_OR_RETURN(const auto words, DecideAll(options, verdict, *bucket, *lake));
  OrderedJson json = OrderedJson::array();
  for (const ingest::Settlement& word : words) {
    TG_RETURN_IF_ERROR(ingest::Settle(*lake, word));
    json.push_back(ingest::ToJson(word));
    if (options.common.json) continue;
    std::printf("%s: %s; the next ingest follows it\n", word.folder.Path().c_str(),
                verdict == Verdict::kAccept ? "accepted" : "skipped");
  }
  if (options.common.json) PrintJson(json);
  return {};
}

void AddCommand(CLI::App& app, int* exit_code, Verdict verdict, const char* what, const char* footer) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(std::string(ingest::VerdictName(verdict)), what);
  command->add_option("SRC", options->bucket, "The delivery bucket: a path, s3://bucket/prefix or gs://bucket/prefix")
      ->required();
  command->add_option("LAKE", options->lake, "The lake: a path or s3://bucket/prefix")->required();
  command->add_option("FOLDER", options->folders, "Folders of the bucket, as ingest names them")->required();
  command->add_option("--reason", options->reason, "Why; kept in the lake's history")->required();
  AddCommon(*command, options->common, /*with_now=*/true);
  command->footer(footer);
  OnRun(*command, exit_code, [options, verdict] {
    ApplyVerbosity(options->common);
    const Status done = SettleAll(*options, verdict);
    return done.ok() ? kDone : Fail(done);
  });
}

}  // namespace

void AddAccept(CLI::App& app, int* exit_code) {
  AddCommand(
      app, exit_code, Verdict::kAccept, "Let a folder in that ingest holds back: changed, of other types, shrunk",
      "A folder of other types is cast to the table's, where no value changes. A folder that changed after it was\n"
      "applied is taken as it stands there now. A copy that shrank is let in.\n"
      "Example:\n"
      "  tidegate accept ./bucket ./lake v2/shop/orders/etl_date=2026-11-03/etl_hour=04 \\\n"
      "    --reason 'the vendor sent numbers as text'");
}

void AddSkip(CLI::App& app, int* exit_code) {
  AddCommand(
      app, exit_code, Verdict::kSkip, "Leave a folder out for good, so that ingest no longer fails for it",
      "Of a folder that changed after it was applied, the applied version stays. `tidegate accept` takes a skip back.\n"
      "Example:\n"
      "  tidegate skip ./bucket ./lake v2/shop/orders/etl_date=2026-11-03/etl_hour=06 \\\n"
      "    --reason 'a broken export; the rows come again in hour 07'");
}

}  // namespace tidegate::cli
