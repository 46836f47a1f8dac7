#include "tidegate/store/local/pending_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "tidegate/base/text.h"
#include "tidegate/store/local/errno_status.h"

namespace tidegate::store {
namespace {

constexpr std::string_view kFailed = "cannot write object";
constexpr int kMaxAttempts = 100;  // a folder of the key may vanish between making and using it

enum class Occupant { kNone, kFile, kFolder, kSymlink, kSpecial };

Occupant OccupantOf(int folder, const char* name) {
  struct stat found {};
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return Occupant::kNone;
  if (S_ISREG(found.st_mode)) return Occupant::kFile;
  if (S_ISDIR(found.st_mode)) return Occupant::kFolder;
  return S_ISLNK(found.st_mode) ? Occupant::kSymlink : Occupant::kSpecial;
}

int LinkFd(int fd, int folder, const char* name) {
  const std::string self = "/proc/self/fd/" + std::to_string(fd);
  if (linkat(AT_FDCWD, self.c_str(), folder, name, AT_SYMLINK_FOLLOW) == 0) return 0;
  if (errno != ENOENT) return errno;
  // Perhaps /proc is not mounted. This other way needs a capability in kernels before 6.10.
  return linkat(fd, "", folder, name, AT_EMPTY_PATH) == 0 ? 0 : errno;
}

int MoveToFreeName(const TempName& from, int folder, const char* name) {
  if (renameat2(from.folder(), from.name(), folder, name, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The old name goes with TempName.
  return linkat(from.folder(), from.name(), folder, name, 0) == 0 ? 0 : errno;
}

// One way to put a file to a name; tells by errno.
class Placer {
 public:
  Placer(TempFolder& temp, int fd, const TempName* name) : temp_(temp), fd_(fd), name_(name) {}

  int PlaceFree(int folder, const char* name) const {
    return name_ != nullptr ? MoveToFreeName(*name_, folder, name) : LinkFd(fd_, folder, name);
  }

  // Requires: what is there is a file. Ok, or `error` is set, or a Status where there was no temporary name.
  Status PlaceOver(int folder, const char* name, int* error) const {
    if (name_ != nullptr) return Rename(*name_, folder, name, error);
    TG_ASSIGN_OR_RETURN(const TempName temp, temp_.Reserve());
    *error = LinkFd(fd_, temp.folder(), temp.name());
    if (*error != 0) return Status::Ok();
    return Rename(temp, folder, name, error);
  }

 private:
  static Status Rename(const TempName& from, int folder, const char* name, int* error) {
    *error = renameat(from.folder(), from.name(), folder, name) == 0 ? 0 : errno;
    return Status::Ok();
  }

  TempFolder& temp_;
  int fd_;
  const TempName* name_;
};

std::string PathOf(const FolderTree& tree, std::string_view key) { return tree.path() + "/" + std::string(key); }

Status Taken(const FolderTree& tree, std::string_view key) {
  return AlreadyExists("cannot create object: " + Quoted(PathOf(tree, key), 1200) + ": there is one already");
}

struct Attempt {
  Status status{};
  int error = 0;       // of the system call, where status is Ok
  bool again = false;  // the place changed meanwhile
};

Attempt PlaceOnTaken(const Placer& placer, const FolderTree& tree, int folder, std::string_view key, PutMode mode) {
  const std::string name(SplitLast(key).second);
  switch (OccupantOf(folder, name.c_str())) {
    case Occupant::kNone:
      return {.again = true};
    case Occupant::kFolder:  // an empty folder is nothing to a bucket
      if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0) return {.again = true};
      return {.error = EISDIR};
    case Occupant::kSymlink:
      return {.error = ELOOP};
    case Occupant::kSpecial:
      return {.error = ENXIO};
    case Occupant::kFile:
      break;
  }
  if (mode == PutMode::kCreateOnly) return {.status = Taken(tree, key)};
  Attempt attempt;
  attempt.status = placer.PlaceOver(folder, name.c_str(), &attempt.error);
  attempt.again = attempt.error == ENOENT;
  return attempt;
}

Attempt PlaceOnce(const Placer& placer, const FolderTree& tree, std::string_view key, PutMode mode) {
  const auto [above, name] = SplitLast(key);
  const OpenedFd folder = tree.OpenFolder(above, true);
  if (folder.error != 0) return {.error = folder.error, .again = folder.error == ENOENT};
  const int error = placer.PlaceFree(folder.fd.get(), std::string(name).c_str());
  if (error == EEXIST) return PlaceOnTaken(placer, tree, folder.fd.get(), key, mode);
  return {.error = error, .again = error == ENOENT};
}

Attempt Place(const Placer& placer, const FolderTree& tree, std::string_view key, PutMode mode) {
  Attempt attempt{.again = true};
  for (int i = 0; i < kMaxAttempts && attempt.again; ++i) attempt = PlaceOnce(placer, tree, key, mode);
  if (attempt.again && attempt.error == 0 && attempt.status.ok()) {
    attempt.status = Unavailable(std::string(kFailed) + ": " + Quoted(PathOf(tree, key), 1200) +
                                 ": other programs keep changing this place; run again");
  }
  return attempt;
}

bool LacksUnnamedFiles(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == ENOENT || error == EINVAL;
}

}  // namespace

Result<PendingFile> PendingFile::Create(const FolderTree& tree, TempFolder& temp) {
  constexpr std::string_view kNoFile = "cannot create a file in";
  constexpr unsigned kMode = 0666;  // the umask takes its part
  if (!tree.portable()) {
    OpenedFd unnamed = OpenSegment(tree.root(), ".", O_TMPFILE | O_RDWR, kMode);
    if (unnamed.error == 0) return PendingFile(tree, temp, std::move(unnamed.fd), std::nullopt);
    if (!LacksUnnamedFiles(unnamed.error)) return ErrnoStatus(unnamed.error, kNoFile, tree.path());
  }
  TG_ASSIGN_OR_RETURN(TempName name, temp.Reserve());
  OpenedFd named = OpenSegment(name.folder(), name.name(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, kMode);
  if (named.error != 0) return ErrnoStatus(named.error, kNoFile, tree.path());
  return PendingFile(tree, temp, std::move(named.fd), std::move(name));
}

Status PendingFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd(), bytes.data(), std::min<size_t>(bytes.size(), 1 << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, "cannot write to a file in", tree_->path());
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Status::Ok();
}

Status PendingFile::Publish(std::string_view key, PutMode mode) {
  const Placer placer(*temp_, fd(), name_ ? &*name_ : nullptr);
  const Attempt attempt = Place(placer, *tree_, key, mode);
  TG_RETURN_IF_ERROR(attempt.status);
  return attempt.error == 0 ? Status::Ok() : ErrnoStatus(attempt.error, kFailed, PathOf(*tree_, key));
}

LinkOutcome LinkAs(const FolderTree& tree, TempFolder& temp, int fd, std::string_view key) {
  const Placer placer(temp, fd, nullptr);
  const Attempt attempt = Place(placer, tree, key, PutMode::kOverwrite);
  const int error = attempt.error;
  if (!attempt.status.ok() || error == 0) return {attempt.status, 0};
  const bool refused = error == EXDEV || error == EPERM || error == EACCES || error == EMLINK || error == EOPNOTSUPP ||
                       error == ENOENT;  // ENOENT: the source lost its last name; the copy finds out
  if (refused) return {Status::Ok(), error};
  return {ErrnoStatus(error, "cannot link object", PathOf(tree, key)), 0};
}

}  // namespace tidegate::store
