// ManifestWatch: did a manifest appear or change since the last look? One listing answers that, with none of the
// bucket's folders listed and no manifest read.
//
// A manifest is written after the folders it names, and again when a late table lands (C-33): so a change there means
// that something can be read. A folder that is sealed without a manifest is not noticed here: that is for the sweeps.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::app {

class ManifestWatch {
 public:
  /// Look at the manifests of `from_date` and later ("": all), of v2, and where v2 is not in use yet of v1 as well.
  /// True where one is new or differs. Errors: the listing failed; nothing is taken as seen then.
  /// Cost: one request, or two, for each 1,000 manifests since `from_date`.
  Result<bool> Look(store::ObjectStore& bucket, contract::Version in_use, const std::string& from_date);

  /// The newest delivery up to `latest` that has a manifest. One from the future (a clock that is wrong, a key that is
  /// made up) must not hide those that are due.
  std::optional<contract::Delivery> Newest(const contract::Delivery& latest) const;

 private:
  std::map<std::string, std::string> seen_;  // key → ETag, of every key below _manifests/
};

}  // namespace tidegate::app
