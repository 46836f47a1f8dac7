// The builder that is built in: DuckDB.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/parquet/capped_writer.h"
#include "tidegate/publish/builder.h"
#include "tidegate/signature/signature_sql.h"

namespace tidegate::publish {

class DuckDbBuilder final : public Builder {
 public:
  /// `db` already knows the tables that SELECTs ask for.
  DuckDbBuilder(engine::DuckDb db, parquet::CappedWriterOptions writer)
      : db_(std::move(db)), writer_(std::move(writer)) {}

  /// For who interrupts it.
  engine::DuckDb& db() { return db_; }

  Result<std::optional<Foresight>> Begin(const std::string& select) override;
  Result<std::vector<RunFile>> Write(store::ObjectStore& store, const std::string& folder) override;
  Result<int64_t> CountRows(const std::string& query) override;

 private:
  Result<std::string> Signature(const std::vector<signature::SqlColumn>& columns);

  engine::DuckDb db_;
  parquet::CappedWriterOptions writer_;
};

/// A DuckDB with the database file `source` in front, read-only; with an empty `source` SELECTs bring their own files
/// (read_parquet). Errors: those of DuckDb::Open and of the file.
Result<engine::DuckDb> OpenSource(const std::string& source, const engine::DuckDbOptions& options);

}  // namespace tidegate::publish
