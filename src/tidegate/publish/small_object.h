// The small objects that lie beside runs: leases, marks, states.
#pragma once

#include <cstdint>
#include <string>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

/// Bytes and ETag of one and the same object.
struct SeenObject {
  std::string text;
  std::string etag;
};

/// Where the object is written anew meanwhile, it is looked at again. Errors: NotFound; Corruption with the message
/// `too_large`; PreconditionFailed (it is written without rest); those of the store.
Result<SeenObject> ReadSeen(store::ObjectStore& store, const std::string& key, uint64_t max_bytes,
                            const std::string& too_large);

/// A mark in the folder of a run: a JSON object of a few bytes. Errors: NotFound; Corruption; those of the store.
Result<Json> ReadMark(store::ObjectStore& store, const std::string& key);

}  // namespace tidegate::publish
