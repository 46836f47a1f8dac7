// The one place where errno values of the file system become Status codes with advice.
#pragma once

#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate::store {

/// "<failed>: '<path>': <system's text>; <advice>" with the code that names the caller's next action.
/// `failed` is what could not be done, e.g. "cannot write object". Requires: error > 0.
Status ErrnoStatus(int error, std::string_view failed, std::string_view path);

/// The same for reading: a path that cannot exist (a part is a file, or too long a name) is NotFound.
Status ReadErrnoStatus(int error, std::string_view failed, std::string_view path);

}  // namespace tidegate::store
