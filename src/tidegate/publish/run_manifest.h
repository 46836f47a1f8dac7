// `_tidegate_run.json` and `_tidegate_failed.json`: what a run holds (docs/formats/partition-runs.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/publish/run_id.h"

namespace tidegate::publish {

inline constexpr uint64_t kMaxManifestBytes = 64 << 20;

struct RunFile {
  std::string name;  // in the folder of the run
  uint64_t bytes = 0;
  int64_t rows = 0;
  friend bool operator==(const RunFile&, const RunFile&) = default;
};

struct AuditResult {
  std::string audit;   // "min_rows 1"
  std::string result;  // "120 rows"
  bool passed = true;
  friend bool operator==(const AuditResult&, const AuditResult&) = default;
};

struct RunManifest {
  catalog::HiveName table;
  catalog::PartitionValues partition;
  RunId run;
  UtcTime created{};
  std::vector<RunFile> files;  // in order of names
  std::vector<catalog::HiveColumn> columns;
  std::string signature;
  std::string previous;  // the location when the run was planned
  int64_t lease = 0;
  std::vector<AuditResult> audits;
  std::string tool;
  std::string why;  // only of a failed one

  int64_t rows() const;
  uint64_t bytes() const;
};

/// A list of texts and nulls. Errors: Corruption.
OrderedJson JsonOfPartitionValues(const catalog::PartitionValues& values);
Result<catalog::PartitionValues> PartitionValuesOfJson(const Json& json);

std::string WriteRunManifest(const RunManifest& manifest);

/// Errors: Corruption (what is wrong with it); Unsupported (a newer format).
Result<RunManifest> ReadRunManifest(std::string_view text);

}  // namespace tidegate::publish
