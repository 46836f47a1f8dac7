#include "tidegate/deliver/source_query.h"

#include <algorithm>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::deliver {
namespace {

using engine::SqlName;
using engine::SqlText;

/// A query without the semicolon that a person may have put at its end.
std::string_view WithoutEnd(std::string_view query) {
  const size_t last = query.find_last_not_of("; \t\r\n");
  return last == std::string_view::npos ? std::string_view() : query.substr(0, last + 1);
}

const SourceColumn* FindColumn(const std::vector<SourceColumn>& columns, std::string_view name) {
  const auto same = [&](const SourceColumn& column) { return ToLower(column.name) == ToLower(name); };
  const auto found = std::find_if(columns.begin(), columns.end(), same);
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace

std::string TableQuery(const contract::TableEntry& entry) {
  if (entry.source_query) return std::string(WithoutEnd(*entry.source_query));
  return "SELECT * FROM " + SqlName(entry.name.schema) + "." + SqlName(entry.name.table);
}

std::optional<std::string> ChangeColumn(const contract::TableEntry& entry) {
  if (entry.changed_at) return entry.changed_at;
  const bool each_row_once = entry.append_only || entry.key.empty();
  return each_row_once ? entry.event_time : std::nullopt;
}

Result<ChangeFilter> ChangeFilter::Make(const contract::TableEntry& entry, const std::vector<SourceColumn>& columns) {
  const std::string name = ChangeColumn(entry).value_or("");
  const SourceColumn* column = FindColumn(columns, name);
  if (column == nullptr)
    return NotFound("the source has no column " + Quoted(name) + ", which says when a row changed");
  const bool is_time = column->type == "DATE" || column->type.starts_with("TIMESTAMP");
  if (!is_time) {
    return InvalidArgument("column " + Quoted(name) + " says when a row changed and has to be a timestamp or date; " +
                           "cast it in the table's source_query: its type is " + Quoted(column->type));
  }
  // A line of its own: the query may end in a comment.
  const std::string table = "(" + TableQuery(entry) + "\n) AS t";
  return ChangeFilter(table, SqlName(column->name), column->type == "TIMESTAMP WITH TIME ZONE");
}

std::string ChangeFilter::Literal(UtcTime instant) const {
  std::string text = FormatRfc3339(instant);
  if (has_zone_) return "TIMESTAMPTZ " + SqlText(text);
  text.pop_back();  // the Z
  return "TIMESTAMP " + SqlText(text);
}

std::string ChangeFilter::Undated() const {
  const std::string finite = has_zone_ ? column_ : "CAST(" + column_ + " AS TIMESTAMP)";
  return "(" + column_ + " IS NULL OR NOT isfinite(" + finite + "))";
}

std::string ChangeFilter::Rows(const Window& window) const {
  const std::string all = "SELECT * FROM " + table_ + " WHERE ";
  const std::string before = column_ + " < " + Literal(window.through);
  if (!window.from) return all + "(" + before + " OR " + Undated() + ")";
  return all + column_ + " >= " + Literal(*window.from) + " AND " + before;
}

std::string ChangeFilter::CountUndated() const { return "SELECT count(*) FROM " + table_ + " WHERE " + Undated(); }

}  // namespace tidegate::deliver
