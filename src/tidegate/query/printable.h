// Text from data, made safe for a terminal, and how many columns of a terminal it takes.
#pragma once

#include <string>
#include <string_view>

namespace tidegate::query {

/// Control characters (also U+0080 … U+009F), bidirectional overrides and bytes that are not UTF-8 become \xNN escapes;
/// everything else stays.
std::string Printable(std::string_view text);

/// Terminal columns of printable text: wide for East Asian characters and emoji, none for combining marks.
/// An approximation: terminals differ.
size_t DisplayWidth(std::string_view text);

/// The longest beginning of printable text that takes at most `width` columns, with "…" as its last where it was cut.
/// Requires: width ≥ 1.
std::string CutToWidth(std::string_view text, size_t width);

}  // namespace tidegate::query
