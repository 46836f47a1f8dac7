// How large a row group can become at most, before it is written.
//
// The bound holds for files with the properties of writer_properties.h: v1 pages of 1 MB and 20,000 rows, dictionaries,
// no page index, no Bloom filters. Each part is counted at its worst: every value stored plainly and as a dictionary
// index, levels as bit-packed runs, pages that do not compress, statistics as long as the longest value.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>

namespace tidegate::parquet {

struct SizeBound {
  uint64_t data_bytes = 0;    // in the row group itself
  uint64_t footer_bytes = 0;  // what the footer grows by
  uint64_t plain_bytes = 0;   // values before encoding: what a reader or writer holds in memory
};

/// Of a batch in the lake's types, compressed by `compression` ("snappy", "zstd", "none").
SizeBound BoundRowGroup(const arrow::RecordBatch& batch, const std::string& compression);

/// Of a footer without row groups, with the magic bytes at both ends of the file.
uint64_t BoundEmptyFile(const arrow::Schema& schema, const std::string& created_by);

}  // namespace tidegate::parquet
