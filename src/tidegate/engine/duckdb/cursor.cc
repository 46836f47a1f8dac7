#include "tidegate/engine/duckdb/cursor.h"

#include "tidegate/engine/duckdb/duckdb_error.h"

namespace tidegate::engine {
namespace {

/// The error of a statement that could not be prepared. DuckDB gives only its text there; planning the same statement
/// once more under EXPLAIN, which runs nothing, gives its type.
Status PrepareError(duckdb_connection connection, const std::string& sql, idx_t statements, const char* message) {
  duckdb_error_type type = DUCKDB_ERROR_PARSER;
  if (statements == 1) {
    OwnedResult explained;
    if (duckdb_query(connection, ("EXPLAIN " + sql).c_str(), explained.Out()) == DuckDBError) {
      type = duckdb_result_error_type(&explained.get());
    }
  }
  return DuckDbError(type, message == nullptr ? "" : message);
}

/// Materialised only where DuckDB does so itself (DDL, EXPLAIN, …). The call is the one way to a streamed result
/// in DuckDB 1.5, though its header announces that it will be replaced.
Result<OwnedResult> RunStreamed(duckdb_prepared_statement prepared) {
  OwnedPending pending;
  OwnedResult result;
  duckdb_pending_prepared_streaming(prepared, pending.Out());  // an error here comes out of the next call, typed
  if (duckdb_execute_pending(pending.get(), result.Out()) == DuckDBError) {
    TG_RETURN_IF_ERROR(ResultError(result.get()));
    const char* message = duckdb_pending_error(pending.get());
    return DuckDbError(DUCKDB_ERROR_INVALID_INPUT, message == nullptr ? "" : message);
  }
  return result;
}

Result<OwnedStatements> Parse(duckdb_connection connection, const std::string& sql, idx_t* count) {
  if (sql.find('\0') != std::string::npos) return InvalidArgument("a query may not hold a NUL byte");
  OwnedStatements statements;
  *count = duckdb_extract_statements(connection, sql.c_str(), statements.Out());
  if (const char* message = duckdb_extract_statements_error(statements.get()); message != nullptr) {
    return DuckDbError(DUCKDB_ERROR_PARSER, message);
  }
  if (*count == 0) return InvalidArgument("the query is empty");
  return statements;
}

}  // namespace

Cursor::Cursor(std::shared_ptr<Connection> connection, OwnedResult result)
    : connection_(std::move(connection)), query_(connection_->queries_begun), result_(std::move(result)) {}

Result<Cursor> Cursor::Begin(std::shared_ptr<Connection> connection, const std::string& sql) {
  ++connection->queries_begun;
  duckdb_connection handle = connection->handle.get();
  idx_t count = 0;
  TG_ASSIGN_OR_RETURN(const OwnedStatements statements, Parse(handle, sql, &count));
  for (idx_t i = 0;; ++i) {
    OwnedPrepared prepared;
    if (duckdb_prepare_extracted_statement(handle, statements.get(), i, prepared.Out()) == DuckDBError) {
      return PrepareError(handle, sql, count, duckdb_prepare_error(prepared.get()));
    }
    if (i + 1 == count) {
      TG_ASSIGN_OR_RETURN(OwnedResult result, RunStreamed(prepared.get()));
      return Cursor(std::move(connection), std::move(result));
    }
    OwnedResult result;
    if (duckdb_execute_prepared(prepared.get(), result.Out()) == DuckDBError) return ResultError(result.get());
  }
}

Result<OwnedChunk> Cursor::Next() {
  if (done_) return OwnedChunk();
  if (query_ != connection_->queries_begun) {
    return InvalidArgument(
        "a streamed result ended early: its connection began another query; read it to its end first");
  }
  for (;;) {
    OwnedChunk chunk(duckdb_fetch_chunk(result_.get()));
    if (chunk.get() == nullptr) {
      done_ = true;
      TG_RETURN_IF_ERROR(ResultError(result_.get()));
      return chunk;
    }
    if (duckdb_data_chunk_get_size(chunk.get()) > 0) return chunk;
  }
}

}  // namespace tidegate::engine
