#include "tidegate/contract/nearest_word.h"

#include <algorithm>
#include <numeric>

namespace tidegate::contract {
namespace {

constexpr size_t kMaxChanges = 2;

/// Levenshtein distance, one row of the table at a time.
size_t Changes(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view nearest;
  size_t fewest = kMaxChanges + 1;
  for (const std::string_view candidate : candidates) {
    if (word.size() > candidate.size() + kMaxChanges) continue;  // a foreign word may be megabytes long
    const size_t changes = Changes(word, candidate);
    if (changes >= fewest || 2 * changes > candidate.size()) continue;
    fewest = changes;
    nearest = candidate;
  }
  return nearest;
}

std::string WordHint(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (const std::string_view nearest = NearestWord(word, candidates); !nearest.empty()) {
    return "; did you mean " + std::string(nearest) + "?";
  }
  std::string hint = "; known are ";
  for (const std::string_view candidate : candidates) {
    if (candidate != candidates.front()) hint += ", ";
    hint += candidate;
  }
  return hint;
}

}  // namespace tidegate::contract
