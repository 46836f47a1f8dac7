// The content signature in DuckDB's SQL: one SELECT whose one cell is the signature.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/status.h"

namespace tidegate::signature {

struct SqlColumn {
  std::string name;
  std::string type;  // as DuckDB names it: DESCRIBE, engine::ResultColumn
};

struct SignatureSqlOptions {
  std::vector<std::string> leave_out = {};  // columns that are not signed
  std::vector<std::string> by = {};         // columns whose values each get a row: these, and the signature of the rest
};

/// `relation` stands behind FROM: a table's name, read_parquet('…'), a query in parentheses. `columns` are its columns.
/// The cell goes to ContentSignature::Parse.
/// Errors: Unsupported (a type without a signature, naming the column), Corruption (two columns of one name),
/// InvalidArgument (no column is left).
Result<std::string> SignatureSql(const std::vector<SqlColumn>& columns, const std::string& relation,
                                 const SignatureSqlOptions& options = {});

}  // namespace tidegate::signature
