// Statements that change tables and partitions, as Athena takes them. Pure.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::catalog {

/// CREATE EXTERNAL TABLE of Parquet files. Errors: InvalidArgument (a name or a location that no statement holds).
Result<std::string> CreateTableStatement(const HiveTable& table);
Result<std::string> DropTableStatement(const HiveName& name);

/// "PARTITION (`day` = '2026-11-01') LOCATION 's3://…'". Errors: InvalidArgument (a value that no statement holds, or
/// no catalog: see PartitionPath).
Result<std::string> AddClause(const HiveTable& table, const HivePartition& partition);
/// ALTER TABLE … ADD IF NOT EXISTS with clauses of AddClause, as many statements as Athena's limits ask for: at most
/// 100 partitions and `max_bytes` each. Each with how many clauses it has.
Result<std::vector<std::pair<std::string, size_t>>> AddStatements(const HiveName& name,
                                                                  const std::vector<std::string>& clauses,
                                                                  size_t max_bytes);
Result<std::string> SetLocationStatement(const HiveTable& table, const HivePartition& partition);
Result<std::string> DropPartitionStatement(const HiveTable& table, const PartitionValues& values);

}  // namespace tidegate::catalog
