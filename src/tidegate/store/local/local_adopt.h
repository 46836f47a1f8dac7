// Adopting a file of this machine: reflink, hard link or copy.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/store/local/folder_tree.h"
#include "tidegate/store/local/temp_folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

struct Adopted {
  ObjectInfo info;
  AdoptMethod method;
};

/// Bring the file at `path` (no symlinks in it) into the tree as `key`, the cheapest way that works.
/// Errors: NotFound, PreconditionFailed where it is not `source` or changes meanwhile; then `key` is as before, except
/// for a hard link to a file that changed in the very moment: then it is removed.
Result<Adopted> AdoptFile(const FolderTree& tree, TempFolder& temp, const std::string& path, const ObjectInfo& source,
                          std::string_view key);

}  // namespace tidegate::store
