#include "tidegate/contract/manifest.h"

#include <algorithm>
#include <set>

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"

namespace tidegate::contract {
namespace {

constexpr std::string_view kFullRefresh = "full_refresh";
constexpr std::string_view kIncrementalAppend = "incremental_append";
constexpr std::string_view kLatestSnapshot = "latest_snapshot";
constexpr std::string_view kUnionAllPartitions = "union_all_partitions";

/// What was odd, bounded.
class Notes {
 public:
  void Add(std::string note) {
    if (notes_.size() < kMaxManifestNotes) {
      notes_.push_back(std::move(note));
    } else {
      ++more_;
    }
  }

  std::vector<std::string> Take() && {
    if (more_ > 0) notes_.push_back("and " + std::to_string(more_) + " more of the kind");
    return std::move(notes_);
  }

 private:
  std::vector<std::string> notes_;
  size_t more_ = 0;
};

/// Print a foreign JSON value safely and briefly.
std::string Shown(const Json& value) {
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return value.dump();
}

/// A field of an object; nullptr where the value is no object, lacks it, or has null there.
const Json* Field(const Json& value, const char* name) {
  if (!value.is_object()) return nullptr;
  const auto at = value.find(name);
  return at == value.end() || at->is_null() ? nullptr : &*at;
}

const std::string* Text(const Json* value) {
  return value != nullptr && value->is_string() ? value->get_ptr<const std::string*>() : nullptr;
}

/// One entry of a list of tables. In an object keyed by table name, `key` is the name; null in a list.
struct Entry {
  const std::string* key;
  const Json& value;
};

/// The table's name as the entry writes it: the key, the entry itself, or its field `table` or `name`.
const std::string* NameText(const Entry& entry) {
  if (entry.key != nullptr) return entry.key;
  if (entry.value.is_string()) return entry.value.get_ptr<const std::string*>();
  const std::string* table = Text(Field(entry.value, "table"));
  return table != nullptr ? table : Text(Field(entry.value, "name"));
}

/// Find the table that an entry means: "schema.table", or the schema in a field of its own. Errors: what is odd.
Result<TableName> NameOf(const Entry& entry) {
  const std::string* text = NameText(entry);
  if (text == nullptr) return InvalidArgument("names no table");
  const std::string* schema = Text(Field(entry.value, "schema"));
  if (schema == nullptr) return ParseTableName(*text);
  const size_t dot = text->find('.');
  if (dot == std::string::npos) return ParseTableName(*schema + "." + *text);
  if (text->substr(0, dot) == *schema) return ParseTableName(*text);
  return InvalidArgument("names schema " + Quoted(*schema) + " and table " + Quoted(*text) + ", which disagree");
}

class Reader {
 public:
  Reader(const Delivery& delivery, const Json& root) : root_(root) { parsed_.manifest.delivery = delivery; }

  ParsedManifest Read() && {
    Manifest& manifest = parsed_.manifest;
    CheckOwnField("snapshot_date", manifest.delivery.date);
    if (manifest.delivery.version == Version::kV2) CheckOwnField("snapshot_hour", manifest.delivery.hour);
    ReadList("tables_delivered", manifest.delivered,
             [&](const Entry& entry, const TableName& table) { return Delivered(entry.value, table); });
    const auto absent = [&](const Entry& entry, const TableName& table) { return Absent(entry, table); };
    ReadList("tables_missing", manifest.missing, absent);
    ReadList("tables_pending", manifest.pending, absent);
    PendingOnly();
    DeliveredAndAbsent(manifest.missing, "tables_missing");
    DeliveredAndAbsent(manifest.pending, "tables_pending");
    ReadComplete();
    parsed_.notes = std::move(notes_).Take();
    return std::move(parsed_);
  }

 private:
  /// The fields that repeat the key: the key wins.
  void CheckOwnField(const char* name, const std::string& from_key) {
    const Json* value = Field(root_, name);
    if (value == nullptr || (value->is_string() && value->get_ref<const std::string&>() == from_key)) return;
    notes_.Add(std::string(name) + " is " + Shown(*value) + ", but the manifest's key says " + Quoted(from_key) +
               "; the key counts");
  }

  template <typename Table, typename ReadOne>
  void ReadList(const char* list, std::vector<Table>& out, const ReadOne& read_one) {
    const Json* value = Field(root_, list);
    if (value == nullptr) return;
    list_ = list;
    seen_.clear();
    if (value->is_array()) {
      for (const Json& item : *value) ReadEntry({nullptr, item}, out, read_one);
    } else if (value->is_object()) {
      for (const auto& [key, item] : value->items()) ReadEntry({&key, item}, out, read_one);
    } else {
      notes_.Add(std::string(list) + " is " + Shown(*value) + ", neither a list nor an object; passed over");
    }
    std::sort(out.begin(), out.end(), [](const Table& a, const Table& b) { return a.table < b.table; });
  }

  template <typename Table, typename ReadOne>
  void ReadEntry(const Entry& entry, std::vector<Table>& out, const ReadOne& read_one) {
    const Result<TableName> table = NameOf(entry);
    if (!table.ok()) {
      notes_.Add(std::string(list_) + " has an entry that is passed over: " + table.status().message());
    } else if (!seen_.insert(*table).second) {
      NoteTable(*table, "is named twice; the first counts");
    } else {
      out.push_back(read_one(entry, *table));
    }
  }

  DeliveredTable Delivered(const Json& value, const TableName& table) {
    DeliveredTable delivered;
    delivered.table = table;
    delivered.mode = ModeOf(value, table);
    delivered.reseed = ReseedOf(value, table);
    if (delivered.reseed && delivered.mode == TableMode::kFull) {
      NoteTable(table, "says reseed, which means nothing on a full table");
    }
    delivered.delivered_through = ThroughOf(value, table);
    delivered.reseed_from = ReseedFromOf(value, table);
    return delivered;
  }

  AbsentTable Absent(const Entry& entry, const TableName& table) {
    // {"schema.table": "reason"}: the value is the reason; in a list a bare text is the name.
    const Json* reason = entry.key != nullptr && entry.value.is_string() ? &entry.value : Field(entry.value, "reason");
    if (reason == nullptr) return {table, ""};
    if (const std::string* text = Text(reason)) return {table, *text};
    NoteTable(table, "has a reason that is no text but " + Shown(*reason));
    return {table, ""};
  }

  std::optional<TableMode> Choice(const Json& value, const TableName& table, const char* field, std::string_view full,
                                  std::string_view parts) {
    const Json* choice = Field(value, field);
    if (choice == nullptr) return std::nullopt;
    const std::string* text = Text(choice);
    if (text != nullptr && *text == full) return TableMode::kFull;
    if (text != nullptr && *text == parts) return TableMode::kParts;
    NoteTable(table, std::string(field) + " is " + Shown(*choice) + ", neither " + std::string(full) + " nor " +
                         std::string(parts) + "; passed over");
    return std::nullopt;
  }

  std::optional<TableMode> ModeOf(const Json& value, const TableName& table) {
    const auto mode = Choice(value, table, "mode", kFullRefresh, kIncrementalAppend);
    const auto read = Choice(value, table, "read", kLatestSnapshot, kUnionAllPartitions);
    if (mode && read && mode != read) NoteTable(table, "mode and read disagree; mode counts");
    return mode ? mode : read;
  }

  bool ReseedOf(const Json& value, const TableName& table) {
    const Json* reseed = Field(value, "reseed");
    if (reseed == nullptr) return false;
    if (reseed->is_boolean()) return reseed->get<bool>();
    // A reseed that goes unnoticed doubles every row, so a plain yes in another spelling counts.
    const std::string* text = Text(reseed);
    const bool yes = (text != nullptr && ToLower(*text) == "true") || (reseed->is_number() && *reseed == 1);
    NoteTable(table, "reseed is " + Shown(*reseed) + ", not a JSON boolean; taken as " + (yes ? "true" : "false"));
    return yes;
  }

  std::optional<UtcTime> ThroughOf(const Json& value, const TableName& table) {
    const Json* through = Field(value, "delivered_through");
    if (through == nullptr) return std::nullopt;
    if (const std::string* text = Text(through)) {
      if (const auto time = ParseRfc3339(*text); time.ok()) return *time;
    }
    NoteTable(table, "delivered_through is " + Shown(*through) + ", no RFC 3339 time; passed over");
    return std::nullopt;
  }

  std::optional<Delivery> ReseedFromOf(const Json& value, const TableName& table) {
    const Json* from = Field(value, "reseed_from");
    if (from == nullptr) return std::nullopt;
    if (const std::string* text = Text(from)) {
      if (auto start = ReadReseedFrom(*text, table)) return start;
    }
    NoteTable(table, "reseed_from is " + Shown(*from) +
                         ", neither v1/etl_date=YYYY-MM-DD nor v2/etl_date=YYYY-MM-DD/etl_hour=HH; passed over");
    return std::nullopt;
  }

  /// "v2/etl_date=D/etl_hour=HH" is a folder's path without the table: put the table in and read that.
  static std::optional<Delivery> ReadReseedFrom(std::string_view text, const TableName& table) {
    const size_t slash = text.find('/');
    if (slash == std::string_view::npos || text.ends_with('/')) return std::nullopt;
    const std::string path =
        std::string(text.substr(0, slash)) + "/" + table.schema + "/" + table.table + std::string(text.substr(slash));
    const auto folder = ParseFolder(path);
    if (!folder.ok() || folder->mode != TableMode::kParts) return std::nullopt;
    return folder->delivery;
  }

  /// C-33: a pending table stands in tables_pending only.
  void PendingOnly() {
    Manifest& manifest = parsed_.manifest;
    const std::set<TableName> pending = NamesOf(manifest.pending);
    list_ = "tables_missing";
    std::erase_if(manifest.missing, [&](const AbsentTable& missing) {
      const bool both = pending.contains(missing.table);
      if (both) NoteTable(missing.table, "is also pending; taken as pending");
      return both;
    });
  }

  void DeliveredAndAbsent(const std::vector<AbsentTable>& absent, const char* list) {
    const std::set<TableName> names = NamesOf(absent);
    list_ = list;
    for (const DeliveredTable& delivered : parsed_.manifest.delivered) {
      if (names.contains(delivered.table)) NoteTable(delivered.table, "is also in tables_delivered; its seal decides");
    }
  }

  static std::set<TableName> NamesOf(const std::vector<AbsentTable>& tables) {
    std::set<TableName> names;
    for (const AbsentTable& table : tables) names.insert(table.table);
    return names;
  }

  void ReadComplete() {
    Manifest& manifest = parsed_.manifest;
    manifest.complete = manifest.missing.empty() && manifest.pending.empty();
    const Json* said = Field(root_, "complete");
    if (said == nullptr) return;
    if (!said->is_boolean()) {
      notes_.Add("complete is " + Shown(*said) + ", not a JSON boolean; passed over");
    } else if (said->get<bool>() && !manifest.complete) {
      notes_.Add("complete is true, but tables are missing or pending; taken as false");
    } else {
      manifest.complete = said->get<bool>();
    }
  }

  void NoteTable(const TableName& table, const std::string& what) {
    notes_.Add(std::string(list_) + ": " + Quoted(table.ToString()) + ": " + what);
  }

  const Json& root_;
  ParsedManifest parsed_;
  Notes notes_;
  const char* list_ = "";     // the list being read, for notes
  std::set<TableName> seen_;  // in that list
};

template <typename Table>
std::vector<Table> Sorted(std::vector<Table> tables) {
  std::stable_sort(tables.begin(), tables.end(), [](const Table& a, const Table& b) { return a.table < b.table; });
  return tables;
}

std::string ReseedFromText(const Delivery& from) {
  std::string text = std::string(VersionName(from.version)) + "/etl_date=" + from.date;
  if (from.version == Version::kV2) text += "/etl_hour=" + from.hour;
  return text;
}

OrderedJson NameJson(const TableName& table) { return {{"schema", table.schema}, {"table", table.table}}; }

OrderedJson DeliveredJson(const DeliveredTable& delivered, Version version) {
  OrderedJson json = NameJson(delivered.table);
  const bool full = delivered.mode == TableMode::kFull;
  if (delivered.mode) {
    json["mode"] = full ? kFullRefresh : kIncrementalAppend;
    json["read"] = full ? kLatestSnapshot : kUnionAllPartitions;
  }
  if (full) return json;
  json["reseed"] = delivered.reseed;
  if (delivered.reseed_from) json["reseed_from"] = ReseedFromText(*delivered.reseed_from);
  if (delivered.delivered_through && version == Version::kV2) {
    json["delivered_through"] = FormatRfc3339(*delivered.delivered_through);
  }
  return json;
}

OrderedJson AbsentJson(const std::vector<AbsentTable>& tables) {
  OrderedJson list = OrderedJson::array();
  for (const AbsentTable& absent : Sorted(tables)) {
    OrderedJson json = NameJson(absent.table);
    json["reason"] = absent.reason;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

const DeliveredTable* Manifest::FindDelivered(const TableName& table) const {
  const auto found = std::find_if(delivered.begin(), delivered.end(),
                                  [&](const DeliveredTable& candidate) { return candidate.table == table; });
  return found == delivered.end() ? nullptr : &*found;
}

Result<ParsedManifest> ParseManifest(const Delivery& delivery, std::string_view text) {
  if (text.size() > kMaxManifestBytes) {
    return Corruption("the manifest is larger than " + HumanBytes(kMaxManifestBytes) + ": " + HumanBytes(text.size()));
  }
  TG_ASSIGN_OR_RETURN(const Json root, ParseJson(text));
  if (!root.is_object()) return Corruption("the manifest is not a JSON object but " + Shown(root));
  return Reader(delivery, root).Read();
}

std::string WriteManifest(const Manifest& manifest) {
  const bool v2 = manifest.delivery.version == Version::kV2;
  OrderedJson json;
  json["snapshot_date"] = manifest.delivery.date;
  if (v2) json["snapshot_hour"] = manifest.delivery.hour;
  json["complete"] = manifest.missing.empty() && manifest.pending.empty();
  json["tables_delivered"] = OrderedJson::array();
  for (const DeliveredTable& delivered : Sorted(manifest.delivered)) {
    json["tables_delivered"].push_back(DeliveredJson(delivered, manifest.delivery.version));
  }
  std::vector<AbsentTable> missing = manifest.missing;
  if (!v2) missing.insert(missing.end(), manifest.pending.begin(), manifest.pending.end());
  json["tables_missing"] = AbsentJson(missing);
  if (v2) json["tables_pending"] = AbsentJson(manifest.pending);
  // Reasons come from databases: bytes that are not UTF-8 become U+FFFD instead of an exception.
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace tidegate::contract
