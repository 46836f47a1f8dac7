#include "tidegate/store/local/temp_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "tidegate/base/hash.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/store/local/errno_status.h"

namespace tidegate::store {
namespace {

int Lock(int folder, int how) {
  for (;;) {
    if (flock(folder, how | LOCK_NB) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

std::vector<std::string> NamesIn(int folder) {
  std::vector<std::string> names;
  DIR* const stream = fdopendir(fcntl(folder, F_DUPFD_CLOEXEC, 0));
  if (stream == nullptr) return names;
  while (const dirent* entry = readdir(stream)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(stream);
  return names;
}

// Requires: the exclusive lock.
void RemoveLeftovers(int folder) {
  size_t removed = 0;
  for (const std::string& name : NamesIn(folder)) {
    if (unlinkat(folder, name.c_str(), 0) == 0) ++removed;
  }
  if (removed > 0) Log(LogLevel::kDebug, "removed unfinished files of stopped runs: " + std::to_string(removed));
}

// A sweep by another process holds the exclusive lock for as long as some unlinks take.
Status WaitForSharedLock(int folder, const std::string& path) {
  constexpr int kMaxTries = 5000;
  for (int i = 0; i < kMaxTries; ++i) {
    if (Lock(folder, LOCK_SH) != EWOULDBLOCK) return Status::Ok();  // other errors: a file system without locks
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Unavailable("cannot use the folder of temporary files: " + Quoted(path, 1200) +
                     ": another process holds a lock on it; stop that process or run again later");
}

}  // namespace

TempName::~TempName() {
  // Also after a rename: onto another link of the same file it does nothing and leaves this name.
  if (folder_.valid()) unlinkat(folder_.get(), name_.c_str(), 0);
}

Result<TempName> TempFolder::Reserve() {
  TG_ASSIGN_OR_RETURN(UniqueFd folder, OpenLocked());
  const Hash128 random{RandomBits(), RandomBits()};
  return TempName(std::move(folder), random.ToHex());
}

Result<UniqueFd> TempFolder::OpenLocked() {
  constexpr std::string_view kFailed = "cannot use the folder of temporary files";
  const std::string path = tree_.path() + "/" + std::string(kTempFolderName);
  const std::lock_guard lock(mutex_);
  if (OpenedFd made = tree_.OpenFolder(kTempFolderName, true); made.error != 0) {
    return ErrnoStatus(made.error, kFailed, path);
  }
  OpenedFd folder = tree_.OpenAt(kTempFolderName, O_RDONLY | O_DIRECTORY);
  if (folder.error != 0) return ErrnoStatus(folder.error, kFailed, path);
  if (!swept_ && Lock(folder.fd.get(), LOCK_EX) == 0) {
    RemoveLeftovers(folder.fd.get());
    Lock(folder.fd.get(), LOCK_UN);
  }
  swept_ = true;
  TG_RETURN_IF_ERROR(WaitForSharedLock(folder.fd.get(), path));
  return std::move(folder.fd);
}

}  // namespace tidegate::store
