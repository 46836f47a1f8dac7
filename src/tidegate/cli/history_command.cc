// tidegate history LAKE [TABLE]
#include <cstdio>
#include <optional>

#include "tidegate/app/open_store.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/status/history.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  std::string lake, table;
};

OrderedJson ToJson(const status::HistoryEntry& entry) {
  OrderedJson files = OrderedJson::array();
  for (const auto& file : entry.files) {
    files.push_back(OrderedJson{{"key", file.key}, {"etag", file.etag}, {"rows", file.rows}, {"bytes", file.bytes}});
  }
  OrderedJson settled = OrderedJson::array();
  for (const auto& word : entry.settled) {
    settled.push_back(OrderedJson{{"folder", word.folder}, {"verdict", word.verdict}, {"reason", word.reason}});
  }
  return OrderedJson{{"table", entry.table},
                     {"committed_at", FormatRfc3339(entry.committed_at)},
                     {"snapshot_id", entry.snapshot_id},
                     {"action", entry.action},
                     {"foreign", entry.foreign},
                     {"folders", entry.folders},
                     {"files", std::move(files)},
                     {"settled", std::move(settled)},
                     {"rows_in", entry.rows_in},
                     {"rows_superseded", entry.rows_superseded},
                     {"rows_rejected", entry.rows_rejected},
                     {"bytes_in", entry.bytes_in},
                     {"tool_version", entry.tool_version}};
}

void Print(const status::HistoryEntry& entry, bool with_files) {
  std::printf("%s  %s  %s", FormatRfc3339(entry.committed_at).c_str(), entry.table.c_str(),
              Quoted(entry.action).c_str());
  if (entry.foreign) {
    std::printf("  by another tool\n");
    return;
  }
  std::printf("  %zu %s, %zu %s, %s rows in, %s superseded, %s rejected, %s, tidegate %s\n", entry.folders.size(),
              entry.folders.size() == 1 ? "folder" : "folders", entry.files.size(),
              entry.files.size() == 1 ? "file" : "files", HumanCount(entry.rows_in).c_str(),
              HumanCount(entry.rows_superseded).c_str(), HumanCount(entry.rows_rejected).c_str(),
              HumanBytes(uint64_t(entry.bytes_in)).c_str(), Quoted(entry.tool_version).c_str());
  for (const auto& word : entry.settled) {
    std::printf("    %s: %s: %s\n", Quoted(word.folder).c_str(), Quoted(word.verdict).c_str(),
                Quoted(word.reason).c_str());
  }
  if (!with_files) return;
  for (const auto& file : entry.files) {
    std::printf("    %s  etag %s  %s rows  %s\n", Quoted(file.key).c_str(), file.etag.c_str(),
                HumanCount(file.rows).c_str(), HumanBytes(uint64_t(file.bytes)).c_str());
  }
}

int Show(const Options& options) {
  ApplyVerbosity(options.common);
  auto lake = OpenLake(options.common, options.lake, app::OpenMode::kMustExist);
  if (!lake.ok()) return Fail(lake.status());
  const std::optional<std::string> only = options.table.empty() ? std::nullopt : std::optional(options.table);
  auto entries = status::ReadHistory(**lake, only);
  if (!entries.ok()) return Fail(entries.status());
  if (options.common.json) {
    OrderedJson out = OrderedJson::array();
    for (const auto& entry : *entries) out.push_back(ToJson(entry));
    PrintJson(out);
    return kDone;
  }
  for (const auto& entry : *entries) Print(entry, only.has_value() || options.common.verbose);
  return kDone;
}

}  // namespace

void AddHistory(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("history", "Each commit of a lake: when, folders, files, rows, bytes, tool version");
  command->add_option("LAKE", options->lake, "The lake: a path or s3://bucket/prefix")->required();
  command->add_option("TABLE", options->table, "SCHEMA.TABLE: of one table, with its files");
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer(
      "Examples:\n  tidegate history ./lake\n  tidegate history ./lake shop.orders\n"
      "  tidegate query ./lake \"SELECT * FROM tidegate_history\"");
  OnRun(*command, exit_code, [options] { return Show(*options); });
}

}  // namespace tidegate::cli
