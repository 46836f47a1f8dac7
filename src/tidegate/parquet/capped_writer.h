// Write a stream of rows as Parquet files none of which is larger than a hard cap of encoded bytes (contract C-3).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

struct ArrowArrayStream;  // Arrow C stream interface

namespace tidegate::parquet {

struct CappedWriterOptions {
  uint64_t max_file_bytes = 256'000'000;
  int64_t row_group_rows = 131'072;
  std::string compression = "snappy";  // snappy, zstd, none
};

struct WrittenFile {
  store::ObjectInfo object;
  int64_t rows = 0;
};

/// Consume `stream` (released in every case) and write it to files got from `next_file` (called with the split number
/// 0, 1, …). A stream without rows gives one file without rows, with the stream's schema. No field ids in the files.
/// Ensures: each file ≤ max_file_bytes, checked on the real size.
/// Errors: InvalidArgument where one row alone cannot fit; the stream's own error.
Result<std::vector<WrittenFile>> WriteCapped(
    ArrowArrayStream* stream, const CappedWriterOptions& options,
    const std::function<Result<std::unique_ptr<store::ObjectWriter>>(int split)>& next_file);

}  // namespace tidegate::parquet
