// DuckDB, embedded, behind a small surface: open, run SQL, read rows as text or as an Arrow C stream.
//
// Only this folder sees duckdb.h. Extensions are never installed or loaded by themselves; the time zone is UTC whatever
// the machine's is (contract C-7). A text of several statements runs them in order; the last one gives the rows.
//
// Threads: from one at a time, except Interrupt().
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
  std::optional<std::string> memory_limit = {};  // "2GB"
  std::optional<int> threads = {};
};

struct ResultColumn {
  std::string name;
  std::string type;      // DuckDB's name: "BIGINT", "TIMESTAMP WITH TIME ZONE"
  bool numeric = false;  // right-aligned in tables
};

/// How Query renders a value.
enum class CellForm {
  kText,  // as DuckDB casts it to VARCHAR; null is nullopt
  kJson,  // as JSON, null as "null". Whole numbers within ±2^53 and floats are bare; other numbers, decimals and dates
          // are strings; lists are arrays, structs and maps with text keys are objects
};

/// A row as text, null as nullopt.
using TextRow = std::vector<std::optional<std::string>>;

class DuckDb {
 public:
  /// Path of a database file, or ":memory:". Errors: NotFound (read_only and no file), Corruption, PermissionDenied,
  /// Unavailable (locked by another process), InvalidArgument (an option that DuckDB refuses).
  /// Spilled data goes to the system's folder for temporary files unless this is a database file opened for writing.
  static Result<DuckDb> Open(const std::string& path, const DuckDbOptions& options);
  DuckDb(DuckDb&&) noexcept;
  DuckDb& operator=(DuckDb&&) noexcept;
  ~DuckDb();

  /// Run statements whose rows do not matter. Errors, with DuckDB's message: InvalidArgument (the query or a value that
  /// it met), Unavailable (I/O, network, memory), Unsupported, PermissionDenied, Cancelled (interrupted), Internal.
  Status Execute(const std::string& sql);

  /// Run one query and hand its rows over, streamed: columns first, then each row. A Status of a callback that is not
  /// ok ends the query and is returned.
  Status Query(const std::string& sql, const std::function<Status(const std::vector<ResultColumn>&)>& columns,
               const std::function<Status(const TextRow&)>& row, CellForm form = CellForm::kText);

  /// All rows at once, for small results.
  Result<std::vector<TextRow>> QueryAll(const std::string& sql);

  /// Run one query as an Arrow C stream (fills *out; the stream keeps the query alive, this object must outlive it).
  /// Read it to its end, or release it, before running anything else here: a later query ends it with an error.
  Status Stream(const std::string& sql, ArrowArrayStream* out);

  /// Stop the running query, which then fails as Cancelled; may be called from another thread or a signal-watching
  /// thread. Without a running query: does nothing.
  void Interrupt();

 private:
  struct Impl;
  explicit DuckDb(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// 'it''s' and "a""b": text as a SQL literal, a name as a SQL identifier.
std::string SqlText(std::string_view text);
std::string SqlName(std::string_view name);

/// A path with what DuckDB's globs give a meaning made literal, for read_parquet and its like. A backslash separates
/// folders in a glob, and nothing makes it literal there; outside of one it is a plain character.
/// Errors: Unsupported (a backslash beside one of * ? [).
Result<std::string> LiteralPath(const std::string& path);

}  // namespace tidegate::engine
