#include "tidegate/query/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tidegate::query {
namespace {

struct Rune {
  uint32_t code = 0;
  size_t bytes = 1;
  bool valid = false;
};

/// The character at the front of text. Requires: text is not empty.
Rune FrontRune(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {lead, 1, false};
  uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {lead, 1, false};
    code = (code << 6) | (byte & 0x3F);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool outside = (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF;
  if (overlong || outside) return {lead, 1, false};
  return {code, bytes, true};
}

bool IsUnsafe(const Rune& rune) {
  const uint32_t c = rune.code;
  return !rune.valid || c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x200E || c == 0x200F || c == 0x2028 ||
         c == 0x2029 || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

struct Range {
  uint32_t first;
  uint32_t last;
};

constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
constexpr Range kCombining[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                                {0x064B, 0x065F}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

template <size_t N>
bool IsIn(const Range (&ranges)[N], uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

size_t WidthOf(const Rune& rune) {
  if (rune.code < 0x300) return 1;
  if (IsIn(kCombining, rune.code)) return 0;
  return IsIn(kWide, rune.code) ? 2 : 1;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Rune rune = FrontRune(text);
    if (IsUnsafe(rune)) {
      for (size_t i = 0; i < rune.bytes; ++i) out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[i]));
    } else {
      out += text.substr(0, rune.bytes);
    }
    text.remove_prefix(rune.bytes);
  }
  return out;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Rune rune = FrontRune(text);
    width += WidthOf(rune);
    text.remove_prefix(rune.bytes);
  }
  return width;
}

std::string CutToWidth(std::string_view text, size_t width) {
  size_t used = 0;
  size_t keep = 0;  // bytes that leave a column for "…"
  for (size_t at = 0; at < text.size();) {
    const Rune rune = FrontRune(text.substr(at));
    used += WidthOf(rune);
    at += rune.bytes;
    if (used > width) return std::string(text.substr(0, keep)) + "…";
    if (used < width) keep = at;
  }
  return std::string(text);
}

}  // namespace tidegate::query
