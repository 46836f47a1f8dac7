#include "tidegate/query/rows_table.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::query {
namespace {

using engine::SqlName;
using engine::SqlText;

constexpr size_t kRowsOfStatement = 500;

std::string RowSql(const std::vector<RowsColumn>& columns, const engine::TextRow& row) {
  std::vector<std::string> values;
  for (size_t i = 0; i < columns.size(); ++i) {
    values.push_back(row[i] ? "CAST(" + SqlText(*row[i]) + " AS " + columns[i].type + ")" : "NULL");
  }
  return "(" + Join(values, ", ") + ")";
}

}  // namespace

Status CreateRowsTable(engine::DuckDb& db, const std::string& name, const std::vector<RowsColumn>& columns,
                       const std::vector<engine::TextRow>& rows) {
  const std::string table = "memory.main." + SqlName(name);
  std::vector<std::string> definitions;
  definitions.reserve(columns.size());
  for (const RowsColumn& column : columns) definitions.push_back(SqlName(column.name) + " " + column.type);
  TG_RETURN_IF_ERROR(db.Execute("CREATE TABLE " + table + " (" + Join(definitions, ", ") + ")"));
  for (size_t begin = 0; begin < rows.size(); begin += kRowsOfStatement) {
    std::vector<std::string> values;
    for (size_t i = begin; i < std::min(rows.size(), begin + kRowsOfStatement); ++i) {
      if (rows[i].size() != columns.size())
        return InvalidArgument("a row has another length than table " + Quoted(name));
      values.push_back(RowSql(columns, rows[i]));
    }
    TG_RETURN_IF_ERROR(db.Execute("INSERT INTO " + table + " VALUES " + Join(values, ", ")));
  }
  return Status::Ok();
}

}  // namespace tidegate::query
