#include "tidegate/ingest/look.h"

#include <algorithm>

#include "tidegate/base/log.h"

namespace tidegate::ingest {
namespace {

/// As much as a cache of the size that is ever written needs, escapes included.
constexpr uint64_t kMaxCacheBytes = 8 * bucket::kMaxCachedBytes;

bucket::ManifestCache LoadManifests(store::ObjectStore& lake, const std::string& bucket_url) {
  const auto text = lake.Read(kManifestsKey, kMaxCacheBytes);
  if (!text.ok()) return {};
  auto cache = bucket::ManifestCache::Parse(*text, bucket_url);
  if (cache.ok()) return *std::move(cache);
  Log(LogLevel::kDebug, std::string(kManifestsKey) + " of the lake is passed over: " + cache.status().message());
  return {};
}

bucket::RecentScan RecentScanOf(const ListingNote& note, UtcTime now) {
  bucket::RecentScan out;
  out.window = note.window;
  for (const auto& [name, table] : note.tables) {
    if (const auto parsed = contract::ParseTableName(name); parsed.ok()) out.tables[*parsed] = table.shapes;
  }
  out.open = note.open;
  out.turn = static_cast<uint64_t>(std::chrono::floor<std::chrono::hours>(now).time_since_epoch().count());
  return out;
}

/// Looks into the holes of the past of each table in parts, where a folder that was sealed late would lie.
Status Sweep(store::ObjectStore& bucket, const LakeTables& tables, bucket::BucketView& view) {
  for (const auto& [name, state] : tables.states) {
    if (!state.checkpoint || state.checkpoint->mode != contract::TableMode::kParts) continue;
    for (const bucket::Hole& hole : HolesOf(*state.checkpoint, *view.window)) {
      TG_RETURN_IF_ERROR(bucket::LookInto(bucket, name, hole, view));
    }
  }
  return {};
}

/// With a note: the recent days. With `past_manifests`: everything, but for those.
Status LookAt(store::ObjectStore& bucket, store::ObjectStore& lake, const LookOptions& options,
              std::optional<ListingNote> note, std::optional<bucket::PastManifests> past_manifests, Look& out) {
  bucket::ScanOptions scan{options.table_globs, options.exclude_globs, std::nullopt};
  scan.past_manifests = std::move(past_manifests);
  if (note) scan.recent = RecentScanOf(*note, options.now);
  scan.known_manifests = &out.manifests;
  TG_ASSIGN_OR_RETURN(out.view, bucket::ScanBucket(bucket, scan));
  TG_ASSIGN_OR_RETURN(out.tables, LoadLakeTables(out.view, lake, scan));
  const bool past_is_v2 = note && note->window.version == contract::Version::kV2;
  out.swept = past_is_v2 && options.now - note->swept >= kSweepEvery;
  if (out.swept) TG_RETURN_IF_ERROR(Sweep(bucket, out.tables, out.view));
  out.version = VersionInUse(out.view, out.tables.Checkpoints());
  out.note = std::move(note);
  return {};
}

/// Would every table be planned the same way from a listing of everything, all manifests read, as far as the note can
/// tell?
bool IsEnough(const Look& look, store::ObjectStore& lake, const LookOptions& options, const ListingNote& note) {
  if (look.version != note.window.version) return false;  // v2 has begun
  return std::all_of(look.tables.states.begin(), look.tables.states.end(), [&](const auto& entry) {
    const auto& [name, state] = entry;
    const auto plan = PlanOf(look.view, lake, name, state, PlainChoice(look, name, *options.catalog, options.now));
    return plan.ok() && !NeedsWholeListing(look.view, *plan, note);
  });
}

}  // namespace

PlanChoice PlainChoice(const Look& look, const contract::TableName& name, const contract::TableCatalog& catalog,
                       UtcTime now) {
  PlanChoice out;
  out.entry = catalog.Find(name);
  out.version = look.version;
  out.settled = look.tables.marks.settled.contains(name);
  out.now = now;
  return out;
}

Result<Look> LookAround(store::ObjectStore& bucket, store::ObjectStore& lake, const LookOptions& options) {
  Look look;
  look.manifests = LoadManifests(lake, bucket.url());
  const auto note = options.list_all ? std::nullopt : LoadListingNote(lake);
  if (note && IsFresh(*note, bucket.url(), options.now, options.list_all_every)) {
    TG_RETURN_IF_ERROR(LookAt(bucket, lake, options, note, std::nullopt, look));
    if (IsEnough(look, lake, options, *note)) return look;
  } else if (note && note->bucket == bucket.url()) {
    TG_RETURN_IF_ERROR(LookAt(bucket, lake, options, std::nullopt, note->past_manifests, look));
    if (!look.view.manifest_window || IsEnough(look, lake, options, *note)) return look;
  }
  TG_RETURN_IF_ERROR(LookAt(bucket, lake, options, std::nullopt, std::nullopt, look));
  return look;
}

void KeepManifests(store::ObjectStore& lake, const std::string& bucket_url, const bucket::ManifestCache& manifests) {
  if (!manifests.changed()) return;
  const Status kept = lake.Put(kManifestsKey, manifests.Write(bucket_url), store::PutMode::kOverwrite).status();
  if (!kept.ok()) Log(LogLevel::kWarning, "the manifests that were read were not kept: " + kept.message());
}

}  // namespace tidegate::ingest
