// The checkpoint of one lake table: what of the bucket the table already holds. It lives in the summary of our commits,
// so data and progress change together, and a rollback takes both back. Format: docs/formats/checkpoint.md.
//
// Guarantees
// - Progress is a set with holes, never a mark: a folder that was not applied is not inside any range.
// - Its size follows the number of holes, not the years (ranges of consecutive days or hours).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/ingest/reseed.h"

namespace tidegate::ingest {

/// A set of deliveries, kept as ranges of consecutive days (v1) or hours (v2).
class DeliverySet {
 public:
  void Insert(const contract::Delivery& delivery);
  bool Contains(const contract::Delivery& delivery) const;
  bool empty() const { return ranges_.empty(); }
  /// The greatest one. Requires: not empty.
  const contract::Delivery& Max() const { return ranges_.rbegin()->second; }
  /// Those for which `wanted` says so, the first `most` of them, in order.
  std::vector<contract::Delivery> FirstWhere(const std::function<bool(const contract::Delivery&)>& wanted,
                                             size_t most) const;
  /// All of them.
  DeliverySet Where(const std::function<bool(const contract::Delivery&)>& wanted) const;
  size_t range_count() const { return ranges_.size(); }
  /// First → last of consecutive ones.
  const std::map<contract::Delivery, contract::Delivery>& ranges() const { return ranges_; }

  /// "v1/__initial__ v1/2026-10-01..v1/2026-11-02 v2/2026-11-03/03..v2/2026-11-30/07".
  std::string ToString() const;
  static Result<DeliverySet> Parse(std::string_view text);

  friend bool operator==(const DeliverySet&, const DeliverySet&) = default;

 private:
  std::map<contract::Delivery, contract::Delivery> ranges_;  // first → last, disjoint, never adjacent
};

struct Checkpoint {
  contract::Version version = contract::Version::kV1;  // in use at the commit; never goes back (C-12)
  contract::TableMode mode = contract::TableMode::kFull;
  DeliverySet applied;
  /// Fingerprints of applied folders that may still be found changed (C-14): v1 until it is closed, v2 of the last
  /// days.
  std::map<contract::Delivery, std::string> fingerprints;
  std::optional<UtcTime> delivered_through;  // C-36
  std::optional<Reseed> reseed;              // the latest one taken (C-35)
  DeliverySet fenced;   // folders outside the new copy that were sealed when it was taken; later ones are said
  DeliverySet skipped;  // left out on a person's word (C-15)
  DeliverySet gaps;     // tried in the run of the commit, and could not be applied (C-15)
  /// The columns are those of a copy that was replaced by one without a file: the next file brings its own.
  bool columns_kept = false;
  std::optional<UtcTime> switched_at;  // of the first commit that read v2: v1 closes seven days later (C-14)
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// Keys of the snapshot summary that hold it; all begin with "tidegate.".
std::map<std::string, std::string> ToSummary(const Checkpoint& checkpoint);

/// nullopt where the summary is of a foreign commit (holds none of our keys).
/// Errors: Corruption; Unsupported where a newer version of tidegate wrote it.
Result<std::optional<Checkpoint>> FromSummary(const std::map<std::string, std::string>& summary);

/// Forget fingerprints that nothing looks at any more: of v2, all but the newest `keep` deliveries; of v1, all where it
/// is closed.
void TrimFingerprints(Checkpoint& checkpoint, size_t keep, bool of_v1);

}  // namespace tidegate::ingest
