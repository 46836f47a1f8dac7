// Snappy blocks, decompressed. Arrow brings a decoder, but its build calls a function for each copy, and takes twice as
// long: docs/benchmarks.md has figures.
//
// The format is Snappy's format_description.txt: the size in LEB128, then literals and copies of what came before.
// Hostile input: nothing outside of the two blocks is read or written, whatever stands in them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tidegate::parquet {

/// Behind the decompressed bytes so many may be written.
inline constexpr size_t kSnappySlack = 64;

/// How many bytes a block claims to hold; nothing where it claims more than blocks of its size can hold.
std::optional<uint32_t> SnappySize(std::span<const uint8_t> block);

/// Decompress a block into out[0], … out[size - 1]. False where it is broken, or is of another size.
/// Requires: kSnappySlack bytes behind these.
bool DecompressSnappy(std::span<const uint8_t> block, uint8_t* out, size_t size);

}  // namespace tidegate::parquet
