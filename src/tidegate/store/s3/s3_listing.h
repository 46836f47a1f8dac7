// One listing out of many pages, whatever order the server lists in.
#pragma once

#include <atomic>
#include <string>

#include "tidegate/store/object_store.h"
#include "tidegate/store/s3/s3_client.h"

namespace tidegate::store {

/// `head` stands before each key of the store ("" or "some/prefix/"). `trust_order` begins as true and becomes false
/// for good once the server was seen to list out of byte order; then start_after and max_entries are applied here, not
/// there. Cost: one request for each 1,000 keys.
Result<Listing> ListAll(S3Client& client, const std::string& head, const ListRequest& request,
                        std::atomic<bool>& trust_order);

}  // namespace tidegate::store
