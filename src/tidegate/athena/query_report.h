// What Athena says of a query, and what that asks of whoever sent it. Pure.
//
// Source: Athena's API reference (QueryExecution, AthenaError); messages of its engine begin with the name of an error
// of Trino, as "TABLE_NOT_FOUND: …".
#pragma once

#include <cstdint>
#include <string>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"

namespace tidegate::athena {

enum class QueryState { kWaiting, kSucceeded, kFailed, kCancelled };

struct QueryReport {
  std::string id{};
  QueryState state = QueryState::kWaiting;
  std::string reason{};    // of a failure, in Athena's words
  int64_t category = 0;    // of a failure: 1 system, 2 user, 3 other; 0 is not said
  int64_t error_type = 0;  // Athena's error catalog has the meaning
  bool retryable = false;
  std::string output{};    // where the result lies: "s3://bucket/results/<id>"
  std::string manifest{};  // where the list of written files lies; "" where Athena does not say
  int64_t scanned_bytes = 0;
};

/// The answer of GetQueryExecution. Errors: Corruption (no state, or one that is not known).
Result<QueryReport> ReadQueryReport(const Json& answer);

/// Why a query that failed or was cancelled gave nothing, and what to do. Codes: InvalidArgument (the statement),
/// PermissionDenied, PreconditionFailed (UNLOAD's target is not empty), Corruption (a file that it reads is broken),
/// Cancelled (somebody stopped it), Unavailable (may succeed if run again).
/// Requires: it did not succeed.
Status WhyFailed(const QueryReport& report);

/// Where the list of the files lies that a query wrote: as Athena says, else beside its result.
std::string ManifestLocation(const QueryReport& report);

}  // namespace tidegate::athena
