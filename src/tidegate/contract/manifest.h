// The manifest of one delivery: read leniently, written strictly. Rules C-30 … C-36.
// Format: docs/formats/manifest.md, docs/formats/manifest.schema.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"

namespace tidegate::contract {

/// A larger manifest counts as unreadable; it is never read into memory.
inline constexpr uint64_t kMaxManifestBytes = 16'000'000;

/// A hostile manifest of odd entries does not fill the log.
inline constexpr size_t kMaxManifestNotes = 50;

struct DeliveredTable {
  TableName table;
  std::optional<TableMode> mode;  // from `mode`, else from `read`; absent where neither is known
  bool reseed = false;
  std::optional<UtcTime> delivered_through;  // parts tables in v2
  std::optional<Delivery> reseed_from;       // ours (C-35, A-6)
  friend bool operator==(const DeliveredTable&, const DeliveredTable&) = default;
};

struct AbsentTable {
  TableName table;
  std::string reason;
  friend bool operator==(const AbsentTable&, const AbsentTable&) = default;
};

struct Manifest {
  Delivery delivery;     // from the key it was read from
  bool complete = true;  // false also where the manifest says so and names no table
  std::vector<DeliveredTable> delivered;
  std::vector<AbsentTable> missing;
  std::vector<AbsentTable> pending;

  const DeliveredTable* FindDelivered(const TableName& table) const;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

struct ParsedManifest {
  Manifest manifest;
  std::vector<std::string> notes;  // what was odd but tolerated, ready to print
};

/// Read a manifest leniently (C-32). `delivery` comes from its key and wins over the fields inside (a difference is a
/// note). Each list comes out sorted by table. At most kMaxManifestNotes notes, and one that counts the others.
/// Errors: Corruption (not JSON, not an object, too large): the manifest counts as absent (C-33).
Result<ParsedManifest> ParseManifest(const Delivery& delivery, std::string_view text);

/// Write a manifest strictly: fixed order of fields, tables sorted, `complete` derived from missing and pending
/// (the field of the argument is not looked at). Ends with a newline. Same manifest, same bytes. Left out: `reseed` and
/// `reseed_from` of full tables, `delivered_through` of full tables and in v1. In v1, which has no `tables_pending`, a
/// pending table is written as missing.
/// Requires: each delivered table has a mode; no table stands in two lists; a day or hour as delivery, not __initial__.
std::string WriteManifest(const Manifest& manifest);

}  // namespace tidegate::contract
