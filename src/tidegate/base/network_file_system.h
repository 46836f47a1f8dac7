// Is a folder on a file system that other machines write, too? Locks cannot be trusted there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tidegate {

/// The name of a network file system by its magic number (Linux, statfs(2)): "NFS", "SMB", …; nullopt: it is none.
std::optional<std::string> NetworkFileSystemName(uint64_t magic);

/// The network file system on which a folder lies; nullopt where it lies on none, or cannot be looked at.
std::optional<std::string> NetworkFileSystemOf(const std::filesystem::path& folder);

}  // namespace tidegate
