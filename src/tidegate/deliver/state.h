// `_STATE`: what a parts table's last delivery took from the source, so that the next one starts where it ended.
//
// Format: docs/formats/deliver-state.md. It lies at the table's root, `v1/<schema>/<table>/_STATE` or `v2/…`.
//
// Guarantees
// - It is durable before the folder it names is sealed. So: folder sealed → the next window starts at `through`;
//   folder not sealed → its window is taken again from `from`. A hole is impossible, and so is a row taken twice.
// - Same state, same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"

namespace tidegate::deliver {

inline constexpr int kStateFormatVersion = 1;
/// A larger object is not a state; it is never read into memory.
inline constexpr uint64_t kMaxStateBytes = 65'536;

/// The rows of one folder: changed at or after `from` (absent: from the beginning) and before `through`.
struct Window {
  std::optional<UtcTime> from;
  UtcTime through;
  friend bool operator==(const Window&, const Window&) = default;
};

struct State {
  contract::Folder folder;  // of the last delivery
  Window window;            // what that folder holds
  /// The delivery where the table's newest rebuilt copy begins, kept until a manifest was seen that says so.
  std::optional<contract::Delivery> reseed_from;
  friend bool operator==(const State&, const State&) = default;
};

/// Read a state of `table`. Errors: Corruption (not JSON, a field missing or wrong, of another table), Unsupported
/// (a later format version).
Result<State> ParseState(const contract::TableName& table, std::string_view text);

/// Write a state; ends with a newline.
std::string WriteState(const State& state);

}  // namespace tidegate::deliver
