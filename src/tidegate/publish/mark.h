// Marks: JSON objects of a few bytes that lie in the folder of a run.
#pragma once

#include <string>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

/// Errors: NotFound; Corruption; those of the store.
Result<Json> ReadMark(store::ObjectStore& store, const std::string& key);

}  // namespace tidegate::publish
