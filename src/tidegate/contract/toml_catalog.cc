// Reads a table catalog from TOML.
#include <algorithm>
#include <map>
#include <set>

#include "tidegate/base/text.h"
#include "tidegate/contract/nearest_word.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/contract/toml_document.h"

namespace tidegate::contract {
namespace {

const std::vector<std::string_view>& FieldNames() {
  static const std::vector<std::string_view> names = {"name",           "mode",        "key",        "event_time",
                                                      "version_column", "append_only", "changed_at", "query"};
  return names;
}

const std::vector<std::string_view>& SectionNames() {
  static const std::vector<std::string_view> names = {
      "catalog", "table", "ingest", "deliver", "publish", "hive_catalog", "athena", "query", "lake", "bucket", "store"};
  return names;
}

/// Reads one [[table]].
class EntryReader {
 public:
  EntryReader(const toml::table& toml, std::string_view source) : toml_(toml), source_(source) {}

  Result<TableEntry> Read() {
    TG_RETURN_IF_ERROR(ReadName());
    TG_RETURN_IF_ERROR(RefuseUnknownFields());
    TG_RETURN_IF_ERROR(ReadMode());
    TG_RETURN_IF_ERROR(ReadKey());
    TG_RETURN_IF_ERROR(ReadText("event_time", entry_.event_time));
    TG_RETURN_IF_ERROR(ReadText("version_column", entry_.version_column));
    TG_RETURN_IF_ERROR(ReadAppendOnly());
    TG_RETURN_IF_ERROR(ReadText("changed_at", entry_.changed_at));
    TG_RETURN_IF_ERROR(ReadText("query", entry_.source_query));
    TG_RETURN_IF_ERROR(RefusePartsFieldsOfFullTable());
    if (entry_.version_column && entry_.key.empty()) {
      return Wrong("version_column", "a version column chooses between rows of one key, and the table has no key");
    }
    return std::move(entry_);
  }

 private:
  /// An error in a field, at its line; at the table's line where the field is absent.
  Status Wrong(std::string_view field, const std::string& what) const {
    const toml::node* node = toml_.get(field);
    const toml::source_region& place = node != nullptr ? node->source() : toml_.source();
    const std::string table = entry_.name.table.empty() ? "a [[table]]" : "table " + Quoted(entry_.name.ToString());
    return TomlError(source_, place, table + ": " + what);
  }

  Status ReadName() {
    const toml::node* name = toml_.get("name");
    if (name == nullptr) return Wrong("name", R"(it needs name = "schema.table")");
    const auto* text = name->as_string();
    if (text == nullptr) return Wrong("name", R"(name is a text, as in name = "schema.table")");
    const auto parsed = ParseTableName(text->get());
    if (!parsed.ok()) return Wrong("name", parsed.status().message());
    entry_.name = *parsed;
    return {};
  }

  Status RefuseUnknownFields() const {
    for (const auto& [key, node] : toml_) {
      const std::string_view name = key.str();
      const auto& known = FieldNames();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return TomlError(
          source_, key.source(),
          "table " + Quoted(entry_.name.ToString()) + ": unknown field " + Quoted(name) + WordHint(name, known));
    }
    return {};
  }

  Status ReadMode() {
    const toml::node* mode = toml_.get("mode");
    if (mode == nullptr) return Wrong("mode", R"(it needs mode = "full" or mode = "parts")");
    const std::string text = mode->value_or(std::string());
    if (text != "full" && text != "parts") {
      const std::string_view nearest = NearestWord(text, {"full", "parts"});
      const std::string hint = nearest.empty() ? "" : ", did you mean \"" + std::string(nearest) + "\"?";
      return Wrong("mode", R"(mode is "full" (whole copies) or "parts", not )" + Quoted(text) + hint);
    }
    entry_.mode = text == "full" ? TableMode::kFull : TableMode::kParts;
    return {};
  }

  Status ReadKey() {
    const toml::node* key = toml_.get("key");
    if (key == nullptr) return {};
    const toml::array* columns = key->as_array();
    if (columns == nullptr) return Wrong("key", R"(key is a list of columns, as in key = ["id"])");
    std::set<std::string> seen;
    for (const toml::node& column : *columns) {
      const std::string name = column.value_or(std::string());
      if (name.empty()) return Wrong("key", R"(key is a list of column names, as in key = ["id"])");
      // C-25: names that differ only in case cannot stand side by side in a table.
      if (!seen.insert(ToLower(name)).second) return Wrong("key", "key names the column " + Quoted(name) + " twice");
      entry_.key.push_back(name);
    }
    return {};
  }

  Status ReadText(std::string_view field, std::optional<std::string>& out) const {
    const toml::node* node = toml_.get(field);
    if (node == nullptr) return {};
    out = node->value_or(std::string());
    return out->empty() ? Wrong(field, std::string(field) + " is a text that is not empty") : Status();
  }

  Status ReadAppendOnly() {
    const toml::node* node = toml_.get("append_only");
    if (node == nullptr) return {};
    const auto* flag = node->as_boolean();
    if (flag == nullptr) return Wrong("append_only", "append_only is true or false, without quotes");
    entry_.append_only = flag->get();
    return {};
  }

  Status RefusePartsFieldsOfFullTable() const {
    if (entry_.mode == TableMode::kParts) return {};
    const std::pair<const char*, bool> fields[] = {{"key", !entry_.key.empty()},
                                                   {"version_column", entry_.version_column.has_value()},
                                                   {"append_only", entry_.append_only},
                                                   {"changed_at", entry_.changed_at.has_value()}};
    for (const auto& [field, given] : fields) {
      if (!given) continue;
      return Wrong(field, std::string(field) +
                              R"( means nothing on a full table, whose copies are whole: remove it, )" +
                              R"(or set mode = "parts")");
    }
    return {};
  }

  const toml::table& toml_;
  std::string_view source_;
  TableEntry entry_;
};

/// Reads the whole text.
class CatalogReader {
 public:
  explicit CatalogReader(std::string_view source) : source_(source) {}

  Result<TableCatalog> Read(const toml::table& root) {
    TG_RETURN_IF_ERROR(RefuseUnknownSections(root));
    TG_RETURN_IF_ERROR(ReadBuiltIn(root.get("catalog")));
    TG_RETURN_IF_ERROR(ReadTables(root.get("table")));
    std::vector<TableEntry> entries;
    for (auto& [name, entry] : entries_) entries.push_back(std::move(entry));
    return TableCatalog(std::move(entries));
  }

 private:
  Status RefuseUnknownSections(const toml::table& root) const {
    const auto& known = SectionNames();
    for (const auto& [key, node] : root) {
      const std::string_view name = key.str();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return TomlError(source_, key.source(), "unknown setting " + Quoted(name) + WordHint(name, known));
    }
    return {};
  }

  Status ReadBuiltIn(const toml::node* catalog) {
    if (catalog == nullptr) return {};
    const std::string name = catalog->value_or(std::string());
    if (name != "cloudhumans") {
      return TomlError(
          source_, catalog->source(),
          R"(catalog = "cloudhumans" is the only built-in catalog; describe other tables with [[table]]: )" +
              Quoted(name));
    }
    for (const TableEntry& entry : CloudhumansCatalog().entries()) entries_.insert_or_assign(entry.name, entry);
    return {};
  }

  Status ReadTables(const toml::node* tables) {
    if (tables == nullptr) return {};
    const toml::array* list = tables->as_array();
    if (list == nullptr) return TomlError(source_, tables->source(), "a table is written [[table]], with two brackets");
    for (const toml::node& node : *list) {
      const toml::table* table = node.as_table();
      if (table == nullptr)
        return TomlError(source_, node.source(), "a table is written [[table]], with its fields below");
      TG_ASSIGN_OR_RETURN(TableEntry entry, EntryReader(*table, source_).Read());
      const size_t line = table->source().begin.line;
      const auto [first, is_new] = lines_.emplace(entry.name, line);
      if (!is_new) {
        return TomlError(source_, table->source(),
                         "table " + Quoted(entry.name.ToString()) + " is described twice, first in line " +
                             std::to_string(first->second));
      }
      entries_.insert_or_assign(entry.name, std::move(entry));
    }
    return {};
  }

  std::string_view source_;
  std::map<TableName, TableEntry> entries_;
  std::map<TableName, size_t> lines_;  // of the user's own entries
};

}  // namespace

Result<TableCatalog> ParseCatalog(std::string_view toml, std::string_view source) {
  TG_ASSIGN_OR_RETURN(const toml::table root, ParseToml(toml, source));
  return CatalogReader(source).Read(root);
}

}  // namespace tidegate::contract
