#include "tidegate/query/view_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::query {
namespace {

using engine::SqlName;
using engine::SqlText;
using schema::Field;
using schema::Kind;

/// DuckDB's virtual columns: a table's own column of such a name takes another one inside the scan.
bool IsVirtualName(std::string_view name) {
  const std::string lower = ToLower(name);
  return lower == "file_index" || lower == "file_row_number" || lower == "filename";
}

std::string ScanName(const std::string& physical) {
  return SqlName(IsVirtualName(physical) ? physical + " (column)" : physical);
}

/// The constants of one file: partition values by field id. A field that is not there is read from the file.
using Constants = std::map<int, std::optional<std::string>>;

struct ScanFile {
  std::string location;
  Constants constants;
};

/// Files that one read_parquet reads: all have constants for the same fields.
struct Scan {
  std::vector<ScanFile> files;
  std::vector<std::string> delete_files;  // locations
  int64_t rows = 0;
};

class SelectBuilder {
 public:
  SelectBuilder(const TableState& table, RowsOf rows) : table_(table), rows_(rows) {}

  Result<std::string> Build() {
    TG_RETURN_IF_ERROR(IndexDeletes());
    TG_ASSIGN_OR_RETURN(const std::vector<Scan> scans, MakeScans());
    if (scans.empty()) return EmptySelect();
    std::vector<std::string> selects;
    for (const Scan& scan : scans) {
      TG_ASSIGN_OR_RETURN(std::string select, ScanSelect(scan));
      selects.push_back(std::move(select));
    }
    return Join(selects, "\nUNION ALL\n");
  }

 private:
  Status IndexDeletes();
  bool HasDeletes(const std::string& location) const {
    return !deletes_of_any_file_.empty() || deletes_of_.count(location) > 0;
  }
  Result<Constants> ConstantsOf(const table::DataFile& file) const;
  Result<std::vector<Scan>> MakeScans() const;
  void AddDeletes(Scan& scan) const;

  std::string EmptySelect() const;
  Result<std::string> ScanSelect(const Scan& scan) const;
  Result<std::string> ReadParquet(const std::vector<std::string>& locations, const std::string& schema_map,
                                  int64_t rows) const;
  Result<std::string> DeadRows(const Scan& scan) const;
  std::string ColumnExpression(const Field& field, const Scan& scan) const;
  std::string SchemaMap(const Constants& constants) const;
  std::vector<std::string> PhysicalNames(const Field& field) const;

  const TableState& table_;
  const RowsOf rows_;
  std::map<std::string, std::vector<std::string>> deletes_of_;  // data file → its delete files
  std::vector<std::string> deletes_of_any_file_;                // that name no single data file
};

Status CheckParquet(const table::DataFile& file) {
  if (ToLower(file.format) == "parquet") return Status::Ok();
  return Unsupported("only Parquet files can be queried: " + Quoted(file.location) + " is " + Quoted(file.format));
}

Status SelectBuilder::IndexDeletes() {
  for (const table::LiveFile& live : table_.files.position_deletes) {
    TG_RETURN_IF_ERROR(CheckParquet(live.file));
    if (live.file.content != table::FileContent::kPositionDeletes) {
      return Unsupported("a table with equality deletes cannot be queried: " + Quoted(live.file.location));
    }
    if (live.file.referenced_data_file)
      deletes_of_[*live.file.referenced_data_file].push_back(live.file.location);
    else
      deletes_of_any_file_.push_back(live.file.location);
  }
  return Status::Ok();
}

Result<Constants> SelectBuilder::ConstantsOf(const table::DataFile& file) const {
  Constants out;
  const auto spec = std::find_if(table_.specs.begin(), table_.specs.end(),
                                 [&](const table::PartitionSpec& s) { return s.spec_id == file.spec_id; });
  if (spec == table_.specs.end() || spec->fields.size() != file.partition.size()) {
    return Corruption("the partition values of a data file do not fit its partition spec: " + Quoted(file.location));
  }
  for (size_t i = 0; i < spec->fields.size(); ++i) {
    if (spec->fields[i].transform == "identity") out[spec->fields[i].source_id] = file.partition[i];
  }
  return out;
}

Result<std::vector<Scan>> SelectBuilder::MakeScans() const {
  // In the order of the partition values, so that many scans have one value for all their files.
  std::map<std::pair<bool, std::vector<int>>, std::vector<std::pair<ScanFile, int64_t>>> groups;
  for (const table::LiveFile& live : table_.files.data) {
    if (rows_ == RowsOf::kDeleted && !HasDeletes(live.file.location)) continue;
    TG_RETURN_IF_ERROR(CheckParquet(live.file));
    TG_ASSIGN_OR_RETURN(Constants constants, ConstantsOf(live.file));
    std::vector<int> fields;
    for (const auto& [id, value] : constants) fields.push_back(id);
    groups[{HasDeletes(live.file.location), fields}].push_back(
        {{live.file.location, std::move(constants)}, live.file.record_count});
  }
  std::vector<Scan> scans;
  for (auto& [key, files] : groups) {
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first.constants, a.first.location) < std::tie(b.first.constants, b.first.location);
    });
    for (size_t i = 0; i < files.size(); ++i) {
      if (i % kFilesOfScan == 0) scans.emplace_back();
      scans.back().rows += files[i].second;
      scans.back().files.push_back(std::move(files[i].first));
    }
  }
  for (Scan& scan : scans) AddDeletes(scan);
  return scans;
}

void SelectBuilder::AddDeletes(Scan& scan) const {
  std::set<std::string> locations(deletes_of_any_file_.begin(), deletes_of_any_file_.end());
  for (const ScanFile& file : scan.files) {
    const auto found = deletes_of_.find(file.location);
    if (found != deletes_of_.end()) locations.insert(found->second.begin(), found->second.end());
  }
  scan.delete_files.assign(locations.begin(), locations.end());
}

std::string SelectBuilder::EmptySelect() const {
  std::vector<std::string> columns;
  for (const Field& field : table_.schema.fields) {
    columns.push_back(fmt::format("CAST(NULL AS {}) AS {}", DuckDbType(field.type), SqlName(field.name)));
  }
  return "SELECT " + Join(columns, ", ") + " WHERE false";
}

std::vector<std::string> SelectBuilder::PhysicalNames(const Field& field) const {
  const auto entry = std::find_if(table_.mapping.begin(), table_.mapping.end(),
                                  [&](const table::NameMapping& m) { return m.field_id == field.id; });
  if (entry != table_.mapping.end() && !entry->names.empty()) return entry->names;
  return {field.name};
}

std::string SelectBuilder::SchemaMap(const Constants& constants) const {
  std::vector<std::string> entries;
  for (const Field& field : table_.schema.fields) {
    if (constants.count(field.id) > 0) continue;
    for (const std::string& name : PhysicalNames(field)) {
      const std::string scan_name = IsVirtualName(name) ? name + " (column)" : name;
      entries.push_back(fmt::format("{}: {{'name': {}, 'type': {}, 'default_value': NULL}}", SqlText(name),
                                    SqlText(scan_name), SqlText(DuckDbType(field.type))));
    }
  }
  return entries.empty() ? "" : "MAP {" + Join(entries, ", ") + "}";
}

std::string Literal(const std::optional<std::string>& value) { return value ? SqlText(*value) : "NULL"; }

std::string SelectBuilder::ColumnExpression(const Field& field, const Scan& scan) const {
  const std::string type = DuckDbType(field.type);
  const auto constant = scan.files[0].constants.find(field.id);
  if (constant == scan.files[0].constants.end()) {
    std::vector<std::string> names;
    for (const std::string& name : PhysicalNames(field)) names.push_back("data." + ScanName(name));
    return names.size() == 1 ? names[0] : "coalesce(" + Join(names, ", ") + ")";
  }
  std::vector<std::string> values;
  bool same = true;
  for (const ScanFile& file : scan.files) {
    values.push_back(Literal(file.constants.at(field.id)));
    same = same && values.back() == values.front();
  }
  if (same) return fmt::format("CAST({} AS {})", values[0], type);
  return fmt::format("CAST([{}] AS {}[])[CAST(data.file_index AS BIGINT) + 1]", Join(values, ", "), type);
}

Result<std::string> SelectBuilder::ReadParquet(const std::vector<std::string>& locations, const std::string& schema_map,
                                               int64_t rows) const {
  std::vector<std::string> paths;
  for (const std::string& location : locations) {
    TG_ASSIGN_OR_RETURN(const std::string path, EnginePathOf(location));
    paths.push_back(SqlText(path));
  }
  std::string options = "hive_partitioning = false";
  if (rows > 0) options += fmt::format(", explicit_cardinality = {}", rows);
  if (!schema_map.empty()) options += ", schema = " + schema_map;
  return fmt::format("read_parquet([{}], {})", Join(paths, ", "), options);
}

/// The dead rows of a scan's files as (file_index, pos).
Result<std::string> SelectBuilder::DeadRows(const Scan& scan) const {
  static const std::string kSchema =
      "MAP {'file_path': {'name': 'file_path', 'type': 'VARCHAR', 'default_value': NULL}, "
      "'pos': {'name': 'pos', 'type': 'BIGINT', 'default_value': NULL}}";
  TG_ASSIGN_OR_RETURN(const std::string deletes, ReadParquet(scan.delete_files, kSchema, 0));
  std::vector<std::string> files;
  for (size_t i = 0; i < scan.files.size(); ++i) {
    files.push_back(fmt::format("({}, {}::UBIGINT)", SqlText(scan.files[i].location), i));
  }
  return fmt::format(
      "SELECT files.file_index, deletes.pos FROM {} AS deletes JOIN (VALUES {}) AS "
      "files(file_path, file_index) ON files.file_path = deletes.file_path",
      deletes, Join(files, ", "));
}

Result<std::string> SelectBuilder::ScanSelect(const Scan& scan) const {
  std::vector<std::string> columns;
  for (const Field& field : table_.schema.fields) {
    columns.push_back(ColumnExpression(field, scan) + " AS " + SqlName(field.name));
  }
  std::vector<std::string> locations;
  for (const ScanFile& file : scan.files) locations.push_back(file.location);
  TG_ASSIGN_OR_RETURN(const std::string data, ReadParquet(locations, SchemaMap(scan.files[0].constants), scan.rows));
  std::string out = "SELECT " + Join(columns, ", ") + " FROM " + data + " AS data";
  if (scan.delete_files.empty()) return out;
  TG_ASSIGN_OR_RETURN(const std::string dead, DeadRows(scan));
  return out + (rows_ == RowsOf::kLive ? " ANTI" : " SEMI") + " JOIN (" + dead +
         ") AS dead ON dead.file_index = data.file_index AND dead.pos = data.file_row_number";
}

std::string StructType(const std::vector<Field>& fields) {
  std::vector<std::string> parts;
  parts.reserve(fields.size());
  for (const Field& field : fields) parts.push_back(SqlName(field.name) + " " + DuckDbType(field.type));
  return "STRUCT(" + Join(parts, ", ") + ")";
}

}  // namespace

std::string DuckDbType(const schema::Type& type) {
  switch (type.kind) {
    case Kind::kBoolean:
      return "BOOLEAN";
    case Kind::kInt:
      return "INTEGER";
    case Kind::kLong:
      return "BIGINT";
    case Kind::kFloat:
      return "FLOAT";
    case Kind::kDouble:
      return "DOUBLE";
    case Kind::kDecimal:
      return fmt::format("DECIMAL({},{})", type.precision, type.scale);
    case Kind::kDate:
      return "DATE";
    case Kind::kTime:
      return "TIME";
    case Kind::kTimestamp:
      return "TIMESTAMP";
    case Kind::kTimestampTz:
      return "TIMESTAMP WITH TIME ZONE";
    case Kind::kString:
      return "VARCHAR";
    case Kind::kUuid:
      return "UUID";
    case Kind::kFixed:
    case Kind::kBinary:
      return "BLOB";
    case Kind::kStruct:
      return StructType(type.children);
    case Kind::kList:
      return DuckDbType(type.children.at(0).type) + "[]";
    case Kind::kMap:
      return fmt::format("MAP({}, {})", DuckDbType(type.children.at(0).type), DuckDbType(type.children.at(1).type));
  }
  return "VARCHAR";
}

Result<std::string> EnginePathOf(const std::string& location) {
  std::string path = location;
  if (path.starts_with("s3a://")) path.erase(2, 1);  // as Spark writes it
  if (path.starts_with("s3://")) {
    // What makes a glob's characters literal on a disk would be a listing there.
    if (path.find_first_of("*?[") == std::string::npos) return path;
    return Unsupported("a file in a bucket cannot be queried where its name holds one of * ? [: " + Quoted(location));
  }
  if (path.starts_with("file://"))
    path.erase(0, 7);
  else if (path.starts_with("file:/"))  // as Spark writes it
    path.erase(0, 5);
  if (!path.empty() && path[0] == '/') return engine::LiteralPath(path);
  return Unsupported("only files on this machine or in a bucket of S3 can be queried: " + Quoted(location));
}

Result<std::string> SelectSql(const TableState& table, RowsOf rows) {
  if (table.schema.fields.empty()) return Unsupported("a table without columns cannot be queried");
  return SelectBuilder(table, rows).Build();
}

}  // namespace tidegate::query
