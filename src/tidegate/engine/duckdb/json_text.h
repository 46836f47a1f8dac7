// Text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace tidegate::engine {

/// Append text as a JSON string. Control characters, DEL and U+0080 … U+009F among them, are escaped.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace tidegate::engine
