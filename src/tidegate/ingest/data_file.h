// A staged Parquet file as the entry of an Iceberg manifest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/parquet/file_info.h"
#include "tidegate/schema/schema.h"
#include "tidegate/table/metadata.h"

namespace tidegate::ingest {

/// Sizes, counts and bounds by column id. Bounds of a narrower file are widened to the table's type, so that every
/// reader decodes them.
table::DataFile DescribeDataFile(const parquet::FileInfo& info, const schema::Schema& schema, std::string location,
                                 std::vector<std::optional<std::string>> partition);

}  // namespace tidegate::ingest
