// Position-delete files of Iceberg v2: (file_path, pos), sorted, field ids 2147483546 and 2147483545.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

/// Write the deleted positions of one data file. Requires: positions sorted, distinct, not empty.
/// `data_file` is the location exactly as the manifest names it.
Status WritePositionDeletes(const std::string& data_file, const std::vector<int64_t>& positions,
                            store::ObjectWriter& writer);

/// Positions by data file, sorted and distinct. Reads files of other engines too (several data files in one).
Result<std::map<std::string, std::vector<int64_t>>> ReadPositionDeletes(store::RandomReader& reader);

}  // namespace tidegate::parquet
