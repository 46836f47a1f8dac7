#include "tidegate/declare/statements.h"

#include <algorithm>
#include <set>

#include "tidegate/base/text.h"

namespace tidegate::declare {
namespace {

std::string HiveQuoted(const std::string& name) { return "`" + name + "`"; }

std::string HiveQuoted(const catalog::HiveName& name) {
  return HiveQuoted(name.database) + "." + HiveQuoted(name.table);
}

/// What stands between quotes in the one dialect must mean the same in the other.
Result<std::string> HiveText(const std::string& text) {
  const bool plain = std::none_of(text.begin(), text.end(),
                                  [](unsigned char c) { return c < ' ' || c == '\'' || c == '\\' || c == 0x7f; });
  if (plain) return "'" + text + "'";
  return Unsupported("a location with a quote or a backslash cannot be declared: " + Quoted(text, 1200));
}

std::string ColumnList(const std::vector<catalog::HiveColumn>& columns, const std::string& between) {
  std::vector<std::string> parts;
  parts.reserve(columns.size());
  for (const auto& column : columns) parts.push_back(HiveQuoted(column.name) + " " + column.type);
  return Join(parts, between);
}

/// "(`etl_date`='2026-11-03', `etl_hour`='03')".
Result<std::string> PartitionSpec(const catalog::HiveTable& table, const catalog::HivePartition& partition) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < table.partition_columns.size(); ++i) {
    TG_ASSIGN_OR_RETURN(const std::string value, HiveText(partition.values[i].value_or("")));
    parts.push_back(HiveQuoted(table.partition_columns[i].name) + "=" + value);
  }
  return "PARTITION (" + Join(parts, ", ") + ")";
}

Result<std::string> CreateTable(const catalog::HiveTable& table) {
  TG_ASSIGN_OR_RETURN(const std::string location, HiveText(table.location + "/"));
  return "CREATE EXTERNAL TABLE IF NOT EXISTS " + HiveQuoted(table.name) + " (\n  " +
         ColumnList(table.columns, ",\n  ") + "\n)\nPARTITIONED BY (" + ColumnList(table.partition_columns, ", ") +
         ")\nSTORED AS PARQUET\nLOCATION " + location + ";\n";
}

Result<std::string> AddPartitions(const Declaration& one) {
  std::string out;
  for (size_t i = 0; i < one.partitions.size(); ++i) {
    TG_ASSIGN_OR_RETURN(const std::string spec, PartitionSpec(one.table, one.partitions[i]));
    TG_ASSIGN_OR_RETURN(const std::string location, HiveText(one.partitions[i].location + "/"));
    if (i % kPartitionsOfStatement == 0) {
      out += (i > 0 ? ";\n\n" : "\n") + std::string("ALTER TABLE ") + HiveQuoted(one.table.name) + " ADD IF NOT EXISTS";
    }
    out += "\n  " + spec + " LOCATION " + location;
  }
  return out.empty() ? out : out + ";\n";
}

Result<std::string> MoveNewest(const Declaration& one) {
  TG_ASSIGN_OR_RETURN(const std::string spec, PartitionSpec(one.table, one.partitions.front()));
  TG_ASSIGN_OR_RETURN(const std::string location, HiveText(one.partitions.front().location + "/"));
  return "\nALTER TABLE " + HiveQuoted(one.table.name) + " " + spec + " SET LOCATION " + location + ";\n";
}

std::string SqlQuoted(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out += c == quote ? std::string(2, quote) : std::string(1, c);
  return out + quote;
}

/// A file for DuckDB, which takes every path for a pattern.
Result<std::string> DuckDbFile(const std::string& location) {
  const std::string path = location.starts_with("file://") ? location.substr(7) : location;
  if (path.find_first_of("*?[") == std::string::npos) return SqlQuoted(path, '\'');
  return Unsupported("DuckDB would take a part of this location for a pattern: " + Quoted(location, 1200));
}

/// A view without files has the columns of the file that the table's columns were read from.
Result<std::string> DuckDbView(const Declaration& one) {
  const bool empty = one.files.empty();
  std::vector<std::string> files, types;
  for (const std::string& location : empty ? std::vector<std::string>{one.like_file} : one.files) {
    TG_ASSIGN_OR_RETURN(files.emplace_back(), DuckDbFile(location));
  }
  for (const auto& column : one.table.partition_columns) types.push_back("'" + column.name + "': VARCHAR");
  const std::string options =
      one.newest ? "hive_partitioning = false" : "hive_partitioning = true, hive_types = {" + Join(types, ", ") + "}";
  return "CREATE OR REPLACE VIEW " + SqlQuoted(one.table.name.database, '"') + "." +
         SqlQuoted(one.table.name.table, '"') + " AS\nSELECT * FROM read_parquet([\n  " + Join(files, ",\n  ") +
         "\n], union_by_name = true, " + options + ")" + (empty ? " WHERE false" : "") + ";\n";
}

}  // namespace

std::string AddColumnsStatement(const catalog::HiveName& table, const std::vector<catalog::HiveColumn>& columns) {
  return "ALTER TABLE " + HiveQuoted(table) + " ADD COLUMNS (" + ColumnList(columns, ", ") + ")";
}

Result<std::string> HiveStatements(const std::vector<Declaration>& tables, bool partitions) {
  std::string out;
  std::set<std::string> databases;
  for (const Declaration& one : tables) {
    if (databases.insert(one.table.name.database).second) {
      out += "CREATE DATABASE IF NOT EXISTS " + HiveQuoted(one.table.name.database) + ";\n\n";
    }
    TG_ASSIGN_OR_RETURN(const std::string create, CreateTable(one.table));
    out += create;
    if (partitions) {
      TG_ASSIGN_OR_RETURN(const std::string add, AddPartitions(one));
      out += add;
    }
    if (partitions && one.newest) {
      TG_ASSIGN_OR_RETURN(const std::string move, MoveNewest(one));
      out += move;
    }
    out += "\n";
  }
  return out;
}

Result<std::string> DuckDbStatements(const std::vector<Declaration>& tables) {
  std::string out;
  std::set<std::string> databases;
  for (const Declaration& one : tables) {
    if (databases.insert(one.table.name.database).second) {
      out += "CREATE SCHEMA IF NOT EXISTS " + SqlQuoted(one.table.name.database, '"') + ";\n\n";
    }
    TG_ASSIGN_OR_RETURN(const std::string view, DuckDbView(one));
    out += view + "\n";
  }
  return out;
}

}  // namespace tidegate::declare
