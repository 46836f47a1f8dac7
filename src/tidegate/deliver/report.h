// What one delivery did, for people and for JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/deliver/plan.h"

namespace tidegate::deliver {

struct TableReport {
  contract::Folder folder;
  Action action = Action::kMissing;  // what became of it: kWrite and kFinish are written and sealed
  int64_t rows = 0;
  int64_t files = 0;
  uint64_t bytes = 0;
  double seconds = 0;
  std::optional<Window> window;  // parts tables that were written
  std::optional<contract::Delivery> reseed_from;
  int64_t undated_rows = 0;  // in the source, with no usable change time: no window takes them
  std::string reason;        // why it is missing, as in the manifest
  std::string detail;        // the same for the vendor, with the source's own message
};

struct DeliveryReport {
  contract::Delivery delivery;
  UtcTime instant;
  std::vector<TableReport> tables;  // sorted by name
  bool nothing_to_do = false;       // no byte was changed
  bool manifest_written = false;
  std::vector<std::string> notes;

  /// Is a table missing that should have been delivered? Ends as exit 1.
  bool failed() const;
};

/// Documented in docs/deliver.md; stable.
OrderedJson ToJson(const DeliveryReport& report);

/// One line a table and a last line that sums up.
std::string PrintReport(const DeliveryReport& report);

}  // namespace tidegate::deliver
