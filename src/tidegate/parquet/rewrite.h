// Rewrite a delivered file so that every reader gets its columns right (contract C-28).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/schema/schema.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

struct RewriteRequest {
  std::set<std::string> drop_columns;  // top-level names, compared without case (reserved partition columns)
  /// Top-level columns that get another name or type. A cast must not change a value: cast back it is what it was.
  std::map<std::string, schema::Field> take_as = {};
};

/// Copy all rows of `reader` into `writer` (not finished here) in the same order: timestamps and times become
/// microseconds (exact: InvalidArgument where a value has digits below the microsecond or does not fit), unsigned
/// integers become the next wider signed type (uint64: decimal(20,0)), lists get the standard form, field ids are left
/// out. Ensures: row n of the copy is row n of the source. Bounded memory: a row group at a time.
Status RewriteFile(store::RandomReader& reader, const RewriteRequest& request, store::ObjectWriter& writer);

}  // namespace tidegate::parquet
