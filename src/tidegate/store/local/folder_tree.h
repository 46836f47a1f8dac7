// FolderTree: the tree of files under one root, reached without ever leaving it.
//
// Guarantees
// - No path operation follows a symlink below the root or crosses "..": openat2(2) with RESOLVE_BENEATH and
//   RESOLVE_NO_SYMLINKS, or one O_NOFOLLOW step per segment where the kernel lacks it. The root itself may be a
//   symlink; it is resolved once.
// - Opening never hangs on a fifo (O_NONBLOCK).
//
// Not here: which names are objects (LocalObjectStore), how errors read (errno_status.h). Functions return errno
// values.
//
// Threads: safe.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <utility>

#include "tidegate/base/status.h"

namespace tidegate::store {

/// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { Close(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

/// An open file, or the errno that says why not.
struct OpenedFd {
  UniqueFd fd;
  int error = 0;
};

/// Open `path` (relative, no "..") below `folder` without following symlinks. O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK and
/// O_NOCTTY are added. `portable`: without openat2.
OpenedFd OpenBeneath(int folder, std::string_view path, int flags, bool portable);

/// openat(2) of one segment, repeated on EINTR.
OpenedFd OpenSegment(int folder, const char* name, int flags, unsigned mode);

class FolderTree {
 public:
  /// Open the root. Errors: NotFound where it is missing (unless `create`), InvalidArgument where it is not a folder.
  static Result<FolderTree> Open(const std::string& path, bool create, bool portable);

  int root() const { return root_.get(); }
  /// Absolute, symlinks resolved, no '/' at the end.
  const std::string& path() const { return path_; }
  bool portable() const { return portable_; }

  OpenedFd OpenAt(std::string_view relative, int flags) const;
  /// A folder as O_PATH; "" is the root. `create`: with all folders above it, as the umask allows.
  OpenedFd OpenFolder(std::string_view relative, bool create) const;
  /// Remove the folder and the ones above it as long as they are empty. Never the root.
  void RemoveEmptyFolders(std::string_view relative) const;

 private:
  FolderTree(UniqueFd root, std::string path, bool portable)
      : root_(std::move(root)), path_(std::move(path)), portable_(portable) {}
  OpenedFd MakeFolders(std::string_view relative) const;

  UniqueFd root_;
  std::string path_;
  bool portable_;
};

/// "a/b/c" → {"a/b", "c"}; "c" → {"", "c"}.
std::pair<std::string_view, std::string_view> SplitLast(std::string_view path);

}  // namespace tidegate::store
