// Listing a folder tree as a bucket: keys in byte order, folders folded where asked.
//
// Cost: reads only the folders whose keys can be in the answer. A folded prefix costs the walk to its first object.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "tidegate/store/local/folder_tree.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

/// Warns once per store and kind about what a folder holds that is not an object. Threads: safe.
class SkipWarnings {
 public:
  void Symlink(const std::string& path);
  void Special(const std::string& path);
  void BadName(const std::string& path);

 private:
  void Once(bool* done, const std::string& path, std::string_view what);
  std::mutex mutex_;
  bool symlink_ = false, special_ = false, bad_name_ = false;
};

Result<Listing> ListTree(const FolderTree& tree, const ListRequest& request, SkipWarnings& warnings);

/// The object as a listing shows it. Its ETag is its time of modification in nanoseconds and its size, in hex: what
/// `cp -p` and `rsync -a` keep when a bucket moves, and what changes when an object is replaced or written to.
ObjectInfo InfoOf(std::string_view key, const struct stat& file);

}  // namespace tidegate::store
