// Running SQL for a person: Ctrl-C ends the query, the result goes to stdout. What `query` and `rejects` share.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/query/output.h"

namespace tidegate::cli {

/// Hands Ctrl-C to the running query, as long as it lives.
class Interrupter {
 public:
  /// Requires: `db` outlives it.
  explicit Interrupter(engine::DuckDb& db);
  ~Interrupter();
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

/// Runs a query and prints its result; tables as wide as the terminal. Errors: of the query; Unavailable where the
/// output cannot be written.
Status PrintResult(engine::DuckDb& db, const std::string& sql, query::OutputFormat format);

}  // namespace tidegate::cli
