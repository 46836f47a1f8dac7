#include "tidegate/engine/duckdb/json_text.h"

#include <fmt/format.h>

namespace tidegate::engine {

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[i];
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      out += fmt::format("\\u{:04x}", next);  // U+0080 … U+009F
      ++i;
    } else {
      out += text[i];
    }
  }
  out += '"';
}

}  // namespace tidegate::engine
