// The lake's run log: every commit of every table, as it stands in the snapshots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/store/object_store.h"

namespace tidegate::status {

struct CommittedFile {
  std::string key;  // in the bucket
  std::string etag;
  int64_t rows = 0;
  int64_t bytes = 0;
};

/// What a person decided about a folder, as the commit that follows it tells.
struct SettledFolder {
  std::string folder, verdict, reason;
};

struct HistoryEntry {
  std::string table;
  UtcTime committed_at;
  int64_t snapshot_id = 0;
  std::string action;    // append, replace, rebuild, reseed, settle; of a foreign commit Iceberg's operation
  bool foreign = false;  // not written by tidegate
  std::vector<std::string> folders;
  std::vector<CommittedFile> files;
  std::vector<SettledFolder> settled;
  int64_t rows_in = 0, rows_superseded = 0, rows_rejected = 0, bytes_in = 0;
  std::string tool_version;
};

/// All commits that snapshots still tell of, oldest first; of one table ("shop.orders"), or of all.
/// Errors: NotFound where the named table is not in the lake.
Result<std::vector<HistoryEntry>> ReadHistory(store::ObjectStore& lake, const std::optional<std::string>& table);

}  // namespace tidegate::status
