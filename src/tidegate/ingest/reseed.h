// Reseeds: a table in parts that the vendor rebuilt from scratch replaces the old copy (C-35). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/contract/folder.h"

namespace tidegate::ingest {

/// Which folders make up a rebuilt copy.
struct Reseed {
  contract::Delivery at;      // R: the first of the consecutive deliveries that carry the flag
  contract::Delivery from;    // the first folder of the new copy; R unless `reseed_from` says otherwise
  bool with_initial = false;  // v1: __initial__ was written anew and belongs to it

  /// Does a folder belong to the new copy? All others are fenced.
  bool Holds(const contract::Delivery& delivery) const {
    return delivery >= from || (with_initial && delivery.is_initial());
  }

  /// Does every folder of another reseed belong to this one?
  bool HoldsAllOf(const Reseed& other) const {
    return from <= other.from && (with_initial || !other.with_initial || from.is_initial());
  }

  /// "v2/2026-11-03/05 from v2/2026-11-03/04", with " initial" at the end where it belongs to the copy.
  std::string ToString() const;
  static Result<Reseed> Parse(std::string_view text);

  friend bool operator==(const Reseed&, const Reseed&) = default;
};

/// A reseed as manifests announce it.
struct AnnouncedReseed {
  Reseed reseed;
  contract::Delivery last;  // of the consecutive deliveries that carry the flag: they are one reseed

  bool Covers(const contract::Delivery& flagged) const { return reseed.at <= flagged && flagged <= last; }
};

/// All reseeds that manifests up to `in_use` announce for a table, in order, whether their folders are sealed or not.
std::vector<AnnouncedReseed> AnnouncedReseeds(const bucket::BucketView& view, const contract::TableName& table,
                                              const bucket::FolderMap& folders, contract::Version in_use);

/// Does a folder belong to one of the reseeds that wait? Then it waits with it.
bool WaitsWith(const std::vector<Reseed>& waiting, const contract::Delivery& delivery);

/// May it be taken? Once R is sealed, or, where a v1 reseed delivers only __initial__, that; and unless a part of it
/// belongs to a later reseed that waits.
bool CanBeTaken(const Reseed& reseed, const bucket::FolderMap& folders, const std::vector<Reseed>& waiting);

}  // namespace tidegate::ingest
