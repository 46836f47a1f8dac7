// Reseeds: a table in parts that the vendor rebuilt from scratch replaces the old copy (C-35). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

  /// "v2/2026-11-03/05 from v2/2026-11-03/04", with " initial" at the end where it belongs to the copy.
  std::string ToString() const;
  static Result<Reseed> Parse(std::string_view text);

  friend bool operator==(const Reseed&, const Reseed&) = default;
};

/// The latest reseed that manifests up to `in_use` announce for a table, whether its folders are sealed or not.
std::optional<Reseed> LatestReseed(const bucket::BucketView& view, const contract::TableName& table,
                                   const bucket::FolderMap& folders, contract::Version in_use);

/// May it be taken? Once R is sealed; a v1 reseed that delivers only __initial__: once that is.
bool IsSealed(const Reseed& reseed, const bucket::FolderMap& folders);

}  // namespace tidegate::ingest
