// Small pure functions over text that several folders need: quoting what came from outside, globs, human units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate {

/// Print foreign text safely: control characters, DEL, quotes, backslashes and bytes that are not UTF-8 become
/// \xNN escapes, the whole in single quotes, cut after max_bytes of input with "…". For every message that shows a
/// name.
std::string Quoted(std::string_view text, size_t max_bytes = 200);

/// Does the whole text match a glob of `*` (any run), `?` (one byte)? Linear in practice: no backtracking blow-up.
bool GlobMatches(std::string_view glob, std::string_view text);

/// "1.2 GB" (powers of 1000), "812 B".
std::string HumanBytes(uint64_t bytes);

/// "336,776".
std::string HumanCount(int64_t count);

/// "1 folder", "2,000 folders".
std::string Plural(int64_t count, std::string_view one, std::string_view many);

std::vector<std::string_view> Split(std::string_view text, char separator);

std::string Join(const std::vector<std::string>& parts, std::string_view separator);

std::string ToLower(std::string_view ascii);

/// Without spaces, tabs and ends of lines around it.
std::string_view Trim(std::string_view text);

}  // namespace tidegate
