#include "tidegate/store/local/local_object_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <limits>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/store/local/errno_status.h"
#include "tidegate/store/local/local_listing.h"

namespace tidegate::store {
namespace {

constexpr std::string_view kCannotOpen = "cannot open object";

std::string PathOf(const FolderTree& tree, std::string_view key) { return tree.path() + "/" + std::string(key); }

std::string KindOf(const struct stat& file) {
  if (S_ISLNK(file.st_mode)) return "a symlink";
  if (S_ISFIFO(file.st_mode)) return "a fifo";
  if (S_ISSOCK(file.st_mode)) return "a socket";
  return "a device";
}

Status CheckRegular(const struct stat& file, const std::string& path) {
  if (S_ISREG(file.st_mode)) return Status::Ok();
  if (S_ISDIR(file.st_mode)) return ReadErrnoStatus(ENOENT, kCannotOpen, path);
  return Unsupported(std::string(kCannotOpen) + ": " + Quoted(path, 1200) + ": it is " + KindOf(file) +
                     ", not a regular file; put the real file there or remove it");
}

Result<ObjectFile> Opened(OpenedFd opened, const std::string& path) {
  if (opened.error != 0) return ReadErrnoStatus(opened.error, kCannotOpen, path);
  ObjectFile file{std::move(opened.fd), {}};
  if (fstat(file.fd.get(), &file.stat) != 0) return ErrnoStatus(errno, kCannotOpen, path);
  TG_RETURN_IF_ERROR(CheckRegular(file.stat, path));
  return file;
}

bool SameTime(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

Status Changed(const std::string& path, std::string_view how) {
  return PreconditionFailed("cannot read object: " + Quoted(path, 1200) + ": " + std::string(how) +
                            " while it was in use; plan again");
}

Result<struct stat> StatUnwritten(int fd, const struct stat& before, const std::string& path) {
  struct stat now {};
  if (fstat(fd, &now) != 0) return ErrnoStatus(errno, "cannot read object", path);
  if (now.st_size == before.st_size && SameTime(now.st_mtim, before.st_mtim)) return now;
  return Changed(path, "its file was changed in place");
}

class LocalReader final : public RandomReader {
 public:
  LocalReader(const FolderTree& tree, std::string_view key, ObjectFile file)
      : tree_(tree), file_(std::move(file)), info_(InfoOf(key, file_.stat)) {}

  const ObjectInfo& info() const override { return info_; }

  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
    const std::string path = PathOf(tree_, info_.key);
    if (offset >= info_.size_bytes) out = {};
    if (out.size() > info_.size_bytes - std::min(offset, info_.size_bytes)) out = out.first(info_.size_bytes - offset);
    TG_ASSIGN_OR_RETURN(const size_t read, ReadFully(file_.fd.get(), offset, out, path));
    // After the read: the kernel moves the time before it changes the bytes.
    TG_RETURN_IF_ERROR(CheckUnchanged(path));
    return read;
  }

 private:
  Status CheckUnchanged(const std::string& path) const {
    TG_ASSIGN_OR_RETURN(const struct stat now, StatUnwritten(file_.fd.get(), file_.stat, path));
    // Losing or getting a name moves the time of change, and the number of names.
    const bool untouched = SameTime(now.st_ctim, file_.stat.st_ctim) && now.st_nlink == file_.stat.st_nlink;
    return untouched ? Status::Ok() : CheckInPlace(path);
  }

  Status CheckInPlace(const std::string& path) const {
    TG_ASSIGN_OR_RETURN(const ObjectFile there, OpenObjectFile(tree_, info_.key, true));
    const bool same = there.stat.st_dev == file_.stat.st_dev && there.stat.st_ino == file_.stat.st_ino;
    return same ? Status::Ok() : Changed(path, "it was replaced");
  }

  const FolderTree& tree_;
  const ObjectFile file_;
  const ObjectInfo info_;
};

class LocalWriter final : public ObjectWriter {
 public:
  LocalWriter(const FolderTree& tree, std::string_view key, PutMode mode, PendingFile file)
      : tree_(tree), key_(key), mode_(mode), file_(std::move(file)) {}

  Status Append(std::string_view bytes) override {
    TG_RETURN_IF_ERROR(state_);
    size_bytes_ += bytes.size();
    if (buffer_.size() + bytes.size() <= kBufferBytes) {
      buffer_.append(bytes);
      return Status::Ok();
    }
    state_ = Flush();
    if (state_.ok()) state_ = file_.Write(bytes);
    return state_;
  }

  uint64_t size_bytes() const override { return size_bytes_; }

  Result<ObjectInfo> Finish() override {
    TG_RETURN_IF_ERROR(state_);
    state_ = Flush();
    TG_RETURN_IF_ERROR(state_);
    state_ = Internal("cannot write object: " + Quoted(key_) + ": its writer was already finished");
    TG_ASSIGN_OR_RETURN(const ObjectInfo info, StampFile(file_.fd(), key_, PathOf(tree_, key_)));
    TG_RETURN_IF_ERROR(file_.Publish(key_, mode_));
    return info;
  }

 private:
  static constexpr size_t kBufferBytes = 256 << 10;

  Status Flush() {
    const Status written = file_.Write(buffer_);
    buffer_.clear();
    return written.ok() ? written : written.WithContext("cannot write object " + Quoted(key_));
  }

  const FolderTree& tree_;
  const std::string key_;
  const PutMode mode_;
  PendingFile file_;
  std::string buffer_;
  uint64_t size_bytes_ = 0;
  Status state_;  // the first failure stays
};

}  // namespace

Status CheckLocalKey(std::string_view key) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  if (key.substr(0, key.find('/')) != kTempFolderName) return Status::Ok();
  return InvalidArgument("not a usable object key: " + Quoted(key) + ": this name is kept for temporary files");
}

Result<ObjectFile> OpenObjectFile(const FolderTree& tree, std::string_view key, bool look_only) {
  return Opened(tree.OpenAt(key, look_only ? O_PATH : O_RDONLY), PathOf(tree, key));
}

Result<ObjectFile> OpenForeignFile(const std::string& path, bool portable) {
  OpenedFd top = OpenSegment(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0);
  if (top.error != 0) return ErrnoStatus(top.error, kCannotOpen, path);
  const std::string_view relative = std::string_view(path).substr(path.starts_with('/') ? 1 : 0);
  return Opened(OpenBeneath(top.fd.get(), relative, O_RDONLY, portable), path);
}

Status CheckSeen(const struct stat& file, const ObjectInfo& seen, const std::string& path) {
  if (seen.etag.empty() || InfoOf(seen.key, file).etag == seen.etag) return Status::Ok();
  return PreconditionFailed("cannot open object: " + Quoted(path, 1200) +
                            ": it is not the one that was seen before; plan again");
}

Status CheckUnwritten(int fd, const struct stat& before, const std::string& path) {
  return StatUnwritten(fd, before, path).status();
}

Result<size_t> ReadFully(int fd, uint64_t offset, std::span<char> out, const std::string& path) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t read = pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return ErrnoStatus(errno, "cannot read object", path);
    if (read == 0) break;
    done += static_cast<size_t>(read);
  }
  return done;
}

std::unique_ptr<RandomReader> NewLocalReader(const FolderTree& tree, std::string_view key, ObjectFile file) {
  return std::make_unique<LocalReader>(tree, key, std::move(file));
}

Result<ObjectInfo> StampFile(int fd, std::string_view key, const std::string& path) {
  // The kernel's own stamp may be some milliseconds coarse: too coarse to tell two generations of one size apart.
  timespec times[2] = {{0, UTIME_OMIT}, {0, 0}};
  clock_gettime(CLOCK_REALTIME, &times[1]);
  struct stat written {};
  if (futimens(fd, times) != 0 || fstat(fd, &written) != 0) return ErrnoStatus(errno, "cannot write object", path);
  return InfoOf(key, written);
}

Result<std::unique_ptr<ObjectWriter>> NewLocalWriter(const FolderTree& tree, TempFolder& temp, std::string_view key,
                                                     PutMode mode) {
  TG_RETURN_IF_ERROR(CheckLocalKey(key));
  TG_ASSIGN_OR_RETURN(PendingFile file, PendingFile::Create(tree, temp));
  return std::unique_ptr<ObjectWriter>(std::make_unique<LocalWriter>(tree, key, mode, std::move(file)));
}

}  // namespace tidegate::store
