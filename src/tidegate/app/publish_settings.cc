#include "tidegate/app/publish_settings.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tidegate/app/memory.h"
#include "tidegate/app/time_text.h"
#include "tidegate/app/toml_values.h"
#include "tidegate/base/text.h"
#include "tidegate/contract/folder.h"
#include "tidegate/publish/partition_plan.h"

namespace tidegate::app {
namespace {

using publish::Audits;
using publish::Definition;

Status ReadNames(const toml::table& section, const char* name, const std::string& where,
                 std::vector<std::string>* out) {
  if (!section.contains(name)) return {};
  Status wrong = InvalidArgument(where + ": " + name + " must be a list of texts, as [\"a\", \"b\"]");
  const toml::array* list = section[name].as_array();
  if (list == nullptr) return wrong;
  for (const toml::node& node : *list) {
    const auto text = node.value<std::string>();
    if (!text) return wrong;
    out->push_back(*text);
  }
  return {};
}

/// ["customer"] is one key of one column; [["day", "hour"], ["id"]] are two keys.
Status ReadKeys(const toml::table& section, const std::string& where, std::vector<std::vector<std::string>>* out) {
  const toml::array* list = section["unique"].as_array();
  const bool nested = list != nullptr && !list->empty() && list->front().is_array();
  if (!nested) {
    std::vector<std::string> key;
    TG_RETURN_IF_ERROR(ReadNames(section, "unique", where, &key));
    if (!key.empty()) out->push_back(std::move(key));
    return {};
  }
  for (const toml::node& node : *list) {
    toml::table one;
    one.insert("unique", node);
    std::vector<std::string> key;
    TG_RETURN_IF_ERROR(ReadNames(one, "unique", where, &key));
    out->push_back(std::move(key));
  }
  return {};
}

Status ReadAccepted(const toml::table& section, const std::string& where, Audits& out) {
  if (!section.contains("accepted")) return {};
  const toml::table* columns = section["accepted"].as_table();
  if (columns == nullptr) return InvalidArgument(where + ": accepted must be { column = [\"value\", …] }");
  for (const auto& [column, values] : *columns) {
    const std::string name(column.str());
    TG_RETURN_IF_ERROR(ReadNames(*columns, name.c_str(), where + " accepted", &out.accepted[name]));
  }
  return {};
}

Status ReadAudits(const toml::table& table, const std::string& source, Audits& out) {
  const toml::table* section = table["audit"].as_table();
  if (section == nullptr && !table.contains("audit")) return {};
  const std::string where = source + " audit";
  if (section == nullptr) return InvalidArgument(where + ": write it as [publish.audit], with its settings below");
  TG_RETURN_IF_ERROR(CheckNames(
      *section, {"min_rows", "max_rows", "max_shrink", "max_growth", "not_null", "unique", "accepted", "no_rows"},
      where));
  std::optional<int> least, most;
  constexpr int kMost = 2'000'000'000;
  TG_RETURN_IF_ERROR(ReadInt(*section, "min_rows", where, 0, kMost, &least));
  TG_RETURN_IF_ERROR(ReadInt(*section, "max_rows", where, 0, kMost, &most));
  if (least) out.min_rows = *least;
  if (most) out.max_rows = *most;
  TG_RETURN_IF_ERROR(ReadShare(*section, "max_shrink", where, 1,
                               "a number from 0 to 1, the part of the rows that may go", &out.max_shrink));
  TG_RETURN_IF_ERROR(
      ReadShare(*section, "max_growth", where, 1e9, "a number, the part of the rows that may come", &out.max_growth));
  TG_RETURN_IF_ERROR(ReadNames(*section, "not_null", where, &out.not_null));
  TG_RETURN_IF_ERROR(ReadNames(*section, "no_rows", where, &out.no_rows));
  TG_RETURN_IF_ERROR(ReadKeys(*section, where, &out.unique));
  return ReadAccepted(*section, where, out);
}

Result<catalog::HiveName> ParseName(const std::string& text) {
  const size_t dot = text.find('.');
  if (dot == 0 || dot == std::string::npos || dot + 1 == text.size() || text.find('.', dot + 1) != std::string::npos) {
    return InvalidArgument("write it as database.table, not " + Quoted(text));
  }
  return catalog::HiveName{text.substr(0, dot), text.substr(dot + 1)};
}

/// "day" is a string column; "day date" has a type.
Status ReadPartitionColumns(const toml::table& table, const std::string& where, Definition& out) {
  std::vector<std::string> columns;
  TG_RETURN_IF_ERROR(ReadNames(table, "partition_by", where, &columns));
  for (const std::string& text : columns) {
    const size_t space = text.find(' ');
    out.partition_columns.push_back(
        {text.substr(0, space), space == std::string::npos ? "string" : std::string(Trim(text.substr(space)))});
    if (!publish::IsPartitionType(out.partition_columns.back().type)) {
      return InvalidArgument(where + ": partition_by: " + Quoted(out.partition_columns.back().type) +
                             " is not the type of a partition column: string, date, int, bigint, timestamp, "
                             "decimal(10,2) and the like");
    }
    if (out.partition_columns.back().name != "run") continue;
    return InvalidArgument(where + ": a partition column cannot be called run, which is the name of the runs' folders");
  }
  if (!out.partition_columns.empty()) return {};
  return InvalidArgument(where + ": partition_by names the partition columns, as [\"day\"]");
}

Status ReadSelect(const toml::table& table, const std::string& source, const std::string& where, Definition& out) {
  std::string file;
  TG_RETURN_IF_ERROR(ReadText(table, "select", where, AsItIs, &out.select));
  TG_RETURN_IF_ERROR(ReadText(table, "select_file", where, AsItIs, &file));
  if (out.select.empty() && file.empty() && !out.follow.empty()) {
    out.select = publish::SelectOfFollowed(out);
    return {};
  }
  if (out.select.empty() == file.empty()) {
    return InvalidArgument(where + ": give the query as select, or its file as select_file, one of the two");
  }
  if (file.empty()) return {};
  const std::filesystem::path path = std::filesystem::path(source).parent_path() / file;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return NotFound(where + ": cannot read select_file " + Quoted(path.string()));
  out.select = text.str();
  return {};
}

/// follow = "shop.orders" with partition_of, an expression for each column of partition_by.
Status ReadFollow(const toml::table& table, const std::string& where, Definition& out) {
  TG_RETURN_IF_ERROR(ReadText(table, "follow", where, AsItIs, &out.follow));
  TG_RETURN_IF_ERROR(ReadNames(table, "partition_of", where, &out.partition_of));
  if (out.follow.empty() && out.partition_of.empty()) return {};
  if (out.follow.empty()) return InvalidArgument(where + ": partition_of belongs to follow, the table of a lake");
  if (out.lake.empty()) return InvalidArgument(where + ": follow names a table of a lake: say which as lake = \"…\"");
  if (!out.partitions.empty()) {
    return InvalidArgument(where + ": follow finds the partitions itself, from what changed: leave partitions out");
  }
  const auto name = contract::ParseTableName(out.follow);
  if (!name.ok()) return name.status().WithContext(where + ": follow");
  if (out.partition_of.size() == out.partition_columns.size()) return {};
  return InvalidArgument(where + ": partition_of gives an expression for each column of partition_by, " +
                         std::to_string(out.partition_columns.size()) + ", as [\"CAST(ordered_at AS DATE)\"]");
}

Status ReadWriter(const toml::table& table, const std::string& where, parquet::CappedWriterOptions& out) {
  int64_t max_file = static_cast<int64_t>(out.max_file_bytes);
  TG_RETURN_IF_ERROR(ReadText(table, "max_file", where, ParseMemory, &max_file));
  out.max_file_bytes = static_cast<uint64_t>(max_file);
  TG_RETURN_IF_ERROR(ReadText(table, "compression", where, AsItIs, &out.compression));
  if (out.compression == "snappy" || out.compression == "zstd" || out.compression == "none") return {};
  return InvalidArgument(where + ": compression must be snappy, zstd or none");
}

Status ReadClean(const toml::table& table, const std::string& where, publish::CleanRules& out) {
  std::optional<int> keep;
  TG_RETURN_IF_ERROR(ReadInt(table, "keep_runs", where, 1, 10'000, &keep));
  out.keep_runs = keep.value_or(out.keep_runs);
  for (const auto& [name, to] : {std::pair{"min_age", &out.min_age}, std::pair{"failed_age", &out.failed_age}}) {
    std::chrono::milliseconds age = *to;
    TG_RETURN_IF_ERROR(ReadText(table, name, where, ParseDuration, &age));
    *to = std::chrono::ceil<std::chrono::seconds>(age);
  }
  return {};
}

Result<publish::BuildEngine> ParseEngine(const std::string& text) {
  if (text == "embedded") return publish::BuildEngine::kEmbedded;
  if (text == "athena") return publish::BuildEngine::kAthena;
  return InvalidArgument("it is \"embedded\" or \"athena\", not " + Quoted(text));
}

/// What makes no sense where Athena builds.
Status CheckForAthena(const toml::table& table, const std::string& where, const Definition& definition) {
  if (!IsS3Url(definition.location)) return InvalidArgument(where + ": with engine = \"athena\" location lies in S3");
  for (const char* name : {"source", "lake"}) {
    if (!table.contains(name)) continue;
    return InvalidArgument(where + ": " + name + " is for the embedded engine: Athena reads the tables of its catalog");
  }
  if (table.contains("max_file")) {
    return InvalidArgument(where +
                           ": max_file cannot be kept, as Athena decides how large its files are: leave it out");
  }
  if (definition.writer.compression != "none") return {};
  return InvalidArgument(where + ": Athena writes compression snappy or zstd");
}

Result<Definition> ReadDefinition(const toml::table& table, const std::string& source, const std::string& where) {
  Definition out;
  TG_RETURN_IF_ERROR(CheckNames(
      table,
      {"table", "partition_by", "location", "engine", "source", "lake", "select", "select_file", "partitions", "follow",
       "partition_of", "compression", "max_file", "keep_runs", "min_age", "failed_age", "audit"},
      where));
  TG_RETURN_IF_ERROR(ReadText(table, "table", where, ParseName, &out.table));
  if (out.table.table.empty()) return InvalidArgument(where + ": table names it, as \"sales.daily\"");
  TG_RETURN_IF_ERROR(ReadPartitionColumns(table, where, out));
  TG_RETURN_IF_ERROR(ReadText(table, "location", where, AsItIs, &out.location));
  if (out.location.empty())
    return InvalidArgument(where + ": location is where the table lies, as \"s3://bucket/daily\"");
  TG_RETURN_IF_ERROR(ReadText(table, "engine", where, ParseEngine, &out.engine));
  TG_RETURN_IF_ERROR(ReadText(table, "source", where, AsItIs, &out.source));
  TG_RETURN_IF_ERROR(ReadText(table, "lake", where, AsItIs, &out.lake));
  TG_RETURN_IF_ERROR(ReadText(table, "partitions", where, AsItIs, &out.partitions));
  if (!out.source.empty() && !out.lake.empty()) {
    return InvalidArgument(where + ": source is a DuckDB file and lake is a lake: give one of the two");
  }
  TG_RETURN_IF_ERROR(ReadFollow(table, where, out));
  TG_RETURN_IF_ERROR(ReadSelect(table, source, where, out));
  TG_RETURN_IF_ERROR(ReadWriter(table, where, out.writer));
  if (out.engine == publish::BuildEngine::kAthena) TG_RETURN_IF_ERROR(CheckForAthena(table, where, out));
  TG_RETURN_IF_ERROR(ReadClean(table, where, out.clean));
  TG_RETURN_IF_ERROR(ReadAudits(table, where, out.audits));
  // A partition that suddenly has no rows is what readers must not see. Of a followed table all rows may go.
  if (!out.audits.min_rows && out.follow.empty()) out.audits.min_rows = 1;
  TG_RETURN_IF_ERROR(publish::SelectFor(out, catalog::PartitionValues(out.partition_columns.size())).status());
  return out;
}

/// Two tables in one place would take each other's runs for their own.
Status CheckPlaceIsFree(const std::vector<Definition>& tables, const Definition& fresh, const std::string& where) {
  const auto place = [](const Definition& definition) {
    return std::filesystem::path(definition.location + "/").lexically_normal().string();
  };
  for (const Definition& other : tables) {
    if (place(other) != place(fresh)) continue;
    return InvalidArgument(where + ": " + Quoted(other.table.ToString()) + " lies at " + Quoted(fresh.location, 1200) +
                           ", too: give each table a location of its own");
  }
  return {};
}

}  // namespace

Result<PublishSettings> ReadPublish(const toml::table& root, const std::string& source) {
  PublishSettings out;
  TG_ASSIGN_OR_RETURN(const toml::table* catalog, FindSection(root, "hive_catalog", source));
  if (catalog != nullptr) {
    const std::string where = source + " [hive_catalog]";
    TG_RETURN_IF_ERROR(CheckNames(*catalog, {"url"}, where));
    TG_RETURN_IF_ERROR(ReadText(*catalog, "url", where, AsItIs, &out.catalog_url));
  }
  TG_ASSIGN_OR_RETURN(out.athena, ReadAthena(root, source));
  if (!root.contains("publish")) return out;
  const toml::array* list = root["publish"].as_array();
  if (list == nullptr)
    return InvalidArgument(source + ": a table to publish begins with [[publish]], in double brackets");
  for (const toml::node& node : *list) {
    const std::string where = source + " [[publish]] " + std::to_string(out.tables.size() + 1);
    const toml::table* table = node.as_table();
    if (table == nullptr) return InvalidArgument(where + ": write it as [[publish]], with its settings below");
    TG_ASSIGN_OR_RETURN(Definition definition, ReadDefinition(*table, source, where));
    TG_RETURN_IF_ERROR(CheckPlaceIsFree(out.tables, definition, where));
    out.tables.push_back(std::move(definition));
  }
  return out;
}

std::string FollowedName(const Definition& definition) {
  return definition.follow.empty() ? "" : definition.lake + "." + definition.follow;
}

Result<std::vector<Definition>> FindFollowers(const PublishSettings& settings, const std::string& from) {
  std::vector<Definition> out;
  std::set<std::string> known;
  for (const Definition& definition : settings.tables) {
    const std::string name = FollowedName(definition);
    if (name.empty()) continue;
    known.insert(name);
    if (name == from) out.push_back(definition);
  }
  if (!out.empty()) return out;
  const std::string there = Join(std::vector<std::string>(known.begin(), known.end()), ", ");
  return NotFound("no [[publish]] section of the settings follows " + Quoted(from) + ": " +
                  (known.empty() ? "none has a follow" : "they follow " + there) + " (docs/publish.md)");
}

Result<Definition> FindDefinition(const PublishSettings& settings, const std::string& table) {
  std::vector<std::string> names;
  for (const Definition& definition : settings.tables) {
    if (definition.table.ToString() == table) return definition;
    names.push_back(definition.table.ToString());
  }
  const std::string known = names.empty() ? "they have no [[publish]] section" : "they have " + Join(names, ", ");
  return NotFound("the settings do not say how to publish " + Quoted(table) + ": " + known + " (docs/publish.md)");
}

}  // namespace tidegate::app
