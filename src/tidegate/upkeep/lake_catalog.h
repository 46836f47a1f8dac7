// catalog.db after an upkeep of the tables: brought up to date, and what gave way in it is said.
#pragma once

#include "tidegate/store/object_store.h"

namespace tidegate::upkeep {

/// A failure is a warning: the catalog is derived, and the next run mends it. So is a commit of another program that
/// stood in the catalog alone.
void RefreshCatalog(store::ObjectStore& lake);

}  // namespace tidegate::upkeep
