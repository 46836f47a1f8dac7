// A listing out of all that lies below a folder. Pure: Arrow can ask for a folder and what is below it, and for nothing
// finer, so the text prefix, the start, the folding and the end of a listing are applied here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidegate/store/object_store.h"

namespace tidegate::store {

/// The deepest folder that holds all keys of a text prefix: "a/b" of "a/b/c", "a/b" of "a/b/", "" of "a".
std::string FolderOfPrefix(std::string_view prefix);

/// What of `found` (in any order, keys of the store) the request asks for.
Listing MakeListing(std::vector<ObjectInfo> found, const ListRequest& request);

}  // namespace tidegate::store
