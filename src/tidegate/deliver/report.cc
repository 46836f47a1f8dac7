#include "tidegate/deliver/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::deliver {
namespace {

bool IsWritten(const TableReport& table) { return table.action == Action::kWrite || table.action == Action::kFinish; }

std::string Outcome(const TableReport& table) {
  return IsWritten(table) ? "written" : std::string(ActionName(table.action));
}

OrderedJson ToJson(const TableReport& table) {
  OrderedJson json;
  json["table"] = table.folder.table.ToString();
  json["mode"] = contract::ModeName(table.folder.mode);
  json["folder"] = table.folder.Path();
  json["outcome"] = Outcome(table);
  json["rows"] = table.rows;
  json["files"] = table.files;
  json["bytes"] = table.bytes;
  json["seconds"] = table.seconds;
  if (table.window) {
    json["from"] = table.window->from ? OrderedJson(FormatRfc3339(*table.window->from)) : OrderedJson(nullptr);
    json["through"] = FormatRfc3339(table.window->through);
  }
  if (table.reseed_from) json["reseed_from"] = table.reseed_from->ToString();
  if (table.undated_rows > 0) json["undated_rows"] = table.undated_rows;
  if (!table.reason.empty()) json["reason"] = table.reason;
  if (!table.detail.empty()) json["detail"] = table.detail;
  return json;
}

std::string LineOf(const TableReport& table) {
  std::string line = Outcome(table) + "  " + table.folder.Path();
  if (IsWritten(table)) {
    line += fmt::format("  {} rows, {} files, {}, {:.1f} s", HumanCount(table.rows), table.files,
                        HumanBytes(table.bytes), table.seconds);
  }
  if (table.reseed_from) line += "  reseed from " + table.reseed_from->ToString();
  if (!table.reason.empty()) line += "  " + table.reason;
  if (!table.detail.empty()) line += ": " + table.detail;
  line += "\n";
  if (table.undated_rows > 0) {
    line += fmt::format("  warning: {} rows have no change time and are in no delivery but the first: {}\n",
                        HumanCount(table.undated_rows), table.folder.table.ToString());
  }
  return line;
}

std::string Summary(const DeliveryReport& report) {
  if (report.nothing_to_do) return "delivery " + report.delivery.ToString() + ": nothing to do\n";
  int64_t rows = 0;
  uint64_t bytes = 0;
  size_t written = 0;
  for (const TableReport& table : report.tables) {
    rows += table.rows;
    bytes += table.bytes;
    written += IsWritten(table) ? 1 : 0;
  }
  const auto missing = std::count_if(report.tables.begin(), report.tables.end(),
                                     [](const TableReport& table) { return table.action == Action::kMissing; });
  std::string line = fmt::format("delivery {}: {} tables written, {} rows, {}", report.delivery.ToString(), written,
                                 HumanCount(rows), HumanBytes(bytes));
  if (missing > 0) line += fmt::format("; {} missing", missing);
  return line + "\n";
}

}  // namespace

bool DeliveryReport::failed() const {
  return std::any_of(tables.begin(), tables.end(),
                     [](const TableReport& table) { return table.action == Action::kMissing; });
}

OrderedJson ToJson(const DeliveryReport& report) {
  OrderedJson json;
  json["delivery"] = report.delivery.ToString();
  json["data_as_of"] = FormatRfc3339(report.instant);
  json["failed"] = report.failed();
  json["nothing_to_do"] = report.nothing_to_do;
  json["manifest_written"] = report.manifest_written;
  json["tables"] = OrderedJson::array();
  for (const TableReport& table : report.tables) json["tables"].push_back(ToJson(table));
  json["notes"] = report.notes;
  return json;
}

std::string PrintReport(const DeliveryReport& report) {
  std::string text;
  for (const TableReport& table : report.tables) text += LineOf(table);
  for (const std::string& note : report.notes) text += "warning: " + note + "\n";
  return text + Summary(report);
}

}  // namespace tidegate::deliver
