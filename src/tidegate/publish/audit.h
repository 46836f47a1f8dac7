// Audits: what must be true of a build before readers see it. Pure: an audit is a query that counts what breaks it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/run_manifest.h"

namespace tidegate::publish {

/// The name under which queries see the build.
inline constexpr const char* kBuildRelation = "build";

struct Audits {
  std::optional<int64_t> min_rows{}, max_rows{};
  std::optional<double> max_shrink{}, max_growth{};  // against the current run: 0.5 is half of its rows
  std::vector<std::string> not_null{};
  std::vector<std::vector<std::string>> unique{};              // each a key of one or more columns
  std::map<std::string, std::vector<std::string>> accepted{};  // by column: the values, as text; null is accepted
  std::vector<std::string> no_rows{};                          // queries that must return nothing
};

/// Counts the rows of a query.
using CountRows = std::function<Result<int64_t>(const std::string& query)>;

/// Runs all of them, also after one that failed. `current_rows` are those of the run that readers see now, where it is
/// known. Errors: those of `count`, naming the audit.
Result<std::vector<AuditResult>> RunAudits(const Audits& audits, int64_t rows, std::optional<int64_t> current_rows,
                                           const CountRows& count);

/// "" where all passed; else the first that did not, and how many more.
std::string WhyFailed(const std::vector<AuditResult>& results);

}  // namespace tidegate::publish
