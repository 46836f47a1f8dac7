// Where the rows lie that tables could not take: the reject files of folders whose rows a table holds (C-23). Those of
// folders that left the table, by a reseed or a rebuild, do not count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::status {

struct RejectFiles {
  contract::TableName table;
  std::vector<std::string> keys;  // in the lake, in the order of C-20
};

/// Of one table ("shop.orders") or of all; tables without any are left out.
/// Errors: NotFound where the named table is not in the lake; Corruption where a checkpoint cannot be read.
Result<std::vector<RejectFiles>> FindRejectFiles(store::ObjectStore& lake, const std::optional<std::string>& only);

}  // namespace tidegate::status
