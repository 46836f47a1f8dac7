// Which version of the contract a run reads (C-12, C-13): found in the bucket on every run, never by clock.
#pragma once

#include <optional>

#include "tidegate/contract/folder.h"

namespace tidegate::contract {

/// Choose the version in use: v2 once any key lies under v2/_manifests/, or once the lake has seen v2; else v1.
/// Requires: `any_v2_manifest` comes from a listing that succeeded (one that failed is an error, never "v1").
inline Version VersionInUse(bool any_v2_manifest, std::optional<Version> lake_has_seen) {
  return any_v2_manifest || lake_has_seen == Version::kV2 ? Version::kV2 : Version::kV1;
}

}  // namespace tidegate::contract
