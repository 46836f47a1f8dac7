// The SQL that takes a table's rows from the source: all of them, or those that changed within a window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/deliver/source.h"
#include "tidegate/deliver/state.h"

namespace tidegate::deliver {

/// The query of a whole table: the catalog's, else all columns of schema.table.
std::string TableQuery(const contract::TableEntry& entry);

/// The column that says when a row changed: `changed_at`, else the event time of a table that sends each row once.
std::optional<std::string> ChangeColumn(const contract::TableEntry& entry);

/// Compares a change column with instants, in UTC whatever the column's type.
class ChangeFilter {
 public:
  /// Errors: NotFound (no such column), InvalidArgument (not a date or timestamp).
  static Result<ChangeFilter> Make(const contract::TableEntry& entry, const std::vector<SourceColumn>& columns);

  /// Rows of the window. One without a beginning also takes the undated rows: null or infinite, which no window holds.
  std::string Rows(const Window& window) const;

  /// Count the undated rows.
  std::string CountUndated() const;

 private:
  ChangeFilter(std::string table, std::string column, bool has_zone)
      : table_(std::move(table)), column_(std::move(column)), has_zone_(has_zone) {}
  std::string Literal(UtcTime instant) const;
  std::string Undated() const;

  std::string table_;   // "(query) AS t"
  std::string column_;  // quoted
  bool has_zone_;
};

}  // namespace tidegate::deliver
