#include "tidegate/query/hive_views.h"

#include <algorithm>
#include <map>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/query/view_sql.h"

namespace tidegate::query {
namespace {

using catalog::HiveColumn;
using catalog::HivePartition;
using catalog::HiveTable;
using engine::SqlName;
using engine::SqlText;

/// Reads a Hive type from left to right.
class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : text_(text), rest_(text) {}

  Result<std::string> ReadAll() {
    TG_ASSIGN_OR_RETURN(std::string out, Read(0));
    if (!rest_.empty()) return Wrong();
    return out;
  }

 private:
  static constexpr int kDeepest = 32;

  Status Wrong() const { return Unsupported("not a type that can be read: " + Quoted(text_)); }

  std::string Word() {
    rest_ = Trim(rest_);
    const size_t end = std::min(rest_.find_first_of("<>(),:"), rest_.size());
    std::string out = ToLower(Trim(rest_.substr(0, end)));
    rest_.remove_prefix(end);
    return out;
  }

  bool Take(char c) {
    rest_ = Trim(rest_);
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Result<std::string> Read(int depth) {
    if (depth > kDeepest) return Wrong();
    const std::string word = Word();
    static const std::map<std::string, std::string> kPlain = {
        {"boolean", "BOOLEAN"}, {"tinyint", "TINYINT"}, {"smallint", "SMALLINT"},   {"int", "INTEGER"},
        {"integer", "INTEGER"}, {"bigint", "BIGINT"},   {"float", "FLOAT"},         {"double", "DOUBLE"},
        {"string", "VARCHAR"},  {"date", "DATE"},       {"timestamp", "TIMESTAMP"}, {"binary", "BLOB"}};
    if (const auto plain = kPlain.find(word); plain != kPlain.end()) return plain->second;
    if (word == "varchar" || word == "char") return Sized("VARCHAR", false);
    if (word == "decimal") return Sized("DECIMAL", true);
    if (word == "array") return Array(depth);
    if (word == "map") return Map(depth);
    if (word == "struct") return Struct(depth);
    return Wrong();
  }

  Result<std::string> Sized(const std::string& name, bool keep) {
    if (!Take('(')) return keep ? name + "(10,0)" : name;  // Hive's usual decimal
    std::string numbers;
    do {
      const std::string number = Word();
      const bool digits = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
      if (!digits || number.size() > 5) return Wrong();
      numbers += (numbers.empty() ? "" : ",") + number;
    } while (Take(','));
    if (!Take(')')) return Wrong();
    return keep ? name + "(" + numbers + ")" : name;
  }

  Result<std::string> Array(int depth) {
    if (!Take('<')) return Wrong();
    TG_ASSIGN_OR_RETURN(const std::string element, Read(depth + 1));
    if (!Take('>')) return Wrong();
    return element + "[]";
  }

  Result<std::string> Map(int depth) {
    if (!Take('<')) return Wrong();
    TG_ASSIGN_OR_RETURN(const std::string key, Read(depth + 1));
    if (!Take(',')) return Wrong();
    TG_ASSIGN_OR_RETURN(const std::string value, Read(depth + 1));
    if (!Take('>')) return Wrong();
    return "MAP(" + key + ", " + value + ")";
  }

  Result<std::string> Struct(int depth) {
    if (!Take('<')) return Wrong();
    std::vector<std::string> fields;
    do {
      const std::string name = Word();
      if (name.empty() || !Take(':')) return Wrong();
      TG_ASSIGN_OR_RETURN(const std::string type, Read(depth + 1));
      fields.push_back(SqlName(name) + " " + type);
    } while (Take(','));
    if (!Take('>')) return Wrong();
    return "STRUCT(" + Join(fields, ", ") + ")";
  }

  const std::string_view text_;
  std::string_view rest_;
};

/// A name that Hive's readers pass over, at any depth below the location.
bool IsHidden(std::string_view key) {
  const auto parts = Split(key, '/');
  return std::any_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return part.starts_with('_') || part.starts_with('.'); });
}

/// What DuckDB reads: nothing where the location holds no file.
Result<std::vector<std::string>> FilesAt(store::ObjectStore& place) {
  TG_ASSIGN_OR_RETURN(const store::Listing listing, place.List({}));
  std::vector<std::string> out;
  for (const store::ObjectInfo& object : listing.objects) {
    if (IsHidden(object.key) || object.size_bytes == 0) continue;
    TG_ASSIGN_OR_RETURN(const std::string path, EnginePathOf(place.Location(object.key)));
    out.push_back(SqlText(path));
  }
  return out;
}

class HiveViewMaker {
 public:
  HiveViewMaker(engine::DuckDb& db, catalog::HiveCatalog& catalog, const OpenLocation& open)
      : db_(db), catalog_(catalog), open_(open) {}

  Status Make(const catalog::HiveName& name) {
    TG_ASSIGN_OR_RETURN(const HiveTable table, catalog_.GetTable(name));
    if (table.kind != catalog::TableKind::kExternal && table.kind != catalog::TableKind::kManaged) {
      return Unsupported("it is a view, or a table of another kind: ask its own engine");
    }
    if (table.format != catalog::FileFormat::kParquet) return Unsupported("it does not hold Parquet files");
    TG_ASSIGN_OR_RETURN(std::string select, EmptySelect(table));
    TG_ASSIGN_OR_RETURN(const auto partitions, catalog_.ListPartitions(name));
    for (const HivePartition& partition : partitions) {
      TG_ASSIGN_OR_RETURN(const std::string part, PartitionSelect(table, partition));
      if (!part.empty()) select += "\nUNION ALL BY NAME " + part;
    }
    const std::string schema = "memory." + SqlName(name.database);
    TG_RETURN_IF_ERROR(db_.Execute("CREATE SCHEMA IF NOT EXISTS " + schema));
    return db_.Execute("CREATE VIEW " + schema + "." + SqlName(name.table) + " AS " + select);
  }

 private:
  /// Gives columns their order and types, also those that no file has.
  static Result<std::string> EmptySelect(const HiveTable& table) {
    std::vector<std::string> columns;
    for (const auto* list : {&table.columns, &table.partition_columns}) {
      for (const HiveColumn& column : *list) {
        TG_ASSIGN_OR_RETURN(const std::string type, DuckDbTypeOfHive(column.type));
        columns.push_back("CAST(NULL AS " + type + ") AS " + SqlName(column.name));
      }
    }
    return "SELECT " + Join(columns, ", ") + " WHERE false";
  }

  Result<std::string> PartitionSelect(const HiveTable& table, const HivePartition& partition) {
    TG_ASSIGN_OR_RETURN(const auto place, open_(partition.location));
    TG_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesAt(*place));
    if (files.empty()) return std::string();
    std::string out = "SELECT *";
    for (size_t i = 0; i < table.partition_columns.size(); ++i) {
      TG_ASSIGN_OR_RETURN(const std::string type, DuckDbTypeOfHive(table.partition_columns[i].type));
      const std::string value = partition.values[i] ? SqlText(*partition.values[i]) : "NULL";
      out += ", CAST(" + value + " AS " + type + ") AS " + SqlName(table.partition_columns[i].name);
    }
    return out + " FROM read_parquet([" + Join(files, ", ") + "], union_by_name = true, hive_partitioning = false)";
  }

  engine::DuckDb& db_;
  catalog::HiveCatalog& catalog_;
  const OpenLocation& open_;
};

}  // namespace

Result<std::string> DuckDbTypeOfHive(std::string_view hive_type) { return TypeReader(hive_type).ReadAll(); }

Status CreateHiveViews(engine::DuckDb& db, catalog::HiveCatalog& catalog, std::string_view sql,
                       const OpenLocation& open) {
  TG_ASSIGN_OR_RETURN(const auto tables, catalog.ListTables());
  if (tables.empty()) Log(LogLevel::kWarning, "there is no table in " + catalog.Describe() + ": publish one first");
  const std::string lower = ToLower(sql);
  const auto is_named = [&](const catalog::HiveName& name) {
    return lower.find(ToLower(name.table)) != std::string::npos;
  };
  const bool any_named = std::any_of(tables.begin(), tables.end(), is_named);
  HiveViewMaker maker(db, catalog, open);
  for (const catalog::HiveName& name : tables) {
    if (any_named && !is_named(name)) continue;
    const Status made = maker.Make(name);
    if (made.ok()) continue;
    Status failed = made.WithContext("table " + Quoted(name.ToString()));
    if (is_named(name)) return failed;
    Log(LogLevel::kWarning, failed.message() + "; it is left out");
  }
  return {};
}

}  // namespace tidegate::query
