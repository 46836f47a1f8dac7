// How tidegate writes Parquet: the one set of properties, and the numbers that size_bound.cc counts with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tidegate/base/status.h"

namespace arrow {
class Schema;
}
namespace arrow::io {
class OutputStream;
}
namespace parquet {
class WriterProperties;
}
namespace parquet::arrow {
class FileWriter;
}

namespace tidegate::parquet {

inline constexpr uint64_t kPageBytes = 1024 * 1024;
inline constexpr uint64_t kPageRows = 20'000;
inline constexpr uint64_t kMaxStatisticsBytes = 4096;  // longer least and greatest values are left out
inline constexpr int kZstdLevel = 3;

/// "tidegate version 0.1.0 (build parquet-cpp-arrow 26.0.1)": the form by which readers know whose statistics to trust.
std::string CreatedBy();

/// Errors: InvalidArgument unless `compression` is "snappy", "zstd" or "none".
Result<std::shared_ptr<::parquet::WriterProperties>> MakeWriterProperties(const std::string& compression,
                                                                          int64_t row_group_rows);

/// A writer of record batches and tables of `schema`; throws Parquet's exceptions.
/// Ensures: no Arrow schema and no field ids in the file; timestamps in microseconds.
std::unique_ptr<::parquet::arrow::FileWriter> OpenRowWriter(const std::shared_ptr<arrow::Schema>& schema,
                                                            std::shared_ptr<arrow::io::OutputStream> sink,
                                                            std::shared_ptr<::parquet::WriterProperties> properties);

}  // namespace tidegate::parquet
