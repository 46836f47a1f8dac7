// Manifests and manifest lists: the Avro files behind a snapshot (Iceberg spec, "Manifests", "Manifest Lists").
//
// Written as format v2; read from any engine's v2 files, whatever order, extra or missing optional fields they have.
// Not here: where they lie and which belong to a snapshot (lake_table.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/table/metadata.h"

namespace tidegate::table {

/// A manifest or manifest list larger than this is refused unread.
inline constexpr uint64_t kMaxManifestBytes = 512'000'000;

/// The bytes of a manifest. Requires: the files of all entries fit `spec` (number of partition values) and `deletes`.
/// ADDED entries are written without sequence numbers, so that they inherit those of the commit.
std::string WriteManifest(const schema::Schema& schema, const PartitionSpec& spec, bool deletes,
                          const std::vector<ManifestEntry>& entries);

/// The counts, the least sequence number and the partition summaries that a manifest list repeats of these entries.
/// `sequence_number` is that of the commit that writes the manifest.
ManifestFile SummarizeManifest(const PartitionSpec& spec, bool deletes, int64_t sequence_number,
                               const std::vector<ManifestEntry>& entries);

/// Read a manifest. `from` is its row in the manifest list: entries inherit snapshot and sequence numbers from it.
/// `spec` is the one that `from` names; partition values come in its order.
/// Errors: Corruption, Unsupported (partition values that are not strings).
Result<std::vector<ManifestEntry>> ReadManifest(std::string_view file, const ManifestFile& from,
                                                const PartitionSpec& spec);

std::string WriteManifestList(const Snapshot& snapshot, const std::vector<ManifestFile>& manifests);

/// Errors: Corruption, Unsupported (a list of format v1).
Result<std::vector<ManifestFile>> ReadManifestList(std::string_view file);

}  // namespace tidegate::table
