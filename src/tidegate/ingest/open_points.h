// What the last run could not apply to a table, and since when: written down so that `status` can tell of it without
// trying again. Derived; lost, the next run writes it again. Format: docs/formats/open-points.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

struct OpenPoint {
  contract::Folder folder;
  std::string fingerprint;  // of the folder when it was tried
  bool held = false;        // by the shrink guard (C-29)
  bool cold = false;        // waits for cold storage (C-43); neither: a gap (C-15)
  std::string reason;       // of a gap: "broken", "type", …; of a cold one: "frozen", "thawing"
  std::string message;      // of a gap
  int64_t rows_before = 0;  // of a held copy
  int64_t rows_now = 0;
  int64_t objects = 0;  // of a cold one: that cannot be read
  int64_t bytes = 0;
  UtcTime since;  // of the first run that found it so
  friend bool operator==(const OpenPoint&, const OpenPoint&) = default;
};

/// Of one table, in the order of its folders.
using OpenPoints = std::vector<OpenPoint>;

inline constexpr std::string_view kOpenPointsRoot = "_tidegate/open/";
inline constexpr std::string_view kOpenPointsEnding = ".json";

/// "_tidegate/open/shop/orders.json".
std::string OpenPointsKey(const contract::TableName& table);

/// What was found and since when, as fields of the lake's object and of reports alike.
void AddDetails(const OpenPoint& point, OrderedJson& out);

std::string WriteOpenPoints(const OpenPoints& points);

/// Errors: Corruption, Unsupported (a newer format), InvalidArgument (no folder of the contract).
Result<OpenPoints> ParseOpenPoints(std::string_view text);

/// Those found now; where one was found before, and the folder holds the same, it stays open since then.
OpenPoints KeepSince(OpenPoints found, const OpenPoints& before);

/// None where the object does not exist. Errors: as ParseOpenPoints, naming the object; of the store.
Result<OpenPoints> LoadOpenPoints(store::ObjectStore& lake, const contract::TableName& table);

/// Make the lake's object say just this; touches nothing where it does. Errors: of the store.
Status NoteOpenPoints(store::ObjectStore& lake, const contract::TableName& table, bool had_any, OpenPoints found);

}  // namespace tidegate::ingest
