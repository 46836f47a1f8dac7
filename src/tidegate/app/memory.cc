#include "tidegate/app/memory.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::app {
namespace {

constexpr int64_t kLeast = 1'000'000;
constexpr double kMost = 1e15;

double UnitOf(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, double>, 10> kUnits = {{{"B", 1},
                                                                                  {"kB", 1e3},
                                                                                  {"KB", 1e3},
                                                                                  {"MB", 1e6},
                                                                                  {"GB", 1e9},
                                                                                  {"TB", 1e12},
                                                                                  {"KiB", 1024.0},
                                                                                  {"MiB", 1048576.0},
                                                                                  {"GiB", 1073741824.0},
                                                                                  {"TiB", 1099511627776.0}}};
  for (const auto& [unit, bytes] : kUnits) {
    if (unit == name) return bytes;
  }
  return 0;
}

int64_t LimitOfGroup() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  int64_t limit = 0;
  return file >> limit ? limit : INT64_MAX;  // "max" is no number
}

}  // namespace

Result<int64_t> ParseMemory(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const double unit = error == std::errc() ? UnitOf(text.substr(static_cast<size_t>(end - text.data()))) : 0;
  const double bytes = number * unit;
  if (!(bytes >= static_cast<double>(kLeast) && bytes <= kMost)) {
    return InvalidArgument("memory is a number and a unit, at least 1MB, such as 500MB, 2GB or 1.5GiB, not " +
                           Quoted(text));
  }
  return static_cast<int64_t>(bytes);
}

int64_t UsualMemory() {
  const int64_t machine = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::max(std::min(machine, LimitOfGroup()) / 2, kLeast);
}

}  // namespace tidegate::app
