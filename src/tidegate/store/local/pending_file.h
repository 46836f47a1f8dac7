// PendingFile: a file being written that is no object yet, and the step that makes it one.
//
// The file has no name (O_TMPFILE): when the process dies, the kernel frees it. Publishing is one link(2) where the key
// is free, which is also what makes kCreateOnly exact; over an older object it is a link to a temporary name and a
// rename. File systems without unnamed files get a named one in TempFolder.
//
// Threads: one file is used from one thread at a time.
#pragma once

#include <optional>
#include <string_view>

#include "tidegate/store/local/folder_tree.h"
#include "tidegate/store/local/temp_folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

class PendingFile {
 public:
  static Result<PendingFile> Create(const FolderTree& tree, TempFolder& temp);

  int fd() const { return fd_.get(); }
  /// Write all bytes at the current end.
  Status Write(std::string_view bytes);
  /// Give the file its place. Its content is final. Errors: AlreadyExists (kCreateOnly).
  Status Publish(std::string_view key, PutMode mode);

 private:
  PendingFile(const FolderTree& tree, TempFolder& temp, UniqueFd fd, std::optional<TempName> name)
      : tree_(&tree), temp_(&temp), name_(std::move(name)), fd_(std::move(fd)) {}

  const FolderTree* tree_;
  TempFolder* temp_;
  std::optional<TempName> name_;  // on file systems without unnamed files
  UniqueFd fd_;
};

/// Give an open file, which has a name elsewhere on the file system, `key` as a further name.
/// Returns the errno of link(2) where linking is not possible, so that the caller can copy instead.
struct LinkOutcome {
  Status status;
  int refused = 0;  // EXDEV, EPERM, EMLINK …: status is Ok and nothing was done
};
LinkOutcome LinkAs(const FolderTree& tree, TempFolder& temp, int fd, std::string_view key);

}  // namespace tidegate::store
