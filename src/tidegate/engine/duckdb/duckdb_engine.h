// DuckDB, embedded, behind a small surface: open, run SQL, read rows as text or as an Arrow C stream.
//
// Only this folder sees duckdb.h. Extensions are never installed by themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"

struct ArrowArrayStream;  // Arrow C stream interface

namespace tidegate::engine {

struct DuckDbOptions {
  bool read_only = false;
  std::optional<std::string> memory_limit;  // "2GB"
  std::optional<int> threads;
};

struct ResultColumn {
  std::string name;
  std::string type;      // DuckDB's name: "BIGINT", "TIMESTAMP WITH TIME ZONE"
  bool numeric = false;  // right-aligned in tables, bare in JSON (not decimals wider than a double holds)
};

/// A row as text, null as nullopt.
using TextRow = std::vector<std::optional<std::string>>;

class DuckDb {
 public:
  /// Path of a database file, or ":memory:". Errors: NotFound (read_only and no file), Corruption, PermissionDenied,
  /// Unavailable (locked by another process).
  static Result<DuckDb> Open(const std::string& path, const DuckDbOptions& options);
  DuckDb(DuckDb&&) noexcept;
  DuckDb& operator=(DuckDb&&) noexcept;
  ~DuckDb();

  /// Run statements whose rows do not matter. Errors: InvalidArgument (parser, binder, catalog), else Internal, with
  /// DuckDB's message.
  Status Execute(const std::string& sql);

  /// Run one query and hand its rows over, streamed: columns first, then each row. Values as DuckDB casts to VARCHAR.
  Status Query(const std::string& sql, const std::function<Status(const std::vector<ResultColumn>&)>& columns,
               const std::function<Status(const TextRow&)>& row);

  /// All rows at once, for small results.
  Result<std::vector<TextRow>> QueryAll(const std::string& sql);

  /// Run one query as an Arrow C stream (fills *out; the stream keeps the query alive, this object must outlive it).
  Status Stream(const std::string& sql, ArrowArrayStream* out);

  /// Names of the tables that a query refers to, as written, qualified ("shop.orders").
  Result<std::vector<std::string>> TableNames(const std::string& sql);

  /// Stop the running query; may be called from another thread or a signal-watching thread.
  void Interrupt();

 private:
  struct Impl;
  explicit DuckDb(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// 'it''s' and "a""b": text as a SQL literal, a name as a SQL identifier.
std::string SqlText(std::string_view text);
std::string SqlName(std::string_view name);

}  // namespace tidegate::engine
