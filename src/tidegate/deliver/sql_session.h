// What every source that DuckDB reads has in common: one connection, its tables, its queries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/deliver/source.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::deliver {

class SqlSession {
 public:
  explicit SqlSession(engine::DuckDb db) : db_(std::move(db)) {}

  /// From now on every query sees one snapshot. One that fails ends DuckDB's transaction; the next query then begins
  /// another. Requires: a database that nobody can write to meanwhile, so that both see the same.
  Status BeginSnapshot();

  Status Execute(const std::string& sql) { return db_.Execute(sql); }
  Result<std::vector<contract::TableName>> ListTables();
  Result<std::vector<SourceColumn>> Describe(const std::string& query);
  Status Stream(const std::string& query, ArrowArrayStream* out);
  Result<int64_t> Count(const std::string& query);

 private:
  Status Ready();

  engine::DuckDb db_;
  bool in_snapshot_ = false;
};

}  // namespace tidegate::deliver
