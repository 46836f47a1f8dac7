// Ids of runs: "20261102T140501Z-1a2b3c" (C-50; docs/formats/partition-runs.md). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidegate/base/time.h"

namespace tidegate::publish {

/// Ids sort by time as texts.
using RunId = std::string;

bool IsRunId(std::string_view text);

/// The moment that the id names. Requires: IsRunId.
UtcTime TimeOfRun(const RunId& id);

/// A new id for `now`, or for the second after `newest` where it would not sort after that one. `random` gives the six
/// digits.
RunId NewRunId(UtcTime now, uint64_t random, const std::optional<RunId>& newest);

}  // namespace tidegate::publish
