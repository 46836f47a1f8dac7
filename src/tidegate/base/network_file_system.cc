#include "tidegate/base/network_file_system.h"

#include <sys/statfs.h>

#include <array>
#include <utility>

namespace tidegate {

std::optional<std::string> NetworkFileSystemName(uint64_t magic) {
  static constexpr std::array<std::pair<uint64_t, const char*>, 9> kKnown = {{{0x6969, "NFS"},
                                                                              {0x517B, "SMB"},
                                                                              {0xFF534D42, "CIFS"},
                                                                              {0xFE534D42, "SMB2"},
                                                                              {0x564C, "NCP"},
                                                                              {0x5346414F, "AFS"},
                                                                              {0x00C36400, "Ceph"},
                                                                              {0x0BD00BD0, "Lustre"},
                                                                              {0x47504653, "GPFS"}}};
  for (const auto& [known, name] : kKnown) {
    if (known == magic) return name;
  }
  return std::nullopt;
}

std::optional<std::string> NetworkFileSystemOf(const std::filesystem::path& folder) {
  struct statfs found {};
  if (statfs(folder.c_str(), &found) != 0) return std::nullopt;
  return NetworkFileSystemName(static_cast<uint32_t>(found.f_type));
}

}  // namespace tidegate
