// Rewrite a delivered file so that every reader gets its columns right (contract C-28).
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

struct RewriteRequest {
  std::set<std::string> drop_columns;  // top-level names, compared without case (reserved partition columns)
};

/// Copy all rows of `reader` into `writer` (not finished here) in the same order: timestamps and times become
/// microseconds (exact: Corruption where a value has digits below the microsecond or does not fit), unsigned integers
/// become the next wider signed type (uint64: decimal(20,0)), lists get the standard form, field ids are left out.
/// Ensures: row n of the copy is row n of the source. Bounded memory: a row group at a time.
Status RewriteFile(store::RandomReader& reader, const RewriteRequest& request, store::ObjectWriter& writer);

}  // namespace tidegate::parquet
