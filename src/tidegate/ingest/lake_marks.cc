#include "tidegate/ingest/lake_marks.h"

#include <string>
#include <string_view>

#include "tidegate/base/text.h"
#include "tidegate/ingest/listing_note.h"
#include "tidegate/ingest/open_points.h"
#include "tidegate/ingest/settlement.h"

namespace tidegate::ingest {

Result<LakeMarks> ListMarks(store::ObjectStore& lake) {
  LakeMarks out;
  store::ListRequest request;
  request.prefix = "_tidegate/";
  TG_ASSIGN_OR_RETURN(const store::Listing listing, lake.List(request));
  for (const store::ObjectInfo& object : listing.objects) {
    const std::string_view key = object.key;
    if (key == kListingNoteKey) out.listing_note = true;
    if (key.starts_with(kSettlementsRoot)) {
      const auto parts = Split(key.substr(kSettlementsRoot.size()), '/');
      if (parts.size() > 2) out.settled.insert({std::string(parts[0]), std::string(parts[1])});
    }
    if (key.starts_with(kOpenPointsRoot) && key.ends_with(kOpenPointsEnding)) {
      const std::string_view name = key.substr(0, key.size() - kOpenPointsEnding.size());
      const auto parts = Split(name.substr(kOpenPointsRoot.size()), '/');
      if (parts.size() == 2) out.with_open_points.insert({std::string(parts[0]), std::string(parts[1])});
    }
  }
  return out;
}

}  // namespace tidegate::ingest
