// What lies below _tidegate/ of a lake, by one listing: a run need not ask for objects that are not there.
#pragma once

#include <set>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

struct LakeMarks {
  std::set<contract::TableName> settled;           // a person settled folders of them (settlement.h)
  std::set<contract::TableName> with_open_points;  // see open_points.h
  bool listing_note = false;                       // see listing_note.h
};

/// Errors: of the store.
Result<LakeMarks> ListMarks(store::ObjectStore& lake);

}  // namespace tidegate::ingest
