// What locations mean that catalogs hold. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidegate::catalog {

/// The folder below `root` (a URL) that a location names; "" is the root itself. Nothing where it lies elsewhere.
/// A '/' at the end means nothing; "s3a://b/x" and "s3n://b/x" are what "s3://b/x" names, and "file:/x" is "file:///x":
/// Hive and Spark write them so.
std::optional<std::string> FolderOf(std::string_view root, std::string_view location);

/// Do both name one folder?
bool SamePlace(std::string_view a, std::string_view b);

}  // namespace tidegate::catalog
