// For property tests: random histories of a bucket, each from a seed, the same on every machine.
#pragma once

#include <cstdint>

#include "tidegate/ingest/test_history.h"

namespace tidegate::ingest {

/// A history whose end is the same in any order (EndsTheSameInAnyOrder). Has in it, each with some chance: full tables,
/// keyed parts, append-only parts, tables that no catalog knows; inserts, updates, keys that come twice in a folder,
/// late and empty folders, folders that are never sealed, folders that are broken at first; added columns, widened
/// types, times of any unit, columns named as one of ours; keys of any type, composite and null; v1 days that are
/// written anew; the switch to v2; reseeds; manifests that are written again; faults, crashes and power losses.
BucketHistory RandomHistory(uint64_t seed);

}  // namespace tidegate::ingest
