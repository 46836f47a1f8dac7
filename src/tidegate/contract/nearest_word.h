// The valid word that a typo most likely means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidegate::contract {

/// Find the candidate that needs the fewest changes of one letter (insert, delete, replace), at most two and at most
/// half of its letters; empty where none is that near. The first of equals.
std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& candidates);

/// Print "; did you mean X?" where there is a nearest word, else "; known are A, B, C".
std::string WordHint(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace tidegate::contract
