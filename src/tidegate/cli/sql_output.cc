#include "tidegate/cli/sql_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "tidegate/cli/command.h"

namespace tidegate::cli {
namespace {

std::optional<size_t> TerminalWidth() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

}  // namespace

Interrupter::Interrupter(engine::DuckDb& db)
    : thread_([this, &db] {
        while (!done_) {
          if (StopFlag().cancelled()) db.Interrupt();
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      }) {}

Interrupter::~Interrupter() {
  done_ = true;
  thread_.join();
}

Status PrintResult(engine::DuckDb& db, const std::string& sql, query::OutputFormat format) {
  const auto rows = query::WriteResult(db, sql, {format, TerminalWidth()}, [](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return Status();
    return Unavailable("cannot write the result: the reader of the output is gone or the disk is full");
  });
  if (!rows.ok()) return rows.status();
  return std::fflush(stdout) == 0 ? Status() : Unavailable("cannot write the result: is the disk full?");
}

}  // namespace tidegate::cli
