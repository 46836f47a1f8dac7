// tidegate status SRC [LAKE]
#include <algorithm>
#include <cstdio>
#include <optional>

#include "tidegate/app/open_store.h"
#include "tidegate/app/request_cost.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/cli/ingest_command.h"
#include "tidegate/status/status_report.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::cli {
namespace {

using cli::ToJson;  // of what waits for cold storage; those below would hide it
using status::CellState;

struct Options {
  CommonOptions common;
  TableChoice choice;
  std::string bucket, lake;
  size_t deliveries = 12;
};

/// Empty: of the table as a whole.
std::string PathOf(const ingest::OpenPoint& point) {
  return point.folder.table.table.empty() ? "" : point.folder.Path();
}

OrderedJson ToJson(const ingest::OpenPoint& point) {
  OrderedJson out{{"folder", PathOf(point)}};
  ingest::AddDetails(point, out);
  return out;
}

OrderedJson ToJson(const std::vector<ingest::OpenPoint>& points) {
  OrderedJson out = OrderedJson::array();
  for (const ingest::OpenPoint& point : points) out.push_back(ToJson(point));
  return out;
}

OrderedJson ToJson(const std::vector<status::ColdAge>& ages) {
  OrderedJson out = OrderedJson::array();
  for (const auto& age : ages) {
    out.push_back(OrderedJson{{"from_days", age.from_days}, {"objects", age.objects}, {"bytes", age.bytes}});
  }
  return out;
}

OrderedJson ToJson(const status::TableStatus& t) {
  OrderedJson waiting = OrderedJson::array();
  for (const auto& w : t.waiting) {
    waiting.push_back(OrderedJson{
        {"delivery", w.delivery.ToString()}, {"state", w.pending ? "pending" : "missing"}, {"reason", w.reason}});
  }
  OrderedJson out{{"table", t.table},
                  {"state", status::HealthName(t.health)},
                  {"mode", contract::ModeName(t.mode)},
                  {"mode_from", t.mode_source},
                  {"in_lake", t.in_lake},
                  {"newest_applied", t.newest_applied},
                  {"to_ingest", t.to_ingest},
                  {"gaps", ToJson(t.gaps)},
                  {"held", ToJson(t.held)},
                  {"cold", ToJson(t.cold)},
                  {"cold_by_age", ToJson(t.cold_by_age)},
                  {"waiting", std::move(waiting)},
                  {"rows", t.rows},
                  {"bytes", t.bytes},
                  {"data_files", t.data_files},
                  {"delete_files", t.delete_files},
                  {"deleted_rows", t.deleted_rows},
                  {"snapshots", t.snapshots}};
  if (t.since) out["since"] = FormatRfc3339(*t.since);
  if (t.cold_since) out["cold_since"] = FormatRfc3339(*t.cold_since);
  if (!t.on_hold.empty()) out["on_hold"] = t.on_hold;
  if (t.delivered_through) out["delivered_through"] = FormatRfc3339(*t.delivered_through);
  if (t.last_commit) out["last_commit"] = FormatRfc3339(*t.last_commit);
  if (!t.error.empty()) out["error"] = t.error;
  return out;
}

OrderedJson ToJson(const status::StatusReport& report, const store::StoreCounters& bucket) {
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
  OrderedJson out{{"summary", report.summary},
                  {"contract_version", contract::VersionName(report.version)},
                  {"tables", std::move(tables)},
                  {"deliveries", std::move(deliveries)},
                  {"deliveries_in_all", report.deliveries_in_all},
                  {"warnings", std::move(warnings)}};
  AddRequests("bucket", bucket, out);
  if (report.next) {
    out["next"] = OrderedJson{{"delivery", report.next->delivery.ToString()},
                              {"due", FormatRfc3339(report.next->due)},
                              {"there_by", FormatRfc3339(report.next->there_by)},
                              {"late", report.next->late}};
  }
  return out;
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
  if (t.health == status::Health::kToIngest) return HumanCount(int64_t(t.to_ingest.size())) + " to ingest";
  if (t.health == status::Health::kCurrent && !has_lake) return "delivered";
  return std::string(status::HealthName(t.health));
}

/// "2026-11-03 05:00", UTC; "-" where it is not known.
std::string Minute(const std::optional<UtcTime>& time) {
  if (!time) return "-";
  const std::string text = FormatRfc3339(*time);
  return text.substr(0, 10) + " " + text.substr(11, 5);
}

void PrintTables(const status::StatusReport& report) {
  std::vector<std::string> header = {"table", "mode", "state", "since (UTC)"};
  if (report.has_lake) {
    for (const char* name : {"newest applied", "delivered through", "rows", "bytes", "files", "snapshots"}) {
      header.emplace_back(name);
    }
  }
  TextTable table(header);
  for (const auto& t : report.tables) {
    std::vector<std::string> row = {t.table, std::string(contract::ModeName(t.mode)), StateOf(t, report.has_lake),
                                    Minute(t.since)};
    if (report.has_lake) {
      for (std::string& cell : std::vector{
               t.newest_applied.empty() ? "-" : t.newest_applied, Minute(t.delivered_through), HumanCount(t.rows),
               HumanBytes(uint64_t(t.bytes)), HumanCount(t.data_files + t.delete_files), HumanCount(t.snapshots)}) {
        row.push_back(std::move(cell));
      }
    }
    table.Add(std::move(row));
  }
  constexpr size_t kTextColumns = 6;
  table.Print(kTextColumns);
}

char Mark(CellState state) {
  switch (state) {
    case CellState::kNone:
      return ' ';
    case CellState::kSealed:
      return 's';
    case CellState::kApplied:
      return '*';
    case CellState::kGap:
      return 'G';
    case CellState::kHeld:
      return 'H';
    case CellState::kCold:
      return 'C';
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
      "\ndeliveries, newest first (%zu of %zu):  * in the lake  s sealed  G gap  H held  C in cold storage  - "
      "overtaken by a newer copy  "
      "~ in progress  M missing  P pending\n",
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

/// What is open of a table, with what to do about it.
std::vector<std::string> ReasonsOf(const status::TableStatus& table) {
  std::vector<std::string> out;
  if (!table.error.empty()) out.push_back(table.error);
  if (!table.on_hold.empty())
    out.push_back("on hold since " + Quoted(table.on_hold) + ", until `tidegate lake release`");
  for (const ingest::OpenPoint& gap : table.gaps) {
    const std::string path = PathOf(gap);
    out.push_back("gap since " + Minute(gap.since) + ": " + (path.empty() ? "" : path + ": ") + gap.reason + ": " +
                  gap.message);
  }
  for (const ingest::OpenPoint& held : table.held) {
    out.push_back("held since " + Minute(held.since) + ": " + PathOf(held) + " has " + HumanCount(held.rows_now) +
                  " rows, the lake " + HumanCount(held.rows_before) +
                  ": `tidegate accept` lets it in, `tidegate skip` leaves it out");
  }
  for (const ingest::Cold& cold : table.cold) {
    out.push_back((table.cold_since ? "since " + Minute(table.cold_since) + ": " : "") + ingest::Describe(cold));
  }
  for (const ingest::Waiting& w : table.waiting) {
    out.push_back((w.pending ? "pending in " : "missing in ") + w.delivery.ToString() +
                  (w.reason.empty() ? "" : ", reason given: " + Quoted(w.reason)));
  }
  return out;
}

void PrintReasons(const status::StatusReport& report) {
  bool first = true;
  for (const auto& table : report.tables) {
    for (const std::string& reason : ReasonsOf(table)) {
      std::printf("%s%s: %s\n", std::exchange(first, false) ? "\n" : "", table.table.c_str(), reason.c_str());
    }
  }
}

/// "12 objects, 3.2 GB (10 from 180 days on, 2 from 365 days on)".
std::string ColdLine(const std::vector<status::ColdAge>& ages) {
  int64_t objects = 0, bytes = 0;
  std::vector<std::string> parts;
  for (const auto& age : ages) {
    objects += age.objects;
    bytes += age.bytes;
    parts.push_back(HumanCount(age.objects) + " from " + std::to_string(age.from_days) + " days on");
  }
  return Plural(objects, "object", "objects") + ", " + HumanBytes(uint64_t(bytes)) + " (by age: " + Join(parts, ", ") +
         ")";
}

/// All that was listed of it, in the lake or not.
void PrintCold(const status::StatusReport& report) {
  bool first = true;
  for (const auto& table : report.tables) {
    if (table.cold_by_age.empty()) continue;
    std::printf("%sin cold storage: %s: %s\n", std::exchange(first, false) ? "\n" : "", table.table.c_str(),
                ColdLine(table.cold_by_age).c_str());
  }
}

int Show(const Options& options) {
  ApplyVerbosity(options.common);
  auto settings = app::LoadSettings(options.common.config);
  if (!settings.ok()) return Fail(settings.status());
  auto clock = MakeClock(options.common);
  if (!clock.ok()) return Fail(clock.status());
  auto bucket = OpenStore(options.common, options.bucket, app::OpenMode::kMustExist);
  if (!bucket.ok()) return Fail(bucket.status());
  std::unique_ptr<store::ObjectStore> lake;
  if (!options.lake.empty()) {
    auto opened = OpenLake(options.common, options.lake, app::OpenMode::kMustExist);
    if (!opened.ok()) return Fail(opened.status());
    lake = *std::move(opened);
  }
  status::StatusOptions ask;
  ask.catalog = settings->catalog;
  ask.table_globs = options.choice.tables;
  ask.exclude_globs = options.choice.exclude;
  ask.max_deliveries = options.deliveries;
  ask.now = (*clock)->Now();
  ask.expect_within = settings->watch.expect_within;
  ask.daily_at = settings->watch.daily_at;
  const auto usual = app::IsS3Url(options.bucket) ? app::kFreezesAfter : std::chrono::milliseconds(0);
  ask.freezes_after = settings->freezes_after.value_or(usual);
  store::MeteredObjectStore metered(*std::move(bucket));
  auto report = status::BuildStatus(metered, lake.get(), ask);
  if (!report.ok()) return Fail(report.status());
  LogRequests("bucket", app::RequestsOf(metered));
  if (options.common.json) {
    PrintJson(ToJson(*report, app::RequestsOf(metered)));
    return kDone;
  }
  std::printf("%s\n\n", report->summary.c_str());
  PrintTables(*report);
  PrintDeliveries(*report);
  PrintReasons(*report);
  PrintCold(*report);
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
  command->add_option("SRC", options->bucket, "The delivery bucket: a path, s3://bucket/prefix or gs://bucket/prefix")
      ->required();
  command->add_option("LAKE", options->lake, "The lake: a path or s3://bucket/prefix");
  command->add_option("--deliveries", options->deliveries, "How many of the newest deliveries to show (default: 12)")
      ->check(CLI::Range(0, 100000));
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/true);
  command->footer(
      "Examples:\n  tidegate status ./bucket\n  tidegate status ./bucket ./lake --deliveries 48\n  tidegate status "
      "./bucket ./lake --json");
  OnRun(*command, exit_code, [options] { return Show(*options); });
}

}  // namespace tidegate::cli
