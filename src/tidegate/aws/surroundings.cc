#include "tidegate/aws/surroundings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tidegate/aws/command.h"
#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

Status FileError(std::string_view what, const std::string& path) {
  const int error = errno;
  const std::string message = std::string(what) + ": " + Quoted(path) + ": " + std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) return NotFound(message);
  return PermissionDenied(message + "; give the user that runs tidegate access to it");
}

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts = {};
  if (file.fd() < 0 || fstat(file.fd(), &facts) != 0) return FileError("cannot read the file", path);
  if (S_ISDIR(facts.st_mode)) return NotFound("cannot read the file: " + Quoted(path) + ": it is a folder");
  std::string out(max_bytes + 1, '\0');
  size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = read(file.fd(), out.data() + filled, out.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError("cannot read the file", path);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  if (filled > max_bytes) {
    return InvalidArgument("the file is larger than " + HumanBytes(max_bytes) + ": " + Quoted(path));
  }
  out.resize(filled);
  return out;
}

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return FileError("cannot write the file", path);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return {};
}

Status ReplaceFile(const std::string& path, const std::string& bytes) {
  const std::string beside = path + "." + NewUuid() + ".tmp";
  Status written;
  {
    const OpenFile file(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.fd() < 0) return FileError("cannot write the file", beside);
    written = WriteAll(file.fd(), bytes, beside);
  }
  if (written.ok() && rename(beside.c_str(), path.c_str()) != 0) written = FileError("cannot replace the file", path);
  if (!written.ok()) unlink(beside.c_str());
  return written;
}

std::optional<std::string> EnvironmentVariable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace

net::HttpOptions MetadataHttpOptions(const CancelFlag* cancel) {
  net::HttpOptions options;
  options.connect_limit = std::chrono::seconds(1);
  options.stall_limit = std::chrono::seconds(5);
  options.use_proxy = false;
  options.cancel = cancel;
  return options;
}

Surroundings RealSurroundings(std::shared_ptr<net::HttpClient> http, std::shared_ptr<net::HttpClient> metadata_http,
                              const CancelFlag* cancel) {
  Surroundings out;
  out.variable = EnvironmentVariable;
  out.read_file = ReadFile;
  out.replace_file = ReplaceFile;
  out.run = [cancel](const std::vector<std::string>& argv) { return RunCommand(argv, {.cancel = cancel}); };
  out.sleeper = std::make_shared<SystemSleeper>(cancel);
  out.clock = std::make_shared<SystemClock>();
  out.http = std::move(http);
  out.metadata_http = std::move(metadata_http);
  return out;
}

std::string ExpandHome(const VariableLookup& variable, const std::string& path) {
  if (!path.starts_with("~/")) return path;
  const auto home = variable("HOME");
  return home ? *home + path.substr(1) : path;
}

}  // namespace tidegate::aws
