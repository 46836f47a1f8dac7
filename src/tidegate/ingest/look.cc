#include "tidegate/ingest/look.h"

#include <algorithm>

namespace tidegate::ingest {
namespace {

Result<Look> LookAt(store::ObjectStore& bucket, store::ObjectStore& lake, const LookOptions& options,
                    const std::optional<ListingNote>& note) {
  bucket::ScanOptions scan{options.table_globs, options.exclude_globs, std::nullopt};
  if (note) scan.since = note->since;
  Look out;
  TG_ASSIGN_OR_RETURN(out.view, bucket::ScanBucket(bucket, scan));
  TG_ASSIGN_OR_RETURN(out.tables, LoadLakeTables(out.view, lake, scan));
  out.version = VersionInUse(out.view, out.tables.Checkpoints());
  out.note = note;
  return out;
}

/// Would every table be planned the same way from a listing of everything, as far as the note can tell?
bool IsEnough(const Look& look, store::ObjectStore& lake, const LookOptions& options) {
  return std::all_of(look.tables.states.begin(), look.tables.states.end(), [&](const auto& entry) {
    const auto& [name, state] = entry;
    const auto plan = PlanOf(look.view, lake, name, state, PlainChoice(look, name, *options.catalog, options.now));
    return plan.ok() && !NeedsWholeListing(look.view, *plan, *look.note);
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
  const auto note = options.list_all ? std::nullopt : LoadListingNote(lake);
  if (note && IsFresh(*note, bucket.url(), options.now, options.list_all_every)) {
    TG_ASSIGN_OR_RETURN(Look recent, LookAt(bucket, lake, options, note));
    if (IsEnough(recent, lake, options)) return recent;
  }
  return LookAt(bucket, lake, options, std::nullopt);
}

}  // namespace tidegate::ingest
