// How much memory a command may take: as people type it, and what is usual on this machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate::app {

/// Read "500MB", "2GB" or "1.5GiB": a number and B, kB, MB, GB, TB (powers of 1,000) or KiB, MiB, GiB, TiB (of 1,024);
/// in bytes, at least 1 MB. Errors: InvalidArgument.
Result<int64_t> ParseMemory(std::string_view text);

/// Half of the memory of this machine, or of what its control group (cgroup v2) may take where that is less.
int64_t UsualMemory();

}  // namespace tidegate::app
