// tidegate status SRC [LAKE]
#include <algorithm>
#include <cstdio>
#include <optional>

#include "tidegate/app/open_store.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/status/status_report.h"

namespace tidegate::cli {
namespace {

using status::CellState;

struct Options {
  CommonOptions common;
  TableChoice choice;
  std::string bucket, lake;
  size_t deliveries = 12;
};

OrderedJson ToJson(const status::TableStatus& t) {
  OrderedJson waiting = OrderedJson::array();
  for (const auto& w : t.waiting) {
    waiting.push_back(OrderedJson{
        {"delivery", w.delivery.ToString()}, {"state", w.pending ? "pending" : "missing"}, {"reason", w.reason}});
  }
  OrderedJson out{{"table", t.table},
                  {"mode", contract::ModeName(t.mode)},
                  {"mode_from", t.mode_source},
                  {"in_lake", t.in_lake},
                  {"newest_applied", t.newest_applied},
                  {"to_ingest", t.open_folders},
                  {"waiting", std::move(waiting)},
                  {"rows", t.rows},
                  {"bytes", t.bytes},
                  {"data_files", t.data_files},
                  {"delete_files", t.delete_files},
                  {"deleted_rows", t.deleted_rows},
                  {"snapshots", t.snapshots}};
  if (t.delivered_through) out["delivered_through"] = FormatRfc3339(*t.delivered_through);
  if (t.last_commit) out["last_commit"] = FormatRfc3339(*t.last_commit);
  if (!t.error.empty()) out["error"] = t.error;
  return out;
}

OrderedJson ToJson(const status::StatusReport& report) {
  OrderedJson tables = OrderedJson::array();
  for (const auto& table : report.tables) tables.push_back(ToJson(table));
  OrderedJson deliveries = OrderedJson::array();
  for (const auto& row : report.deliveries) {
    OrderedJson cells = OrderedJson::object();
    for (size_t i = 0; i < row.cells.size(); ++i) {
      OrderedJson cell{{"state", status::CellName(row.cells[i].state)}};
      if (!row.cells[i].reason.empty()) cell["reason"] = row.cells[i].reason;
      cells[report.tables[i].table] = std::move(cell);
    }
    deliveries.push_back(OrderedJson{{"delivery", row.delivery.ToString()},
                                     {"manifest", row.has_manifest},
                                     {"complete", row.complete},
                                     {"tables", std::move(cells)}});
  }
  OrderedJson warnings = OrderedJson::array();
  for (const auto& w : report.warnings) {
    warnings.push_back(OrderedJson{{"kind", w.kind}, {"table", w.table}, {"folder", w.folder}, {"message", w.message}});
  }
  return OrderedJson{{"summary", report.summary},
                     {"contract_version", contract::VersionName(report.version)},
                     {"tables", std::move(tables)},
                     {"deliveries", std::move(deliveries)},
                     {"deliveries_in_all", report.deliveries_in_all},
                     {"warnings", std::move(warnings)}};
}

/// Columns padded to their widest cell; numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void Print(size_t left_columns) const {
    std::vector<size_t> width(rows_[0].size(), 0);
    for (const auto& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    }
    for (const auto& row : rows_) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string pad(width[i] - row[i].size(), ' ');
        line += (i > 0 ? "  " : "") + (i < left_columns ? row[i] + pad : pad + row[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      std::printf("%s\n", line.c_str());
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string StateOf(const status::TableStatus& t, bool has_lake) {
  if (!t.error.empty()) return "cannot be read";
  if (!has_lake) return t.waiting.empty() ? "delivered" : "waits";
  if (!t.open_folders.empty()) return HumanCount(int64_t(t.open_folders.size())) + " to ingest";
  if (!t.waiting.empty()) return t.waiting.front().pending ? "pending" : "missing";
  return t.in_lake ? "current" : "no data yet";
}

void PrintTables(const status::StatusReport& report) {
  TextTable table(
      {"table", "mode", "state", "newest applied", "delivered through", "rows", "bytes", "files", "snapshots"});
  for (const auto& t : report.tables) {
    table.Add({t.table, std::string(contract::ModeName(t.mode)), StateOf(t, report.has_lake),
               t.newest_applied.empty() ? "-" : t.newest_applied,
               t.delivered_through ? FormatRfc3339(*t.delivered_through) : "-", HumanCount(t.rows),
               HumanBytes(uint64_t(t.bytes)), HumanCount(t.data_files + t.delete_files), HumanCount(t.snapshots)});
  }
  table.Print(5);
}

char Mark(CellState state) {
  switch (state) {
    case CellState::kNone:
      return ' ';
    case CellState::kSealed:
      return 's';
    case CellState::kApplied:
      return '*';
    case CellState::kOvertaken:
      return '-';
    case CellState::kInProgress:
      return '~';
    case CellState::kMissing:
      return 'M';
    case CellState::kPending:
      return 'P';
  }
  return ' ';
}

void PrintDeliveries(const status::StatusReport& report) {
  if (report.deliveries.empty()) return;
  std::printf(
      "\ndeliveries, newest first (%zu of %zu):  * in the lake  s sealed  - overtaken by a newer copy  ~ in progress  "
      "M missing  P pending\n",
      report.deliveries.size(), report.deliveries_in_all);
  std::vector<std::string> header = {"delivery", "manifest"};
  for (size_t i = 0; i < report.tables.size(); ++i) header.push_back(std::to_string(i + 1));
  TextTable table(header);
  for (const auto& row : report.deliveries) {
    std::vector<std::string> line = {row.delivery.ToString(), !row.has_manifest ? "none"
                                                              : row.complete    ? "complete"
                                                                                : "partial"};
    for (const auto& cell : row.cells) line.emplace_back(1, Mark(cell.state));
    table.Add(std::move(line));
  }
  table.Print(2);
  for (size_t i = 0; i < report.tables.size(); ++i)
    std::printf("%s%zu %s", i > 0 ? "   " : "", i + 1, report.tables[i].table.c_str());
  std::printf("\n");
}

void PrintReasons(const status::StatusReport& report) {
  bool first = true;
  for (const auto& table : report.tables) {
    if (!table.error.empty())
      std::printf("%s%s: %s\n", std::exchange(first, false) ? "\n" : "", table.table.c_str(), table.error.c_str());
    for (const auto& w : table.waiting) {
      std::printf("%s%s: %s in %s%s\n", std::exchange(first, false) ? "\n" : "", w.table.c_str(),
                  w.pending ? "pending" : "missing", w.delivery.ToString().c_str(),
                  w.reason.empty() ? "" : (", reason given: " + Quoted(w.reason)).c_str());
    }
  }
}

int Show(const Options& options) {
  ApplyVerbosity(options.common);
  auto settings = app::LoadSettings(options.common.config);
  if (!settings.ok()) return Fail(settings.status());
  auto bucket = app::OpenStore(options.bucket, app::OpenMode::kMustExist);
  if (!bucket.ok()) return Fail(bucket.status());
  std::unique_ptr<store::ObjectStore> lake;
  if (!options.lake.empty()) {
    auto opened = app::OpenStore(options.lake, app::OpenMode::kMustExist);
    if (!opened.ok()) return Fail(opened.status());
    lake = *std::move(opened);
  }
  const status::StatusOptions ask{settings->catalog, options.choice.tables, options.choice.exclude, options.deliveries};
  auto report = status::BuildStatus(**bucket, lake.get(), ask);
  if (!report.ok()) return Fail(report.status());
  if (options.common.json) {
    PrintJson(ToJson(*report));
    return kDone;
  }
  std::printf("%s\n\n", report->summary.c_str());
  PrintTables(*report);
  PrintDeliveries(*report);
  PrintReasons(*report);
  for (const auto& w : report->warnings) {
    Log(LogLevel::kWarning,
        (w.table.empty() ? "" : w.table + ": ") + (w.folder.empty() ? "" : w.folder + ": ") + w.message);
  }
  return kDone;
}

}  // namespace

void AddStatus(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("status", "Deliveries and tables: what is there, missing, pending; how fresh each table is");
  command->add_option("SRC", options->bucket, "The delivery bucket")->required();
  command->add_option("LAKE", options->lake, "The lake");
  command->add_option("--deliveries", options->deliveries, "How many of the newest deliveries to show (default: 12)")
      ->check(CLI::Range(0, 100000));
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer(
      "Examples:\n  tidegate status ./bucket\n  tidegate status ./bucket ./lake --deliveries 48\n  tidegate status "
      "./bucket ./lake --json");
  OnRun(*command, exit_code, [options] { return Show(*options); });
}

}  // namespace tidegate::cli
