// For property tests: what a table of a lake must hold, worked out from the rules of the delivery contract alone and
// from everything that is visible, as if it had become visible at once. Plain and slow; no code of ingest is called.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/time.h"
#include "tidegate/ingest/test_history.h"

namespace tidegate::ingest {

struct ExpectedTable {
  /// Name → type, without the columns that tell the delivery. Absent: no file says; the table need not exist, and one
  /// that does keeps its columns.
  std::optional<std::map<std::string, std::string>> columns;
  /// "v2/2026-11-03/03|1|a": the delivery, then the columns by name. Sorted.
  std::vector<std::string> rows;
  /// Rows with a null key, by delivery: "<file>|<row>" (C-23). Deliveries without any are left out.
  std::map<std::string, std::vector<std::string>> rejects;
  std::optional<UtcTime> delivered_through;
  /// A sealed folder that should be in the table cannot be read (C-15): runs end as failed.
  bool gap = false;
  // Where one of these is true, what the lake holds now may depend on the order of arrival.
  bool waits = false;  // a reseed is announced and not sealed, or broken
  bool open = false;   // two folders disagree on a type (C-25), or the first copy in v2 is broken (C-13)
};

ExpectedTable ExpectTable(const BucketHistory& history, const HistoryTable& table, const VisibleBucket& visible);

/// Is the end of a history the same for every order of arrival? A reseed that never gets its seal holds up only what
/// comes after its announcement, so there the announcement must come first.
bool EndsTheSameInAnyOrder(const BucketHistory& history);

}  // namespace tidegate::ingest
