// UNLOAD: a statement that writes the rows of a SELECT as Parquet files, and the list of files that Athena keeps of it.
// Pure.
//
// Source: Athena's user guide (UNLOAD; identifying query output files).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"

namespace tidegate::athena {

inline constexpr uint64_t kMaxManifestBytes = 64 << 20;

struct Unload {
  std::string select{};
  std::string to{};                    // "s3://bucket/folder/": holds nothing yet
  std::string compression = "snappy";  // or "zstd"
};

/// The statement. Errors: InvalidArgument (`to` is no place in S3; a compression that is none of these).
Result<std::string> UnloadStatement(const Unload& unload);

/// The files that a manifest lists: one location a line, empty lines and quotes around a line passed over, in order.
/// Errors: Corruption (a line that is no location in S3, or stands there twice).
Result<std::vector<std::string>> ReadManifest(std::string_view text);

}  // namespace tidegate::athena
