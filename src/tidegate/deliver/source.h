// Source: the port to the database that is delivered from.
//
// Guarantees
// - Every answer of one Source comes from one snapshot: what is written to the database after it was opened is not
// seen.
//   Where the technology cannot promise that, VerifySnapshot() finds out.
// - Times are UTC: a time zone of the machine plays no part (C-7).
// - A query that fails leaves the source usable for the next one.
//
// Not here: which rows to take (plan.h), how to write them (table_writer.h).
// Threads: one at a time; a stream may be read in another thread than the one that opened it, its arrays released in
// any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"

struct ArrowArrayStream;  // Arrow C stream interface

namespace tidegate::deliver {

struct SourceColumn {
  std::string name;
  std::string type;  // the source's own name: "TIMESTAMP WITH TIME ZONE"
  friend bool operator==(const SourceColumn&, const SourceColumn&) = default;
};

class Source {
 public:
  virtual ~Source() = default;

  /// Say what it is, for people: "DuckDB file shop.duckdb".
  virtual std::string description() const = 0;

  /// List the tables and views whose names the contract allows (C-5), sorted.
  virtual Result<std::vector<contract::TableName>> ListTables() = 0;

  /// Find the columns of a query without running it. Errors: InvalidArgument, Corruption with the source's message.
  virtual Result<std::vector<SourceColumn>> Describe(const std::string& query) = 0;

  /// Run a query as an Arrow C stream. The stream ends with the next call of any function here.
  virtual Status Stream(const std::string& query, ArrowArrayStream* out) = 0;

  /// Run a query that gives one whole number.
  virtual Result<int64_t> Count(const std::string& query) = 0;

  /// Check that everything read so far came from one snapshot. Errors: PreconditionFailed naming what changed.
  virtual Status VerifySnapshot() = 0;
};

}  // namespace tidegate::deliver
