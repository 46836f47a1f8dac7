// Cursor: a running query of one connection; hands its rows over chunk by chunk.
//
// Guarantees
// - Streamed: DuckDB keeps about a megabyte of rows ahead of the reader, never the whole result.
// - An error in the middle is an error, never a result that ends early.
//
// Threads: from one at a time.
#pragma once

#include <duckdb.h>

#include <memory>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/owned.h"

namespace tidegate::engine {

/// One connection and how many queries it has begun: DuckDB closes a streamed result silently when its connection
/// begins another query, and the count tells.
struct Connection {
  OwnedConnection handle;
  uint64_t queries_begun = 0;
};

class Cursor {
 public:
  /// Begin a text of statements: all but the last are run to their end, the last one is streamed.
  static Result<Cursor> Begin(std::shared_ptr<Connection> connection, const std::string& sql);

  duckdb_result& result() { return result_.get(); }

  /// The next chunk that has rows, or an empty handle at the end.
  Result<OwnedChunk> Next();

 private:
  Cursor(std::shared_ptr<Connection> connection, OwnedResult result);

  std::shared_ptr<Connection> connection_;
  uint64_t query_;  // of connection_->queries_begun
  OwnedResult result_;
  bool done_ = false;
};

}  // namespace tidegate::engine
