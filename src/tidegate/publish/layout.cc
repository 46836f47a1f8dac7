#include "tidegate/publish/layout.h"

namespace tidegate::publish {
namespace {

constexpr std::string_view kAside = "_tidegate_runs/";

}  // namespace

std::string RunsPrefix(std::string_view partition_path, bool aside) {
  return std::string(aside ? kAside : "") + std::string(partition_path) + "/run=";
}

std::string RunFolder(std::string_view partition_path, const RunId& id, bool aside) {
  return RunsPrefix(partition_path, aside) + id;
}

std::string KeyIn(const std::string& folder, std::string_view name) { return folder + "/" + std::string(name); }

std::string LeaseKey(std::string_view partition_path) { return std::string(partition_path) + "/_tidegate_lease.json"; }

bool Covers(std::string_view a, std::string_view b) {
  return a.empty() || a == b || (b.starts_with(a) && b[a.size()] == '/');
}

}  // namespace tidegate::publish
