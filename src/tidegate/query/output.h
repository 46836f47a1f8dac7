// Results of queries as text: a table for people, CSV and JSON for programs.
//
// - Table: aligned columns, numbers to the right, NULL for null, a line that counts the rows. Control characters are
//   escaped (\xNN): data must not steer a terminal. The first rows are kept in memory to find the widths (at most
//   kMaxTableRows and kMaxTableBytes); rows beyond them are counted, not shown.
// - CSV: RFC 4180 with a header and line ends of LF. Null is an empty field, the empty string is "".
// - JSON: an array of objects, one to a line; values as engine::CellForm::kJson says.
// CSV and JSON hold one row in memory at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::query {

inline constexpr int64_t kMaxTableRows = 10'000;
inline constexpr uint64_t kMaxTableBytes = 64'000'000;

enum class OutputFormat { kTable, kCsv, kJson };

/// "table", "csv", "json". Errors: InvalidArgument, naming the three.
Result<OutputFormat> ParseOutputFormat(std::string_view name);

struct OutputOptions {
  OutputFormat format = OutputFormat::kTable;
  std::optional<size_t> terminal_width = {};  // tables: cells are cut so that a row fits; without it nothing is cut
};

using OutputSink = std::function<Status(std::string_view)>;

/// Run a query and write its result to `sink`, in pieces. Returns the number of rows.
/// Errors: the query's, the sink's; what was written before stays written.
Result<int64_t> WriteResult(engine::DuckDb& db, const std::string& sql, const OutputOptions& options,
                            const OutputSink& sink);

}  // namespace tidegate::query
