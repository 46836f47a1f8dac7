#include "tidegate/aws/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "tidegate/base/text.h"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace tidegate::aws {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// A command line, read word by word.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  /// The next word; nothing at the end. Errors: InvalidArgument.
  Result<std::optional<std::string>> Next() {
    while (!rest_.empty() && IsSpace(rest_[0])) rest_.remove_prefix(1);
    if (rest_.empty()) return std::optional<std::string>();
    std::string word;
    while (!rest_.empty() && !IsSpace(rest_[0])) {
      const char c = Take();
      if (c == '\'' || c == '"') {
        TG_RETURN_IF_ERROR(TakeQuoted(c, word));
      } else if (c == '\\' && !rest_.empty()) {
        word += Take();
      } else {
        word += c;
      }
    }
    return std::optional<std::string>(std::move(word));
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  char Take() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  Status TakeQuoted(char quote, std::string& word) {
    while (!rest_.empty()) {
      char c = Take();
      if (c == quote) return {};
      const bool escapes = quote == '"' && c == '\\' && !rest_.empty() && (rest_[0] == '"' || rest_[0] == '\\');
      if (escapes) c = Take();
      word += c;
    }
    return InvalidArgument("the command line has a quote without its end");
  }

  std::string_view rest_;
};

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    CloseWriteEnd();
    if (read_end >= 0) close(read_end);
  }
  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void CloseWriteEnd() {
    if (write_end >= 0) close(std::exchange(write_end, -1));
  }
};

/// What posix_spawn is told: stdout into the pipe, no stdin, a process group of its own, signals as a program expects
/// them.
class SpawnSettings {
 public:
  explicit SpawnSettings(int out) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int Spawn(const std::vector<std::string>& argv, pid_t* pid) const {
    std::vector<char*> words;
    words.reserve(argv.size() + 1);
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    return posix_spawnp(pid, words[0], &actions_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// A command that runs. It is ended with this object, if it has not ended by then.
class Running {
 public:
  Running(pid_t pid, std::string name, const CommandLimits& limits)
      : pid_(pid), name_(std::move(name)), limits_(limits), deadline_(steady_clock::now() + limits.time) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (pid_ < 0) return;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  Result<std::string> ReadAll(int fd) {
    std::string out;
    char buffer[4096];
    while (true) {
      TG_RETURN_IF_ERROR(StillAllowed());
      pollfd waiting{fd, POLLIN, 0};
      if (poll(&waiting, 1, kStepMilliseconds) <= 0) continue;
      const ssize_t got = read(fd, buffer, sizeof buffer);
      if (got == 0) return out;
      if (got < 0) continue;
      out.append(buffer, static_cast<size_t>(got));
      if (out.size() > limits_.max_bytes) {
        return InvalidArgument("the command printed more than " + HumanBytes(limits_.max_bytes) + ": " + name_);
      }
    }
  }

  Status WaitForEnd() {
    int how = 0;
    while (true) {
      const pid_t ended = waitpid(pid_, &how, WNOHANG);
      if (ended == pid_) break;
      TG_RETURN_IF_ERROR(StillAllowed());
      poll(nullptr, 0, 5);
    }
    pid_ = -1;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return {};
    const std::string end =
        WIFEXITED(how) ? "with code " + std::to_string(WEXITSTATUS(how)) : "by signal " + std::to_string(WTERMSIG(how));
    return Unauthenticated("the command ended " + end + ": " + name_ + "; run it by hand to see why");
  }

 private:
  static constexpr int kStepMilliseconds = 50;

  Status StillAllowed() const {
    if (limits_.cancel != nullptr) TG_RETURN_IF_ERROR(limits_.cancel->Check());
    if (steady_clock::now() < deadline_) return {};
    return Unavailable("the command took longer than " + std::to_string(limits_.time.count() / 1000) + " s: " + name_ +
                       "; run it by hand to see whether it waits for something");
  }

  pid_t pid_;
  std::string name_;
  CommandLimits limits_;
  steady_clock::time_point deadline_;
};

}  // namespace

Result<std::vector<std::string>> SplitCommandLine(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) return InvalidArgument("the command line has a byte 0");
  Words words(line);
  std::vector<std::string> out;
  while (true) {
    TG_ASSIGN_OR_RETURN(std::optional<std::string> word, words.Next());
    if (!word) break;
    out.push_back(*std::move(word));
  }
  if (out.empty() || out[0].empty()) return InvalidArgument("the command line names no program");
  return out;
}

Result<std::string> RunCommand(const std::vector<std::string>& argv, const CommandLimits& limits) {
  Pipe pipe;
  if (!pipe.Open()) return Unavailable(std::string("cannot run a command: no pipe: ") + std::strerror(errno));
  const std::string name = Quoted(argv[0]);
  pid_t pid = -1;
  if (const int error = SpawnSettings(pipe.write_end).Spawn(argv, &pid); error != 0) {
    return NotFound("cannot run the command: " + name + ": " + std::strerror(error) + "; install it or mend its path");
  }
  Running running(pid, name, limits);
  pipe.CloseWriteEnd();
  TG_ASSIGN_OR_RETURN(std::string out, running.ReadAll(pipe.read_end));
  TG_RETURN_IF_ERROR(running.WaitForEnd());
  return out;
}

}  // namespace tidegate::aws
