#include "tidegate/store/local/folder_tree.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "tidegate/base/text.h"
#include "tidegate/store/local/errno_status.h"

namespace tidegate::store {
namespace {

constexpr int kSafeFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr int kFolderFlags = O_PATH | O_DIRECTORY;
constexpr int kMaxAttempts = 100;  // folders may be made and removed by others meanwhile

OpenedFd OpenWithOpenat2(int folder, const std::string& path, int flags) {
  open_how how{};
  // O_PATH takes only few flags with it, and openat2, unlike openat, minds. O_NOFOLLOW would weaken
  // RESOLVE_NO_SYMLINKS: O_PATH would open a last symlink itself.
  const int extra = (flags & O_PATH) != 0 ? O_CLOEXEC : kSafeFlags & ~O_NOFOLLOW;
  how.flags = static_cast<uint64_t>(flags | extra);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  for (;;) {
    const long fd = syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0) return {UniqueFd(static_cast<int>(fd)), 0};
    if (errno != EINTR && errno != EAGAIN) return {UniqueFd(), errno};  // EAGAIN: something was renamed meanwhile
  }
}

bool KernelHasOpenat2(int root) { return OpenWithOpenat2(root, ".", kFolderFlags).error == 0; }

// An O_DIRECTORY open answers ENOTDIR for a symlink too; the message should know which it was.
int ErrorOfStep(int folder, const char* name, int error) {
  struct stat found {};
  if (error != ENOTDIR || fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return error;
  return S_ISLNK(found.st_mode) ? ELOOP : error;
}

OpenedFd OpenStepByStep(int folder, std::string_view path, int flags) {
  const std::vector<std::string_view> segments = Split(path, '/');
  UniqueFd above;
  int at = folder;
  for (size_t i = 0; i < segments.size(); ++i) {
    const std::string name(segments[i]);
    const bool last = i + 1 == segments.size();
    OpenedFd next = OpenSegment(at, name.c_str(), (last ? flags : kFolderFlags) | kSafeFlags, 0);
    if (next.error != 0) return {UniqueFd(), ErrorOfStep(at, name.c_str(), next.error)};
    above = std::move(next.fd);
    at = above.get();
  }
  return {std::move(above), 0};
}

Status MakeRoot(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return ErrnoStatus(error.value(), "cannot create the folder of a store", path);
  return Status::Ok();
}

Status RootError(int error, const std::string& path) {
  constexpr std::string_view kFailed = "cannot open the folder of a store";
  if (error == ENOENT) {
    return NotFound(std::string(kFailed) + ": " + Quoted(path, 1200) + ": there is no such folder; check the path");
  }
  if (error == ENOTDIR) {
    return InvalidArgument(std::string(kFailed) + ": " + Quoted(path, 1200) + ": it is not a folder; check the path");
  }
  return ErrnoStatus(error, kFailed, path);
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void UniqueFd::Close() {
  if (fd_ >= 0) close(fd_);  // Linux frees the number even on EINTR: never repeat
  fd_ = -1;
}

OpenedFd OpenSegment(int folder, const char* name, int flags, unsigned mode) {
  for (;;) {
    const int fd = openat(folder, name, flags | O_CLOEXEC, mode);
    if (fd >= 0) return {UniqueFd(fd), 0};
    if (errno != EINTR) return {UniqueFd(), errno};
  }
}

OpenedFd OpenBeneath(int folder, std::string_view path, int flags, bool portable) {
  return portable ? OpenStepByStep(folder, path, flags) : OpenWithOpenat2(folder, std::string(path), flags);
}

std::pair<std::string_view, std::string_view> SplitLast(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

Result<FolderTree> FolderTree::Open(const std::string& path, bool create, bool portable) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return InvalidArgument("cannot open the folder of a store: " + Quoted(path) + ": not a path");
  }
  if (create) TG_RETURN_IF_ERROR(MakeRoot(path));
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  if (real == nullptr) return RootError(errno, path);
  OpenedFd root = OpenSegment(AT_FDCWD, real.get(), O_RDONLY | O_DIRECTORY, 0);
  if (root.error != 0) return RootError(root.error, path);
  std::string resolved = real.get();
  if (resolved == "/") resolved.clear();
  const bool step_by_step = portable || !KernelHasOpenat2(root.fd.get());
  return FolderTree(std::move(root.fd), std::move(resolved), step_by_step);
}

OpenedFd FolderTree::OpenAt(std::string_view relative, int flags) const {
  return OpenBeneath(root(), relative, flags, portable_);
}

OpenedFd FolderTree::OpenFolder(std::string_view relative, bool create) const {
  OpenedFd opened = OpenAt(relative.empty() ? "." : relative, kFolderFlags);
  if (opened.error != ENOENT || !create || relative.empty()) return opened;
  for (int attempt = 0; attempt < kMaxAttempts && opened.error == ENOENT; ++attempt) opened = MakeFolders(relative);
  return opened;
}

OpenedFd FolderTree::MakeFolders(std::string_view relative) const {
  UniqueFd above;
  int at = root();
  for (const std::string_view segment : Split(relative, '/')) {
    const std::string name(segment);
    if (mkdirat(at, name.c_str(), 0777) != 0 && errno != EEXIST) return {UniqueFd(), errno};
    OpenedFd next = OpenBeneath(at, name, kFolderFlags, portable_);
    if (next.error != 0) return next;
    above = std::move(next.fd);
    at = above.get();
  }
  return {std::move(above), 0};
}

void FolderTree::RemoveEmptyFolders(std::string_view relative) const {
  while (!relative.empty()) {
    const auto [above, name] = SplitLast(relative);
    const OpenedFd folder = OpenFolder(above, false);
    if (folder.error != 0) return;
    // Fails where something is inside, which is how the kernel decides the race with a writer.
    if (unlinkat(folder.fd.get(), std::string(name).c_str(), AT_REMOVEDIR) != 0) return;
    relative = above;
  }
}

}  // namespace tidegate::store
