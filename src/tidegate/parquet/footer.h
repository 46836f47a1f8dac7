// Open a Parquet file that nobody vouches for: the footer is read with limits and checked before any of its numbers is
// used to allocate or to seek.
#pragma once

#include <cstdint>
#include <memory>

#include "tidegate/base/status.h"
#include "tidegate/parquet/source.h"

namespace arrow {
class MemoryPool;
}
namespace parquet {
class FileMetaData;
}
namespace parquet::arrow {
class FileReader;
}

namespace tidegate::parquet {

/// A footer larger than this is refused. Real ones: about 100 bytes per column and row group, so 64 MB is 1,000 columns
/// in 600 row groups.
inline constexpr uint64_t kMaxFooterBytes = uint64_t{64} << 20;

struct OpenedFile {
  std::shared_ptr<StoreSource> source;
  std::shared_ptr<::parquet::FileMetaData> metadata;  // without key-value metadata, see footer_bytes.h
};

/// Read and check the footer: one read of the last 64 KiB, another where it is larger.
/// Ensures: row counts are not negative and add up; every column chunk lies between header and footer.
/// Errors: Corruption, Unsupported (encrypted, data in other files), those of the store.
Result<OpenedFile> OpenFooter(store::RandomReader& reader);

struct RowReading {
  int64_t batch_rows = 32'768;
  bool keep_uuids = false;  // as Arrow's extension type instead of 16 plain bytes
};

/// A reader of rows, on the calling thread, one column chunk read at a time.
/// Requires: file.source and pool outlive it.
Result<std::unique_ptr<::parquet::arrow::FileReader>> OpenRows(const OpenedFile& file, const RowReading& how,
                                                               arrow::MemoryPool* pool);

}  // namespace tidegate::parquet
