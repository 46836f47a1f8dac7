// What is known about tables beforehand: mode, key, event time, version column. Built-in or from a user's TOML.
// Format: docs/formats/catalog.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"

namespace tidegate::contract {

struct TableEntry {
  TableName name;
  TableMode mode = TableMode::kFull;
  std::vector<std::string> key;               // columns; empty: a plain union (C-24)
  std::optional<std::string> event_time;      // column
  std::optional<std::string> version_column;  // column (C-22)
  bool append_only = false;                   // a plain union, whatever the key says (C-24)
  // For `deliver`: the column of the source that says when a row last changed; rows are delivered by it.
  std::optional<std::string> changed_at;
  // For `deliver`: the SQL of the table in the source, instead of SELECT * FROM schema.table.
  std::optional<std::string> source_query;
  friend bool operator==(const TableEntry&, const TableEntry&) = default;
};

class TableCatalog {
 public:
  TableCatalog() = default;
  /// Requires: no name twice.
  explicit TableCatalog(std::vector<TableEntry> entries);

  const TableEntry* Find(const TableName& name) const;
  const std::vector<TableEntry>& entries() const { return entries_; }  // sorted by name

 private:
  std::vector<TableEntry> entries_;
};

/// The 19 tables of the contract `cloudhumans`.
const TableCatalog& CloudhumansCatalog();

/// Read a catalog from TOML: `catalog = "cloudhumans"` (built-in to start from) and `[[table]]` entries, which add or
/// replace. The sections of a settings file that others read (`ingest`, `deliver`, `query`, `lake`) are passed over.
/// Errors: InvalidArgument naming `source`, the line and what is wrong (unknown field, bad name, a key on a full table,
/// a table twice, …), with the nearest valid word for a typo.
Result<TableCatalog> ParseCatalog(std::string_view toml, std::string_view source);

/// Write TOML text that ParseCatalog reads back to the same catalog; comments explain each field to a newcomer.
/// Requires: column names and queries are UTF-8.
std::string WriteCatalog(const TableCatalog& catalog);

}  // namespace tidegate::contract
