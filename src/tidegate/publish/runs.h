// The runs of a partition, as the store holds them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/publish/run_id.h"
#include "tidegate/publish/run_manifest.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

struct Run {
  RunId id{};
  std::string folder{};                    // below the root of the table
  std::vector<store::ObjectInfo> files{};  // directly in its folder, marks of tidegate too
  std::vector<std::string> foreign{};      // what lies deeper, or has a name that no object may have
  bool complete = false;                   // _tidegate_run.json
  bool published = false;                  // _tidegate_signature.json: readers were moved to it
  std::optional<UtcTime> failed{};         // _tidegate_failed.json, and since when
  bool retired = false;                    // _tidegate_retired.json: readers were moved away from it
};

/// All of them, the oldest first. Errors: those of the store.
Result<std::vector<Run>> ListRuns(store::ObjectStore& store, const std::string& partition_path);

/// The run whose folder is this one; null where there is none.
const Run* FindRun(const std::vector<Run>& runs, const std::string& folder);

/// The run that a location names, below the root `root_url`; null where it names none of them.
const Run* RunAt(const std::vector<Run>& runs, const std::string& root_url, const std::string& location);

/// What the run file of a complete run says. Errors: those of the store and of ReadRunManifest, naming the file.
Result<RunManifest> ReadRun(store::ObjectStore& store, const Run& run);

/// Are all files there that the run file names, as large as it says? Errors: Corruption, naming the first that is not.
Status CheckWhole(const Run& run, const RunManifest& manifest);

}  // namespace tidegate::publish
