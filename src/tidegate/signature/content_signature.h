// ContentSignature: one value for the content of a set of rows, the same whoever computes it
// (docs/formats/signature.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidegate::signature {

/// Of all that docs/formats/signature.md says. What keeps kinds of values apart begins with it, too.
inline constexpr std::string_view kSignatureVersion = "tgs2";

struct ContentSignature {
  bool known = false;  // false: of another version, or no signature at all
  int64_t rows = 0;
  uint64_t upper = 0;  // sums over the rows, modulo 2^64
  uint64_t lower = 0;
  std::string names;  // 32 hex digits

  /// "tgs2:2:459…:181…:932a…", or "unknown".
  std::string ToString() const;

  /// Another version, or any other text, is unknown.
  static ContentSignature Parse(std::string_view text);

  /// An unknown signature is equal to none, not even to itself.
  friend bool operator==(const ContentSignature& a, const ContentSignature& b) {
    return a.known && b.known && a.rows == b.rows && a.upper == b.upper && a.lower == b.lower && a.names == b.names;
  }
};

}  // namespace tidegate::signature
