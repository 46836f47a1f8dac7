#include "tidegate/query/changed_rows.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "tidegate/query/table_state.h"

namespace tidegate::query {
namespace {

using table::LiveFile;

std::set<std::string> LocationsOf(const std::vector<LiveFile>& files) {
  std::set<std::string> out;
  for (const LiveFile& live : files) out.insert(live.file.location);
  return out;
}

/// Those of `files` that are in `others`, or that are not.
void CopyWhere(const std::vector<LiveFile>& files, const std::set<std::string>& others, bool there,
               std::vector<LiveFile>& out) {
  std::copy_if(files.begin(), files.end(), std::back_inserter(out),
               [&](const LiveFile& live) { return others.contains(live.file.location) == there; });
}

}  // namespace

ChangedFiles CompareFiles(const table::LiveFiles& before, const table::LiveFiles& after) {
  ChangedFiles out;
  const auto data_before = LocationsOf(before.data), data_after = LocationsOf(after.data);
  CopyWhere(after.data, data_before, false, out.came.data);
  out.came.position_deletes = after.position_deletes;
  CopyWhere(before.data, data_after, false, out.went.data);
  CopyWhere(after.data, data_before, true, out.deleted.data);
  CopyWhere(after.position_deletes, LocationsOf(before.position_deletes), false, out.deleted.position_deletes);
  CopyWhere(before.position_deletes, LocationsOf(after.position_deletes), false, out.deleted.position_deletes);
  return out;
}

Result<std::string> ChangedRowsSql(const table::LakeTable& table, int64_t before, int64_t after) {
  TG_ASSIGN_OR_RETURN(TableState state, ReadTableState(table, after));
  TG_ASSIGN_OR_RETURN(const table::LiveFiles files_before, table.ReadLiveFiles(before));
  ChangedFiles changed = CompareFiles(files_before, state.files);
  state.files = std::move(changed.came);
  TG_ASSIGN_OR_RETURN(std::string sql, SelectSql(state));
  state.files = std::move(changed.went);
  TG_ASSIGN_OR_RETURN(const std::string went, SelectSql(state));
  state.files = std::move(changed.deleted);
  TG_ASSIGN_OR_RETURN(const std::string deleted, SelectSql(state, RowsOf::kDeleted));
  return sql + "\nUNION ALL\n" + went + "\nUNION ALL\n" + deleted;
}

}  // namespace tidegate::query
