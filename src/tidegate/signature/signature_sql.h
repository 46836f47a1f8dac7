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

/// `relation` stands behind FROM: a table's name, read_parquet('…'), a query in parentheses. `columns` are its columns;
/// those named in `leave_out` are not signed. The cell goes to ContentSignature::Parse.
/// Errors: Unsupported (a type without a text, naming the column), Corruption (two columns of one name),
/// InvalidArgument (no column is left).
Result<std::string> SignatureSql(const std::vector<SqlColumn>& columns, const std::string& relation,
                                 const std::vector<std::string>& leave_out = {});

/// The text of a row, alone: an expression over `columns`. For those who look for where two sets of rows differ.
Result<std::string> RowTextSql(const std::vector<SqlColumn>& columns, const std::vector<std::string>& leave_out = {});

}  // namespace tidegate::signature
