// What a run leaves for those after it, so that they need not list the whole bucket: a window of recent days, and what
// they must know of the past. Derived; without it a run lists everything. Format: docs/formats/listing-note.md.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/folder.h"
#include "tidegate/ingest/checkpoint.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

inline constexpr const char* kListingNoteKey = "_tidegate/listing.json";

/// What is known of one table.
struct TableNote {
  std::string applied_before;  // AppliedBefore(), or "" where it is not in the lake
  bucket::Shapes shapes;       // of its folders in the version in use
  friend bool operator==(const TableNote&, const TableNote&) = default;
};

struct ListingNote {
  std::string bucket;  // URL
  UtcTime at;          // when everything was listed
  UtcTime due;         // then everything is to be listed again
  UtcTime swept;       // when the holes in the past were last looked into
  bucket::Window window;
  bucket::PastManifests past_manifests;     // as the run that listed everything read them
  size_t deliveries_before = 0;             // outside the window
  std::map<std::string, TableNote> tables;  // by "shop.orders"
  std::vector<contract::Folder> open;       // outside the window: could not be applied, or held
  friend bool operator==(const ListingNote&, const ListingNote&) = default;
};

std::string WriteListingNote(const ListingNote& note);

/// Errors: Corruption, Unsupported (another format).
Result<ListingNote> ParseListingNote(std::string_view text);

/// nullopt where there is none, or none that can be read.
std::optional<ListingNote> LoadListingNote(store::ObjectStore& lake);

/// A hash of the deliveries of a table outside the window; "" without a checkpoint.
std::string AppliedBefore(const Checkpoint* checkpoint, const bucket::Window& window);

/// How far back every run looks, and how often it looks further.
struct RecentDays {
  std::chrono::days v1{31};      // before the newest delivery
  std::chrono::days v2{7};       // fewer, at least two, where a table has too many objects for one page of a listing
  size_t small_bucket = 20'000;  // a bucket of so many objects or fewer is listed as a whole each day,
  size_t keys_a_table = 1'000;   // of so many a table or fewer in every run: that asks for no more
};

/// The window of runs to come, given a view of everything or of an earlier window; nullopt: the bucket holds nothing
/// before it.
std::optional<bucket::Window> WindowOf(const bucket::BucketView& view, contract::Version in_use, UtcTime now,
                                       const RecentDays& days);

/// Objects of folders and manifests that a view shows.
size_t ObjectsIn(const bucket::BucketView& view);

/// Between one look into the holes of the past and the next.
inline constexpr std::chrono::hours kSweepEvery{24};

/// May a run of now rely on it?
bool IsFresh(const ListingNote& note, const std::string& bucket_url, UtcTime now,
             std::chrono::milliseconds list_all_every);

/// Where in the past of a table in parts, outside the window, a folder could be that it does not have: between the
/// deliveries that it has, fenced or skipped. A table of very many holes has one that spans them all.
std::vector<bucket::Hole> HolesOf(const Checkpoint& checkpoint, const bucket::Window& window);

/// Does the plan of a table, made from the recent days alone, have to be made from everything?
bool NeedsWholeListing(const bucket::BucketView& view, const TablePlan& plan, const ListingNote& note);

}  // namespace tidegate::ingest
