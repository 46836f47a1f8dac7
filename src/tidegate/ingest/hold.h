// A hold: a table property by which a person tells ingest to leave a table as it is, until it is released.
#pragma once

#include <optional>
#include <string>

#include "tidegate/table/metadata.h"

namespace tidegate::ingest {

inline constexpr const char* kHoldKey = "tidegate.held";

/// The kind of warning that tells of a table on hold.
inline constexpr const char* kOnHold = "on_hold";

/// What the hold says of itself ("2026-11-03T12:00:00Z at v2/2026-11-03/05: wrong prices"); nullopt: not held. It is
/// text of whoever wrote the property: print it Quoted.
inline std::optional<std::string> HoldOf(const table::TableMetadata& metadata) {
  const auto found = metadata.properties.find(kHoldKey);
  return found == metadata.properties.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tidegate::ingest
