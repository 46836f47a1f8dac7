#include "tidegate/deliver/sql_session.h"

#include <charconv>
#include <utility>

namespace tidegate::deliver {
namespace {

constexpr const char* kTables =
    "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_catalog = current_database() ORDER BY ALL";

}  // namespace

Status SqlSession::BeginSnapshot() {
  TG_RETURN_IF_ERROR(db_.Execute("BEGIN TRANSACTION READ ONLY"));
  in_snapshot_ = true;
  return db_.Execute(kTables);  // DuckDB fixes the snapshot at the first look
}

Status SqlSession::Ready() {
  if (!in_snapshot_ || db_.Execute("SELECT 1").ok()) return Status::Ok();
  TG_RETURN_IF_ERROR(db_.Execute("ROLLBACK"));
  return BeginSnapshot();
}

Result<std::vector<contract::TableName>> SqlSession::ListTables() {
  TG_RETURN_IF_ERROR(Ready());
  TG_ASSIGN_OR_RETURN(const auto rows, db_.QueryAll(kTables));
  std::vector<contract::TableName> tables;
  for (const engine::TextRow& row : rows) {
    contract::TableName name{row[0].value_or(""), row[1].value_or("")};
    if (contract::IsName(name.schema) && contract::IsName(name.table)) tables.push_back(std::move(name));
  }
  return tables;
}

Result<std::vector<SourceColumn>> SqlSession::Describe(const std::string& query) {
  TG_RETURN_IF_ERROR(Ready());
  TG_ASSIGN_OR_RETURN(const auto rows, db_.QueryAll("DESCRIBE SELECT * FROM (" + query + "\n) AS t"));
  std::vector<SourceColumn> columns;
  columns.reserve(rows.size());
  for (const engine::TextRow& row : rows) columns.push_back({row[0].value_or(""), row[1].value_or("")});
  return columns;
}

Status SqlSession::Stream(const std::string& query, ArrowArrayStream* out) {
  TG_RETURN_IF_ERROR(Ready());
  return db_.Stream(query, out);
}

Result<int64_t> SqlSession::Count(const std::string& query) {
  TG_RETURN_IF_ERROR(Ready());
  TG_ASSIGN_OR_RETURN(const auto rows, db_.QueryAll(query));
  if (rows.size() != 1 || rows[0].size() != 1 || !rows[0][0]) return Internal("a count gave no number");
  int64_t count = 0;
  const std::string& text = *rows[0][0];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return Internal("a count gave no number: " + text);
  return count;
}

}  // namespace tidegate::deliver
