#include "tidegate/thaw/cold_objects.h"

#include <future>
#include <set>
#include <utility>

#include "tidegate/base/task_pool.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/ingest/hold_back.h"
#include "tidegate/ingest/look.h"
#include "tidegate/ingest/open_points.h"

namespace tidegate::thaw {
namespace {

using contract::Delivery;
using contract::TableName;
using store::ArchiveState;

constexpr size_t kAtOnce = 8;

bool InRange(const Delivery& delivery, const FindOptions& options) {
  return (!options.since || *options.since <= delivery) && (!options.until || delivery <= *options.until);
}

/// `all`: also files that the listing shows as readable, since it may not know.
void TakeFolder(const bucket::FolderState& state, bool all, const FindOptions& options, std::vector<ColdObject>& out) {
  if (!state.sealed() || !InRange(state.folder.delivery, options)) return;
  for (const store::ObjectInfo& file : state.files) {
    if (all || file.archive != ArchiveState::kReadable) out.push_back({state.folder.table.ToString(), file});
  }
}

void TakeManifests(const std::vector<store::ObjectInfo>& manifests, const FindOptions& options,
                   std::vector<ColdObject>& out) {
  if (!options.manifests) return;
  for (const store::ObjectInfo& manifest : manifests) {
    if (manifest.archive == ArchiveState::kReadable) continue;
    if (InRange(contract::ParseKey(manifest.key).folder.delivery, options)) out.push_back({kManifests, manifest});
  }
}

void TakeAll(const bucket::BucketView& view, const FindOptions& options, std::vector<ColdObject>& out) {
  for (const auto& [name, table] : view.tables) {
    for (const bucket::FolderMap* folders : {&table.full, &table.parts}) {
      for (const auto& [delivery, state] : *folders) TakeFolder(state, /*all=*/false, options, out);
    }
  }
}

/// Folders that the last ingest found to be cold only when it read them: listings do not tell of every archive.
std::set<std::string> FoundByReading(store::ObjectStore& lake, const TableName& name) {
  std::set<std::string> out;
  const auto points = ingest::LoadOpenPoints(lake, name);
  if (!points.ok()) return out;
  for (const ingest::OpenPoint& point : *points) {
    if (point.cold) out.insert(point.folder.Path());
  }
  return out;
}

Status TakeNeeded(store::ObjectStore& bucket, store::ObjectStore& lake, const ingest::Look& look,
                  const FindOptions& options, std::vector<ColdObject>& out) {
  for (const auto& [name, state] : look.tables.states) {
    const auto choice = ingest::PlainChoice(look, name, options.catalog, options.now);
    TG_ASSIGN_OR_RETURN(const ingest::TablePlan plan,
                        ingest::PlanReadable(look.view, bucket, lake, name, state, choice));
    const bucket::FolderMap& folders = look.view.FoldersOf(name, plan.rules.mode);
    for (const ingest::Cold& cold : plan.cold) {
      for (const ingest::ColdFolder& folder : cold.folders) {
        TakeFolder(folders.at(folder.folder.delivery), /*all=*/false, options, out);
      }
    }
    if (!look.tables.marks.with_open_points.contains(name)) continue;
    const std::set<std::string> found = FoundByReading(lake, name);
    for (const bucket::FolderState& folder : plan.folders) {
      if (found.contains(folder.folder.Path())) TakeFolder(folder, /*all=*/true, options, out);
    }
  }
  return {};
}

/// Where looking fails, the listing counts: asking for the restore will tell.
Status LookAgain(store::ObjectStore& bucket, const CancelFlag* cancel, std::vector<ColdObject>& objects) {
  TaskPool pool(kAtOnce);
  std::vector<std::future<Status>> looks;
  for (ColdObject& cold : objects) {
    const ArchiveState listed = cold.object.archive;
    if (listed == ArchiveState::kThawing || listed == ArchiveState::kThawed) continue;
    looks.push_back(pool.Submit([&bucket, cancel, &cold]() -> Status {
      if (cancel != nullptr) TG_RETURN_IF_ERROR(cancel->Check());
      if (auto now = bucket.Head(cold.object.key); now.ok()) cold.object = *std::move(now);
      return {};
    }));
  }
  return WaitForAll(looks);
}

}  // namespace

Result<std::vector<ColdObject>> FindCold(store::ObjectStore& bucket, store::ObjectStore* lake,
                                         const FindOptions& options) {
  std::vector<ColdObject> out;
  if (lake == nullptr) {
    bucket::ScanOptions scan{options.table_globs, options.exclude_globs, std::nullopt};
    scan.manifests_from = Delivery{contract::Version::kV2, "9999-12-31", "23"};  // none is read
    TG_ASSIGN_OR_RETURN(const bucket::BucketView view, bucket::ScanBucket(bucket, scan));
    TakeAll(view, options, out);
    TakeManifests(view.manifest_objects, options, out);
  } else {
    ingest::LookOptions look_options;
    look_options.table_globs = options.table_globs;
    look_options.exclude_globs = options.exclude_globs;
    look_options.catalog = &options.catalog;
    look_options.now = options.now;
    TG_ASSIGN_OR_RETURN(const ingest::Look look, ingest::LookAround(bucket, *lake, look_options));
    TG_RETURN_IF_ERROR(TakeNeeded(bucket, *lake, look, options, out));
    TakeManifests(look.view.frozen_manifests, options, out);
  }
  TG_RETURN_IF_ERROR(LookAgain(bucket, options.cancel, out));
  return out;
}

}  // namespace tidegate::thaw
