// Reads one object of Google Cloud Storage as it was when opened.
#pragma once

#include <memory>
#include <string>

#include "tidegate/store/gcs/gcs_client.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

/// What follows the last read comes from a stream that is open; other small reads go through a window that grows while
/// they follow each other. Memory: at most 8 MiB. `shown_key` is that of info(). Requires: the client outlives it.
std::unique_ptr<RandomReader> NewGcsReader(GcsClient& client, GcsFile file, std::string shown_key);

}  // namespace tidegate::store
