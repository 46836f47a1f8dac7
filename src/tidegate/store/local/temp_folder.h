// TempFolder: the hidden folder `.tidegate-tmp/` at a store's root, for the short moments in which a file that is not
// yet an object needs a name: before it is renamed over an older object, or on file systems without unnamed files.
//
//   <root>/.tidegate-tmp/<32 hex digits>
//
// Guarantees
// - Made when first needed: reading a bucket writes nothing.
// - Whoever has a name in there holds a shared flock(2) on the folder. The first use by a store tries the exclusive
//   lock; who gets it knows that every file inside was left by a dead process, and removes them. The kernel drops a
//   lock with its process, so nothing has to be guessed from process ids or ages. Where the file system has no flock,
//   leftovers stay until someone removes them.
//
// Threads: safe.
#pragma once

#include <mutex>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/store/local/folder_tree.h"

namespace tidegate::store {

inline constexpr std::string_view kTempFolderName = ".tidegate-tmp";

/// A name in the temp folder that is free or ours. Whatever has that name goes with this object.
class TempName {
 public:
  TempName() = default;
  TempName(UniqueFd folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}
  TempName(TempName&&) = default;
  TempName& operator=(TempName&&) = delete;
  ~TempName();
  int folder() const { return folder_.get(); }
  const char* name() const { return name_.c_str(); }

 private:
  UniqueFd folder_;  // holds the lock
  std::string name_;
};

class TempFolder {
 public:
  explicit TempFolder(const FolderTree& tree) : tree_(tree) {}
  Result<TempName> Reserve();

 private:
  Result<UniqueFd> OpenLocked();

  const FolderTree& tree_;
  std::mutex mutex_;
  bool swept_ = false;
};

}  // namespace tidegate::store
