// CopyObject: bring an object from one store into another by reading and writing its bytes; the way of Adopt that
// works between any two stores.
#pragma once

#include <string_view>

#include "tidegate/store/object_store.h"

namespace tidegate::store {

/// Copy `source` of `from` to `key` of `to`, overwriting. The copy appears whole or not at all.
/// Errors: NotFound, PreconditionFailed where the source is not the one that was seen; Corruption where it ends early.
/// Memory: what ReadAll of the reader and the writer take.
Result<ObjectInfo> CopyObject(ObjectStore& from, const ObjectInfo& source, ObjectStore& to, std::string_view key);

}  // namespace tidegate::store
