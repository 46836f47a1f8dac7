// For tests: lakes with a history, and what must hold of them whatever was expired or rolled back.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/table/metadata_files.h"
#include "tidegate/upkeep/as_of.h"

namespace tidegate::upkeep {

using ingest::TestBucket;
using ingest::TestLake;

/// So many days after everything that a test wrote.
inline UtcTime Later(int days) {
  return std::max(SystemClock().Now(), ingest::TestOptions().clock->Now()) + std::chrono::hours(24 * days);
}

inline table::LakeTable LoadTable(TestLake& lake, const std::string& name) {
  auto table = table::LakeTable::Load(lake.store(), "shop/" + name);
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  return *std::move(table);
}

/// Keys of all that snapshots name, read by Iceberg's rules; each must be there.
inline std::set<std::string> FilesOfSnapshots(TestLake& lake, const std::string& name) {
  std::set<std::string> out;
  const table::LakeTable table = LoadTable(lake, name);
  const table::MetadataFiles files(lake.store(), "shop/" + name);
  for (const table::Snapshot& snapshot : table.metadata().snapshots) {
    out.insert(TestLake::KeyOf(snapshot.manifest_list));
    const auto manifests = files.ReadList(snapshot);
    EXPECT_TRUE(manifests.ok()) << manifests.status().ToString();
    if (!manifests.ok()) continue;
    for (const table::ManifestFile& manifest : *manifests) out.insert(TestLake::KeyOf(manifest.location));
    const auto live = table.ReadLiveFiles(snapshot.snapshot_id);
    EXPECT_TRUE(live.ok()) << live.status().ToString();
    if (!live.ok()) continue;
    for (const auto* list : {&live->data, &live->position_deletes}) {
      for (const table::LiveFile& file : *list) out.insert(TestLake::KeyOf(file.file.location));
    }
  }
  for (const std::string& key : out) EXPECT_TRUE(lake.store().Head(key).ok()) << key;
  return out;
}

/// A copy of a lake, to be spoilt.
inline TestLake Clone(TestLake& lake) {
  TestLake out;
  for (const store::ObjectInfo& object : ingest::ObjectsIn(lake.store())) {
    const auto bytes = lake.store().Read(object.key, 100'000'000);
    EXPECT_TRUE(out.store().Put(object.key, *bytes, store::PutMode::kOverwrite).ok());
  }
  EXPECT_TRUE(out.store().Sync().ok());
  return out;
}

/// Keys below metadata/ and data/ that are neither a snapshot's nor a version of the metadata, nor the hint.
inline std::vector<std::string> Unneeded(TestLake& lake, const std::string& name) {
  const std::set<std::string> needed = FilesOfSnapshots(lake, name);
  std::vector<std::string> out;
  for (const store::ObjectInfo& object : ingest::ObjectsIn(lake.store())) {
    const bool ours =
        object.key.starts_with("shop/" + name + "/metadata/") || object.key.starts_with("shop/" + name + "/data/");
    const bool pointer = object.key.ends_with(".metadata.json") || object.key.ends_with("version-hint.text");
    if (ours && !pointer && !needed.contains(object.key)) out.push_back(object.key);
  }
  return out;
}

/// A table in parts with updates, and a full table: hours 03, 04 and 05, each ingested on its own.
inline void MakeHistory(TestBucket& bucket, TestLake& lake) {
  bucket.SwitchToV2();
  const std::vector<std::string> orders = {R"([[1, "a", 1], [2, "a", 1], [3, "a", 1]])",
                                           R"([[1, "b", 2], [4, "b", 2]])",
                                           R"([[1, "c", 3], [2, "c", 3], [5, "c", 3]])"};
  const std::vector<std::string> customers = {R"([[1, "x", 1]])", R"([[1, "y", 1], [2, "y", 1]])", R"([[2, "z", 1]])"};
  for (size_t i = 0; i < orders.size(); ++i) {
    const std::string hour = "0" + std::to_string(3 + i);
    bucket.Deliver(ingest::Hour("orders", hour), orders[i]);
    bucket.Deliver(ingest::Copy("customers", hour), customers[i]);
    ingest::IngestWell(bucket.store(), lake.store());
  }
}

}  // namespace tidegate::upkeep
