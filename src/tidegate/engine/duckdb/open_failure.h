// Why a database file could not be opened. DuckDB tells it only as text, so the file itself is looked at.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate::engine {

/// Requires: DuckDB just failed to open `path`, saying `message`. Errors: NotFound (no such file or folder),
/// InvalidArgument (a folder), PermissionDenied, Unavailable (locked by another process), Corruption (not a DuckDB
/// file, or a broken one).
Status OpenFailure(const std::string& path, bool read_only, std::string_view message);

}  // namespace tidegate::engine
