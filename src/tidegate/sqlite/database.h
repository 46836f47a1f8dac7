// One SQLite file behind a small surface: open, run, ask.
//
// Threads: from one at a time. Processes: safe; a writer waits up to 10 s for another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/base/status.h"

struct sqlite3;

namespace tidegate::sqlite {

using Row = std::vector<std::string>;  // null as ""

class Database {
 public:
  /// The file is made where it is not there. `advice` is added to the error of a file that is no database. A file on a
  /// network file system is refused, where SQLite cannot trust the locks.
  /// Errors: PermissionDenied, Unavailable (another process holds it), Corruption, Unsupported, Internal.
  static Result<Database> Open(const std::string& path, std::string advice);

  /// Statements without arguments and rows. Errors: those of Open.
  Status Execute(const char* sql);

  /// One statement with text arguments (?1, ?2, …).
  Result<std::vector<Row>> Query(const char* sql, const std::vector<std::string>& arguments);
  Status Run(const char* sql, const std::vector<std::string>& arguments);

  /// Rows that the last INSERT, UPDATE or DELETE changed.
  int Changes() const;

 private:
  Database(std::string path, std::string advice, sqlite3* db);
  Status Error(int code) const;

  std::string path_, advice_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> db_;
};

}  // namespace tidegate::sqlite
