#include <cstdio>

#include "tidegate/contract/table_catalog.h"

namespace tidegate::contract {
namespace {

constexpr std::string_view kHead = R"(# What tidegate knows about the tables of a delivery. One [[table]] for each.
#
#   name            schema.table, as the bucket's folders are called
#   mode            "full": each delivery is a whole copy. "parts": each delivery adds rows
#   key             the columns that identify a row, as in ["id"]. A row that is delivered again replaces the earlier
#                   one. Without a key every delivered row stays
#   event_time      the column that says when a row's event happened
#   version_column  where a key comes twice in one delivery, the row with the greatest value of this column wins
#   append_only     true: rows never change, so every delivered row stays, whatever the key
#   changed_at      for `tidegate deliver`: the column that says when a row last changed
#   query           for `tidegate deliver`: the SQL of the table in the source, instead of all its rows
#
# key, version_column, append_only and changed_at are for mode = "parts" only.
)";

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// A TOML basic string: quotes, backslashes and control characters escaped.
std::string BasicString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (IsControl(c)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04X", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// SQL over several lines stays readable: a multi-line literal, where its content allows one.
std::string QueryString(std::string_view sql) {
  const bool lines = sql.find('\n') != std::string_view::npos;
  bool literal = sql.find("'''") == std::string_view::npos && !sql.ends_with('\'');
  for (const char c : sql) literal = literal && (!IsControl(c) || c == '\n' || c == '\t');
  if (!lines || !literal) return BasicString(sql);
  return "'''\n" + std::string(sql) + "'''";
}

std::string KeyList(const std::vector<std::string>& key) {
  std::string out;
  for (const std::string& column : key) out += (out.empty() ? "" : ", ") + BasicString(column);
  return "[" + out + "]";
}

void AppendField(std::string& out, std::string_view field, const std::string& value) {
  out.append(field).append(" = ").append(value).append("\n");
}

void AppendText(std::string& out, std::string_view field, const std::optional<std::string>& text) {
  if (text) AppendField(out, field, BasicString(*text));
}

std::string EntryToml(const TableEntry& entry) {
  std::string out = "\n[[table]]\n";
  AppendField(out, "name", BasicString(entry.name.ToString()));
  AppendField(out, "mode", BasicString(ModeName(entry.mode)));
  if (!entry.key.empty()) AppendField(out, "key", KeyList(entry.key));
  if (entry.mode == TableMode::kParts && entry.key.empty() && !entry.append_only) {
    out += "# key = [\"…\"]  # to replace rows that are delivered again\n";
  }
  AppendText(out, "event_time", entry.event_time);
  AppendText(out, "version_column", entry.version_column);
  if (entry.append_only) AppendField(out, "append_only", "true");
  AppendText(out, "changed_at", entry.changed_at);
  if (entry.source_query) AppendField(out, "query", QueryString(*entry.source_query));
  return out;
}

}  // namespace

std::string WriteCatalog(const TableCatalog& catalog) {
  std::string out(kHead);
  for (const TableEntry& entry : catalog.entries()) out += EntryToml(entry);
  return out;
}

}  // namespace tidegate::contract
