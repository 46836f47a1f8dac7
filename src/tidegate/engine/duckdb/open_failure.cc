#include "tidegate/engine/duckdb/open_failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>

#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/duckdb_error.h"

namespace tidegate::engine {
namespace {

constexpr std::string_view kMagic = "DUCK";  // of DuckDB's files, after an 8-byte checksum
constexpr off_t kMagicOffset = 8;

class FileHandle {
 public:
  explicit FileHandle(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~FileHandle() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// Does another process hold a lock that stands against ours? Asks only; takes none.
bool LockedByAnother(int fd, bool read_only) {
  struct flock lock = {};
  lock.l_type = static_cast<short>(read_only ? F_RDLCK : F_WRLCK);
  lock.l_whence = SEEK_SET;
  return ::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool HasMagic(int fd) {
  std::array<char, kMagic.size()> bytes = {};
  const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), kMagicOffset);
  return got == static_cast<ssize_t>(bytes.size()) && std::string_view(bytes.data(), bytes.size()) == kMagic;
}

Status MissingFile(const std::string& name, const std::string& path, bool read_only) {
  if (read_only) return NotFound("cannot open database: there is no such file: " + name);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (!parent.empty() && ::access(parent.c_str(), F_OK) != 0) {
    return NotFound("cannot create database: its folder does not exist: " + name);
  }
  return PermissionDenied("cannot create database: the folder is not writable: " + name);
}

}  // namespace

Status OpenFailure(const std::string& path, bool read_only, std::string_view message) {
  const std::string name = Quoted(path);
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == EACCES) return PermissionDenied("cannot open database: its folder may not be read: " + name);
    return MissingFile(name, path, read_only);
  }
  if (!S_ISREG(info.st_mode)) return InvalidArgument("cannot open database: this is not a file: " + name);
  const FileHandle file(path);
  if (file.fd() < 0 || (!read_only && ::access(path.c_str(), W_OK) != 0)) {
    return PermissionDenied("cannot open database: no permission for this file: " + name);
  }
  if (LockedByAnother(file.fd(), read_only)) {
    return Unavailable("cannot open database: another process holds it open; try again once that is done: " + name);
  }
  if (!HasMagic(file.fd())) return Corruption("cannot open database: this is not a DuckDB database file: " + name);
  return DuckDbError(DUCKDB_ERROR_SERIALIZATION, message).WithContext("cannot open database " + name);
}

}  // namespace tidegate::engine
