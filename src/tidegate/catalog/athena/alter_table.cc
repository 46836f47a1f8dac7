#include "tidegate/catalog/athena/alter_table.h"

#include <algorithm>

#include "tidegate/athena/sql_text.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"

namespace tidegate::catalog {
namespace {

constexpr size_t kPartitionsAtOnce = 100;

Result<std::string> TableText(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const std::string database, athena::DdlName(name.database));
  TG_ASSIGN_OR_RETURN(const std::string table, athena::DdlName(name.table));
  return database + "." + table;
}

/// A type as this program writes it, and nothing that ends a list of columns.
Status CheckType(const std::string& type) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || std::string_view("_<>:,()").find(c) != std::string::npos;
  };
  if (!type.empty() && std::all_of(type.begin(), type.end(), plain)) return {};
  return InvalidArgument("not a type that a statement of Athena can hold: " + Quoted(type));
}

Result<std::string> ColumnsText(const std::vector<HiveColumn>& columns) {
  std::vector<std::string> out;
  out.reserve(columns.size());
  for (const HiveColumn& column : columns) {
    TG_ASSIGN_OR_RETURN(const std::string name, athena::DdlName(column.name));
    TG_RETURN_IF_ERROR(CheckType(column.type));
    out.push_back(name + " " + column.type);
  }
  return Join(out, ", ");
}

Result<std::string> SpecText(const HiveTable& table, const PartitionValues& values) {
  TG_RETURN_IF_ERROR(PartitionPath(table.partition_columns, values).status());
  std::vector<std::string> out;
  out.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    TG_ASSIGN_OR_RETURN(const std::string name, athena::DdlName(table.partition_columns[i].name));
    TG_ASSIGN_OR_RETURN(const std::string value, athena::DdlText(values[i].value_or(std::string(kNullPartition))));
    out.push_back(name + " = " + value);
  }
  return "PARTITION (" + Join(out, ", ") + ")";
}

}  // namespace

Result<std::string> CreateTableStatement(const HiveTable& table) {
  TG_ASSIGN_OR_RETURN(const std::string name, TableText(table.name));
  TG_ASSIGN_OR_RETURN(const std::string columns, ColumnsText(table.columns));
  TG_ASSIGN_OR_RETURN(const std::string partitions, ColumnsText(table.partition_columns));
  TG_ASSIGN_OR_RETURN(const std::string location, athena::DdlText(table.location));
  return "CREATE EXTERNAL TABLE " + name + " (" + columns + ") PARTITIONED BY (" + partitions +
         ") STORED AS PARQUET LOCATION " + location;
}

Result<std::string> DropTableStatement(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const std::string table, TableText(name));
  return "DROP TABLE " + table;
}

Result<std::string> AddClause(const HiveTable& table, const HivePartition& partition) {
  TG_ASSIGN_OR_RETURN(const std::string spec, SpecText(table, partition.values));
  TG_ASSIGN_OR_RETURN(const std::string location, athena::DdlText(partition.location));
  return spec + " LOCATION " + location;
}

Result<std::vector<std::pair<std::string, size_t>>> AddStatements(const HiveName& name,
                                                                  const std::vector<std::string>& clauses,
                                                                  size_t max_bytes) {
  TG_ASSIGN_OR_RETURN(const std::string table, TableText(name));
  const std::string head = "ALTER TABLE " + table + " ADD IF NOT EXISTS";
  std::vector<std::pair<std::string, size_t>> out;
  for (const std::string& clause : clauses) {
    const bool full = out.empty() || out.back().second == kPartitionsAtOnce ||
                      out.back().first.size() + 1 + clause.size() > max_bytes;
    if (full) out.emplace_back(head, 0);
    out.back().first += "\n" + clause;
    ++out.back().second;
  }
  return out;
}

Result<std::string> SetLocationStatement(const HiveTable& table, const HivePartition& partition) {
  TG_ASSIGN_OR_RETURN(const std::string name, TableText(table.name));
  TG_ASSIGN_OR_RETURN(const std::string spec, SpecText(table, partition.values));
  TG_ASSIGN_OR_RETURN(const std::string location, athena::DdlText(partition.location));
  return "ALTER TABLE " + name + " " + spec + " SET LOCATION " + location;
}

Result<std::string> DropPartitionStatement(const HiveTable& table, const PartitionValues& values) {
  TG_ASSIGN_OR_RETURN(const std::string name, TableText(table.name));
  TG_ASSIGN_OR_RETURN(const std::string spec, SpecText(table, values));
  return "ALTER TABLE " + name + " DROP IF EXISTS " + spec;
}

}  // namespace tidegate::catalog
