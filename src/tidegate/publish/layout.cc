#include "tidegate/publish/layout.h"

namespace tidegate::publish {
namespace {

constexpr std::string_view kAside = "_tidegate_runs/";

std::string_view WithoutSlash(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

/// "s3a://b/x" and "s3n://b/x" are what S3's own URLs name; "file:/x" is "file:///x".
std::string Usual(std::string_view url) {
  url = WithoutSlash(url);
  if (url.starts_with("s3a://") || url.starts_with("s3n://")) return "s3://" + std::string(url.substr(6));
  if (url.starts_with("file:/") && !url.starts_with("file://")) return "file://" + std::string(url.substr(5));
  return std::string(url);
}

}  // namespace

std::string RunsPrefix(std::string_view partition_path, bool aside) {
  return std::string(aside ? kAside : "") + std::string(partition_path) + "/run=";
}

std::string RunFolder(std::string_view partition_path, const RunId& id, bool aside) {
  return RunsPrefix(partition_path, aside) + id;
}

std::string KeyIn(const std::string& folder, std::string_view name) { return folder + "/" + std::string(name); }

std::string LeaseKey(std::string_view partition_path) { return std::string(partition_path) + "/_tidegate_lease.json"; }

std::optional<std::string> FolderOf(std::string_view root, std::string_view location) {
  const std::string base = Usual(root), place = Usual(location);
  if (place == base) return "";
  if (!place.starts_with(base + "/")) return std::nullopt;
  return place.substr(base.size() + 1);
}

bool Covers(std::string_view a, std::string_view b) {
  return a.empty() || a == b || (b.starts_with(a) && b[a.size()] == '/');
}

}  // namespace tidegate::publish
