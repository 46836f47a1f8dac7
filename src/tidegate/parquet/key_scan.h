// Read only the key columns of a Parquet file, as canonical hashes.
//
// The canonical form of a key makes equal keys equal whatever the file: integers of any width are one domain, decimals
// of one scale are one domain, float is double, -0.0 is 0.0, every NaN is one, timestamps of any unit are microseconds.
// Each part is prefixed by its length, so composite keys never collide by concatenation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidegate/base/hash.h"
#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

struct KeyScanRequest {
  std::vector<std::string> key_columns;  // at least one
  std::vector<std::string>
      order_columns;  // columns whose values order repeats in a folder (C-22), most important first
  uint64_t seed = 0;  // of the hash
};

struct KeyRow {
  Hash128 key;
  int64_t position = 0;   // row in the file, from 0
  bool null_key = false;  // some part of the key is null (C-23)
  std::string order;  // memcmp-ordered form of the order columns, nulls and absent columns lowest; empty if none asked
};

/// Call `sink` with batches of rows, in file order. Bounded memory: a batch at a time.
/// Errors: Corruption (broken file), NotFound (a key column is not in the file, naming it), Unsupported (a key of a
/// nested type), and whatever `sink` returns.
Status ScanKeys(store::RandomReader& reader, const KeyScanRequest& request,
                const std::function<Status(std::span<const KeyRow>)>& sink);

}  // namespace tidegate::parquet
