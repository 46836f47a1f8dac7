// Where runs lie below the root of a table (docs/formats/partition-runs.md). Pure.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/publish/run_id.h"

namespace tidegate::publish {

// Names beside the files of a run, in its folder.
inline constexpr std::string_view kRunFile = "_tidegate_run.json";
inline constexpr std::string_view kFailedFile = "_tidegate_failed.json";
inline constexpr std::string_view kSignatureFile = "_tidegate_signature.json";
inline constexpr std::string_view kRetiredFile = "_tidegate_retired.json";

/// Keys are below the root of the table; folders have no '/' at the end.
std::string RunFolder(std::string_view partition_path, const RunId& id, bool aside);
std::string LeaseKey(std::string_view partition_path);

/// A name in the folder of a run.
std::string KeyIn(const std::string& folder, std::string_view name);

/// What every run of the partition begins with; `aside`: those outside of the partition's own folder.
std::string RunsPrefix(std::string_view partition_path, bool aside);

/// Does a reader of everything below folder `a` read folder `b`?
bool Covers(std::string_view a, std::string_view b);

}  // namespace tidegate::publish
