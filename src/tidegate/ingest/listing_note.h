// What a run that listed the whole bucket leaves for those after it, so that they can look at the recent days alone.
// Derived; without it a run lists everything. Format: docs/formats/listing-note.md.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/folder.h"
#include "tidegate/ingest/checkpoint.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

inline constexpr const char* kListingNoteKey = "_tidegate/listing.json";

struct ListingNote {
  std::string bucket;  // URL
  UtcTime at;
  std::string since;  // a day
  size_t deliveries_before = 0;
  std::map<std::string, std::string> tables;  // "shop.orders" → AppliedBefore(), or "" where it is not in the lake
  friend bool operator==(const ListingNote&, const ListingNote&) = default;
};

std::string WriteListingNote(const ListingNote& note);

/// Errors: Corruption, Unsupported (a newer format).
Result<ListingNote> ParseListingNote(std::string_view text);

/// nullopt where there is none, or none that can be read.
std::optional<ListingNote> LoadListingNote(store::ObjectStore& lake);

/// A hash of the deliveries of a table before a day; "" without a checkpoint.
std::string AppliedBefore(const Checkpoint* checkpoint, const std::string& since);

/// So long before the newest delivery the recent days begin.
struct RecentDays {
  std::chrono::days v1{31};
  std::chrono::days v2{7};
};

/// What of a bucket later runs need not look at.
struct Past {
  std::string since;      // the first day that they look at
  size_t deliveries = 0;  // before it: of folders and of manifests, but for __initial__
};

/// Given a view of everything and the oldest folder that is open; nullopt: the bucket holds nothing of the past.
std::optional<Past> PastOf(const bucket::BucketView& view, contract::Version in_use, UtcTime now,
                           const std::optional<contract::Delivery>& oldest_open, const RecentDays& days);

/// May a run of now rely on it?
bool IsFresh(const ListingNote& note, const std::string& bucket_url, UtcTime now,
             std::chrono::milliseconds list_all_every);

/// Does the plan of a table, made from the recent days alone, have to be made from everything?
bool NeedsWholeListing(const bucket::BucketView& view, const TablePlan& plan, const ListingNote& note);

}  // namespace tidegate::ingest
