#include "tidegate/catalog/location.h"

namespace tidegate::catalog {
namespace {

std::string Usual(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.starts_with("s3a://") || url.starts_with("s3n://")) return "s3://" + std::string(url.substr(6));
  if (url.starts_with("file:/") && !url.starts_with("file://")) return "file://" + std::string(url.substr(5));
  return std::string(url);
}

}  // namespace

std::optional<std::string> FolderOf(std::string_view root, std::string_view location) {
  const std::string base = Usual(root), place = Usual(location);
  if (place == base) return "";
  if (!place.starts_with(base + "/")) return std::nullopt;
  return place.substr(base.size() + 1);
}

bool SamePlace(std::string_view a, std::string_view b) { return Usual(a) == Usual(b); }

}  // namespace tidegate::catalog
