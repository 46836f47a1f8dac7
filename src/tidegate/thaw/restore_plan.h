// What a restore would ask for, what it costs, and how long it usually takes. Pure, printable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::thaw {

/// How fast a restore is, and how dear.
enum class Tier { kBulk, kStandard, kExpedited };

/// "Bulk", "Standard", "Expedited", as S3 names them.
std::string_view TierName(Tier tier);

/// Read "bulk", "Standard", … Errors: InvalidArgument.
Result<Tier> ParseTier(std::string_view text);

/// An object that a listing, or a look at it, shows in cold storage.
struct ColdObject {
  std::string table;  // "shop.orders"; kManifests for a manifest
  store::ObjectInfo object = {};
};

inline constexpr const char* kManifests = "manifests";

/// In US dollars, by the list prices of us-east-1.
struct Cost {
  double retrieval = 0;       // of the bytes
  double requests = 0;        // of the restore requests
  double temporary_copy = 0;  // in S3 Standard, for the days asked for
  double total() const { return retrieval + requests + temporary_copy; }
};

/// What one table has in cold storage.
struct TableRestore {
  std::string table;
  int64_t objects = 0;  // to ask for
  uint64_t bytes = 0;   // of those
  int64_t thawing = 0;  // objects that were asked for already
  int64_t thawed = 0;   // objects that can be read for some days
};

struct RestorePlan {
  Tier tier = Tier::kBulk;
  int days = 7;                          // for which the objects stay readable
  std::vector<ColdObject> ask = {};      // frozen
  std::vector<ColdObject> thawing = {};  // nothing to ask for, only to wait
  std::vector<TableRestore> tables = {};
  Cost cost = {};
  std::string usually_takes = {};  // "5 to 12 hours"; empty: nothing is asked for
  /// Expedited is not offered for these: they are asked for by the standard tier.
  int64_t not_expedited = 0;

  uint64_t bytes() const;
};

/// The tier that an object is asked for with: DEEP_ARCHIVE has none that is expedited.
Tier TierOf(const store::ObjectInfo& object, Tier wanted);

/// Objects that can be read and were never in cold storage are left out.
RestorePlan PlanRestore(const std::vector<ColdObject>& objects, Tier tier, int days);

/// As lines for people.
std::string Describe(const RestorePlan& plan);

}  // namespace tidegate::thaw
