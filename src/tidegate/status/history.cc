#include "tidegate/status/history.h"

#include <algorithm>

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::status {
namespace {

std::string Field(const table::Summary& summary, const char* key) {
  const auto it = summary.find(key);
  return it == summary.end() ? "" : it->second;
}

/// The objects of a JSON array in the summary; none where it cannot be read.
std::vector<Json> Objects(const table::Summary& summary, const char* key) {
  std::vector<Json> out;
  auto json = ParseJson(Field(summary, key));
  if (!json.ok() || !json->is_array()) return out;
  for (Json& entry : *json) {
    if (entry.is_object()) out.push_back(std::move(entry));
  }
  return out;
}

std::vector<CommittedFile> Files(const table::Summary& summary) {
  std::vector<CommittedFile> out;
  const auto number = [](const Json& file, const char* key) {
    return file.contains(key) && file[key].is_number_integer() ? file[key].get<int64_t>() : int64_t{0};
  };
  for (const Json& file : Objects(summary, "tidegate.files")) {
    out.push_back({TextOr(file, "key"), TextOr(file, "etag"), number(file, "rows"), number(file, "bytes")});
  }
  return out;
}

std::vector<SettledFolder> Settled(const table::Summary& summary) {
  std::vector<SettledFolder> out;
  for (const Json& word : Objects(summary, "tidegate.settled")) {
    out.push_back({TextOr(word, "folder"), TextOr(word, "verdict"), TextOr(word, "reason")});
  }
  return out;
}

HistoryEntry ToEntry(const std::string& name, const table::Snapshot& snapshot) {
  HistoryEntry out;
  out.table = name;
  out.committed_at = UtcTime(std::chrono::milliseconds(snapshot.timestamp_ms));
  out.snapshot_id = snapshot.snapshot_id;
  const std::string action = Field(snapshot.summary, "tidegate.action");
  out.foreign = action.empty();
  out.action = out.foreign ? Field(snapshot.summary, "operation") : action;
  const std::string folders = Field(snapshot.summary, "tidegate.folders");
  if (!folders.empty()) {
    for (const std::string_view folder : Split(folders, ' ')) out.folders.emplace_back(folder);
  }
  out.files = Files(snapshot.summary);
  out.settled = Settled(snapshot.summary);
  const auto count = [&](const char* key) { return table::CountIn(snapshot.summary, key).value_or(0); };
  out.rows_in = count("tidegate.rows-in");
  out.rows_superseded = count("tidegate.rows-superseded");
  out.rows_rejected = count("tidegate.rows-rejected");
  out.bytes_in = count("tidegate.bytes-in");
  out.tool_version = Field(snapshot.summary, "tidegate.tool-version");
  return out;
}

}  // namespace

Result<std::vector<HistoryEntry>> ReadHistory(store::ObjectStore& lake, const std::optional<std::string>& only) {
  TG_ASSIGN_OR_RETURN(const auto tables, table::ListTables(lake));
  std::vector<HistoryEntry> out;
  bool found = false;
  for (const contract::TableName& table_name : tables) {
    const std::string name = table_name.ToString();
    if (only && *only != name) continue;
    found = true;
    TG_ASSIGN_OR_RETURN(const auto table, table::LakeTable::Load(lake, table::FolderOf(table_name)));
    for (const table::Snapshot& snapshot : table.metadata().snapshots) out.push_back(ToEntry(name, snapshot));
  }
  if (only && !found) return NotFound("the lake " + lake.url() + " has no table " + Quoted(*only));
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.committed_at < b.committed_at; });
  return out;
}

}  // namespace tidegate::status
