// What a run sees of bucket and lake before it plans: everything, or the recent days alone where a note in the lake
// says that they are enough (listing_note.h). Changes nothing.
#pragma once

#include <chrono>
#include <optional>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/bucket/manifest_cache.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/ingest/lake_tables.h"
#include "tidegate/ingest/listing_note.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

inline constexpr std::chrono::milliseconds kListAllEvery = std::chrono::hours(7 * 24);

/// The newest manifests, as an object of the lake (bucket/manifest_cache.h).
inline constexpr const char* kManifestsKey = "_tidegate/manifests.json";

struct LookOptions {
  std::vector<std::string> table_globs, exclude_globs;
  const contract::TableCatalog* catalog = nullptr;  // required
  UtcTime now;
  std::chrono::milliseconds list_all_every = kListAllEvery;
  bool list_all = false;  // whatever the note says
};

struct Look {
  bucket::BucketView view;
  LakeTables tables;
  contract::Version version = contract::Version::kV1;
  std::optional<ListingNote> note;  // the recent days were enough by it; absent: everything was listed
  bool swept = false;               // of the past, the holes were looked into
  bucket::ManifestCache manifests;
};

/// Errors: of the stores, where bucket or lake cannot be listed.
Result<Look> LookAround(store::ObjectStore& bucket, store::ObjectStore& lake, const LookOptions& options);

/// Leaves the manifests to later looks, where they changed. Derived: a failure is said, and costs requests.
void KeepManifests(store::ObjectStore& lake, const std::string& bucket_url, const bucket::ManifestCache& manifests);

/// How a table is planned that is neither built anew nor retried.
PlanChoice PlainChoice(const Look& look, const contract::TableName& name, const contract::TableCatalog& catalog,
                       UtcTime now);

}  // namespace tidegate::ingest
