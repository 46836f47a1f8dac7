// Declarations as statements that a person can read, keep and run; running them twice changes nothing.
//
// Sources: the DDL of Athena and of Hive (CREATE EXTERNAL TABLE, ALTER TABLE … ADD PARTITION, SET LOCATION), DuckDB's
// read_parquet. Pure.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/declare/declaration.h"

namespace tidegate::declare {

/// Partitions that one ADD statement names: Athena takes no statement above 262,144 bytes.
inline constexpr size_t kPartitionsOfStatement = 100;

/// CREATE DATABASE, CREATE EXTERNAL TABLE, and with `partitions` ALTER TABLE … ADD IF NOT EXISTS PARTITION and, for the
/// newest copy, SET LOCATION. Errors: Unsupported (a location that no literal of theirs can hold).
Result<std::string> HiveStatements(const std::vector<Declaration>& tables, bool partitions);

/// A view of each table over its sealed folders as they are now. Errors: Unsupported (a location that DuckDB cannot
/// read).
Result<std::string> DuckDbStatements(const std::vector<Declaration>& tables);

/// "ALTER TABLE … ADD COLUMNS (…)".
std::string AddColumnsStatement(const catalog::HiveName& table, const std::vector<catalog::HiveColumn>& columns);

}  // namespace tidegate::declare
