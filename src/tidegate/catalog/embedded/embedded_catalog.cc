#include "tidegate/catalog/embedded/embedded_catalog.h"

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"

namespace tidegate::catalog {
namespace {

constexpr const char* kFormat = "1";
constexpr const char* kAdvice =
    "it is no catalog, or it is damaged: put back a copy of it, or name another file and declare its tables again";

// docs/formats/hive-catalog.md
constexpr const char* kCreate =
    "CREATE TABLE IF NOT EXISTS hive_catalog (format TEXT NOT NULL, changes INTEGER NOT NULL);"
    "INSERT INTO hive_catalog SELECT '1', 0 WHERE NOT EXISTS (SELECT 1 FROM hive_catalog);"
    "CREATE TABLE IF NOT EXISTS hive_tables (db TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, "
    "file_format TEXT NOT NULL, columns TEXT NOT NULL, partition_columns TEXT NOT NULL, location TEXT NOT NULL, "
    "parameters TEXT NOT NULL, PRIMARY KEY (db, name));"
    "CREATE TABLE IF NOT EXISTS hive_partitions (db TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, "
    "location TEXT NOT NULL, columns TEXT NOT NULL, parameters TEXT NOT NULL, version TEXT NOT NULL, "
    "PRIMARY KEY (db, name, path));";

constexpr std::pair<TableKind, std::string_view> kKinds[] = {{TableKind::kExternal, "external"},
                                                             {TableKind::kManaged, "managed"},
                                                             {TableKind::kView, "view"},
                                                             {TableKind::kIceberg, "iceberg"}};

std::string NameOf(TableKind kind) {
  for (const auto& [one, name] : kKinds) {
    if (one == kind) return std::string(name);
  }
  return "other";
}

TableKind KindOf(std::string_view text) {
  for (const auto& [kind, name] : kKinds) {
    if (name == text) return kind;
  }
  return TableKind::kOther;
}

std::string ColumnsText(const std::vector<HiveColumn>& columns) {
  OrderedJson out = OrderedJson::array();
  for (const HiveColumn& column : columns) out.push_back(OrderedJson{{"name", column.name}, {"type", column.type}});
  return DumpJson(out);
}

Result<std::vector<HiveColumn>> ReadColumns(const std::string& text) {
  TG_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_array()) return Corruption("columns are no list");
  std::vector<HiveColumn> out;
  for (const Json& column : json) {
    if (!column.is_object()) return Corruption("a column is no object");
    TG_ASSIGN_OR_RETURN(std::string name, RequireText(column, "name"));
    TG_ASSIGN_OR_RETURN(std::string type, RequireText(column, "type"));
    out.push_back({std::move(name), std::move(type)});
  }
  return out;
}

std::string ParametersText(const std::map<std::string, std::string>& parameters) {
  OrderedJson out = OrderedJson::object();
  for (const auto& [key, value] : parameters) out[key] = value;
  return DumpJson(out);
}

Result<std::map<std::string, std::string>> ReadParameters(const std::string& text) {
  TG_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("parameters are no object");
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return Corruption("parameter " + Quoted(key) + " is no text");
    out[key] = value.get<std::string>();
  }
  return out;
}

/// Columns: path, location, columns, parameters, version.
Result<HivePartition> ReadPartition(const std::vector<HiveColumn>& columns, const sqlite::Row& row) {
  HivePartition out;
  TG_ASSIGN_OR_RETURN(out.values, ParsePartitionPath(columns, row[0]));
  out.location = row[1];
  TG_ASSIGN_OR_RETURN(out.columns, ReadColumns(row[2]));
  TG_ASSIGN_OR_RETURN(out.parameters, ReadParameters(row[3]));
  out.version = row[4];
  return out;
}

/// Columns: kind, file_format, columns, partition_columns, location, parameters.
Result<HiveTable> ReadTable(const HiveName& name, const sqlite::Row& row) {
  HiveTable out{.name = name, .kind = KindOf(row[0]), .location = row[4]};
  out.format = row[1] == "parquet" ? FileFormat::kParquet : FileFormat::kOther;
  TG_ASSIGN_OR_RETURN(out.columns, ReadColumns(row[2]));
  TG_ASSIGN_OR_RETURN(out.partition_columns, ReadColumns(row[3]));
  TG_ASSIGN_OR_RETURN(out.parameters, ReadParameters(row[5]));
  return out;
}

std::string PathText(const PartitionValues& values) {
  std::vector<std::string> parts;
  for (const auto& value : values) parts.push_back(value ? Quoted(*value) : "null");
  return Join(parts, ", ");
}

}  // namespace

Result<std::unique_ptr<EmbeddedCatalog>> EmbeddedCatalog::Open(const std::string& path) {
  TG_ASSIGN_OR_RETURN(auto db, sqlite::Database::Open(path, kAdvice));
  auto known = db.Query("SELECT format FROM hive_catalog", {});
  if (!known.ok() || known->empty()) {
    TG_RETURN_IF_ERROR(db.Execute("BEGIN IMMEDIATE"));
    TG_RETURN_IF_ERROR(db.Execute(kCreate));
    TG_RETURN_IF_ERROR(db.Execute("COMMIT"));
    known = db.Query("SELECT format FROM hive_catalog", {});
  }
  if (!known.ok()) return known.status();
  if (known->at(0).at(0) != kFormat) {
    return Unsupported("the catalog " + Quoted(path) + " was written by a newer tidegate (format " +
                       Quoted(known->at(0).at(0)) + "): install that version");
  }
  return std::unique_ptr<EmbeddedCatalog>(new EmbeddedCatalog(path, std::move(db)));
}

template <typename Work>
Status EmbeddedCatalog::InTransaction(const Work& work) {
  TG_RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  Status done = work();
  if (done.ok()) done = db_.Execute("COMMIT");
  if (!done.ok()) static_cast<void>(db_.Execute("ROLLBACK"));
  return done;
}

Status EmbeddedCatalog::NoTable(const HiveName& name) const {
  return NotFound("there is no table " + Quoted(name.ToString()) + " in " + Describe() +
                  ": `tidegate publish` makes it with its first partition; `tidegate runs` lists what is there");
}

Status EmbeddedCatalog::NoPartition(const HiveName& name, const PartitionValues& values) const {
  return NotFound("table " + Quoted(name.ToString()) + " has no partition (" + PathText(values) + ") in " + Describe());
}

Status EmbeddedCatalog::CreateTable(const HiveTable& table) {
  TG_RETURN_IF_ERROR(db_.Run("INSERT INTO hive_tables VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
                             {table.name.database, table.name.table, NameOf(table.kind),
                              table.format == FileFormat::kParquet ? "parquet" : "other", ColumnsText(table.columns),
                              ColumnsText(table.partition_columns), table.location, ParametersText(table.parameters)}));
  if (db_.Changes() == 1) return {};
  return AlreadyExists("table " + Quoted(table.name.ToString()) + " is in " + Describe() + " already");
}

Result<HiveTable> EmbeddedCatalog::GetTable(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const auto rows,
                      db_.Query("SELECT kind, file_format, columns, partition_columns, location, parameters FROM "
                                "hive_tables WHERE db = ?1 AND name = ?2",
                                {name.database, name.table}));
  if (rows.empty()) return NoTable(name);
  auto table = ReadTable(name, rows[0]);
  if (!table.ok()) return table.status().WithContext("table " + Quoted(name.ToString()) + " of " + Describe());
  return table;
}

Result<std::vector<HiveName>> EmbeddedCatalog::ListTables() {
  TG_ASSIGN_OR_RETURN(const auto rows, db_.Query("SELECT db, name FROM hive_tables ORDER BY db, name", {}));
  std::vector<HiveName> out;
  out.reserve(rows.size());
  for (const auto& row : rows) out.push_back({row[0], row[1]});
  return out;
}

Status EmbeddedCatalog::DropTable(const HiveName& name) {
  return InTransaction([&]() -> Status {
    TG_RETURN_IF_ERROR(db_.Run("DELETE FROM hive_tables WHERE db = ?1 AND name = ?2", {name.database, name.table}));
    if (db_.Changes() == 0) return NoTable(name);
    return db_.Run("DELETE FROM hive_partitions WHERE db = ?1 AND name = ?2", {name.database, name.table});
  });
}

Result<HivePartition> EmbeddedCatalog::GetPartition(const HiveName& name, const PartitionValues& values) {
  TG_ASSIGN_OR_RETURN(const HiveTable table, GetTable(name));
  TG_ASSIGN_OR_RETURN(const std::string path, PartitionPath(table.partition_columns, values));
  TG_ASSIGN_OR_RETURN(const auto rows,
                      db_.Query("SELECT path, location, columns, parameters, version FROM hive_partitions WHERE db = "
                                "?1 AND name = ?2 AND path = ?3",
                                {name.database, name.table, path}));
  if (rows.empty()) return NoPartition(name, values);
  return ReadPartition(table.partition_columns, rows[0]);
}

Result<std::vector<HivePartition>> EmbeddedCatalog::ListPartitions(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const HiveTable table, GetTable(name));
  TG_ASSIGN_OR_RETURN(const auto rows, db_.Query("SELECT path, location, columns, parameters, version FROM "
                                                 "hive_partitions WHERE db = ?1 AND name = ?2 ORDER BY path",
                                                 {name.database, name.table}));
  std::vector<HivePartition> out;
  for (const auto& row : rows) {
    TG_ASSIGN_OR_RETURN(HivePartition partition, ReadPartition(table.partition_columns, row));
    out.push_back(std::move(partition));
  }
  return out;
}

Status EmbeddedCatalog::Add(const HiveTable& table, const HivePartition& partition, Status& entry) {
  const HiveName& name = table.name;
  TG_ASSIGN_OR_RETURN(const std::string path, PartitionPath(table.partition_columns, partition.values));
  TG_RETURN_IF_ERROR(db_.Execute("UPDATE hive_catalog SET changes = changes + 1"));
  TG_RETURN_IF_ERROR(
      db_.Run("INSERT INTO hive_partitions SELECT ?1, ?2, ?3, ?4, ?5, ?6, changes FROM hive_catalog "
              "WHERE true ON CONFLICT DO NOTHING",
              {name.database, name.table, path, partition.location, ColumnsText(partition.columns),
               ParametersText(partition.parameters)}));
  if (db_.Changes() == 0) {
    entry = AlreadyExists("table " + Quoted(name.ToString()) + " has the partition " + Quoted(path) + " already");
  }
  return {};
}

Status EmbeddedCatalog::Update(const HiveTable& table, const HivePartition& partition, Status& entry) {
  const HiveName& name = table.name;
  TG_ASSIGN_OR_RETURN(const std::string path, PartitionPath(table.partition_columns, partition.values));
  TG_RETURN_IF_ERROR(db_.Execute("UPDATE hive_catalog SET changes = changes + 1"));
  TG_RETURN_IF_ERROR(
      db_.Run("UPDATE hive_partitions SET location = ?4, columns = ?5, parameters = ?6, version = "
              "(SELECT changes FROM hive_catalog) WHERE db = ?1 AND name = ?2 AND path = ?3 AND version "
              "= ?7",
              {name.database, name.table, path, partition.location, ColumnsText(partition.columns),
               ParametersText(partition.parameters), partition.version}));
  if (db_.Changes() == 1) return {};
  TG_ASSIGN_OR_RETURN(const auto there, db_.Query("SELECT location FROM hive_partitions WHERE db = ?1 AND name = ?2 "
                                                  "AND path = ?3",
                                                  {name.database, name.table, path}));
  entry = there.empty() ? NoPartition(name, partition.values)
                        : PreconditionFailed("the partition " + Quoted(path) + " of " + Quoted(name.ToString()) +
                                             " was changed by another program meanwhile; it points to " +
                                             Quoted(there[0][0], 1200));
  return {};
}

Result<std::vector<Status>> EmbeddedCatalog::Each(const HiveName& name, const std::vector<HivePartition>& partitions,
                                                  ChangeOne change) {
  std::vector<Status> out;
  const Status done = InTransaction([&]() -> Status {
    TG_ASSIGN_OR_RETURN(const HiveTable table, GetTable(name));
    for (const HivePartition& partition : partitions) {
      TG_RETURN_IF_ERROR((this->*change)(table, partition, out.emplace_back()));
    }
    return {};
  });
  if (!done.ok()) return done;
  return out;
}

Result<std::vector<Status>> EmbeddedCatalog::AddPartitions(const HiveName& name,
                                                           const std::vector<HivePartition>& partitions) {
  return Each(name, partitions, &EmbeddedCatalog::Add);
}

Result<std::vector<Status>> EmbeddedCatalog::UpdatePartitions(const HiveName& name,
                                                              const std::vector<HivePartition>& partitions) {
  return Each(name, partitions, &EmbeddedCatalog::Update);
}

Status EmbeddedCatalog::DropPartition(const HiveName& name, const PartitionValues& values) {
  TG_ASSIGN_OR_RETURN(const HiveTable table, GetTable(name));
  TG_ASSIGN_OR_RETURN(const std::string path, PartitionPath(table.partition_columns, values));
  TG_RETURN_IF_ERROR(db_.Run("DELETE FROM hive_partitions WHERE db = ?1 AND name = ?2 AND path = ?3",
                             {name.database, name.table, path}));
  return db_.Changes() == 1 ? Status() : NoPartition(name, values);
}

}  // namespace tidegate::catalog
