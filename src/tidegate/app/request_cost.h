// What requests to a bucket cost, as an estimate.
#pragma once

#include <string>

#include "tidegate/base/json.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::app {

/// What was asked of a store: as it was sent, where it is a bucket of S3, retries and parts of big files among it;
/// where it is one of Google, the same but for the retries; else as the port was called.
store::StoreCounters RequestsOf(const store::MeteredObjectStore& metered);

/// In US dollars, by the list prices of S3 Standard in us-east-1: what the same requests would cost there, also where
/// the bucket is a folder. Bytes and storage are not in it.
double RequestCostUsd(const store::StoreCounters& counters);

/// {"list": 21, "read": 1}: the kinds that were made. They add up to counters.requests().
OrderedJson RequestsByKind(const store::StoreCounters& counters);

/// "22 requests (21 list, 1 read), about $0.000105".
std::string DescribeRequests(const store::StoreCounters& counters);

}  // namespace tidegate::app
