#include "tidegate/sqlite/database.h"

#include <sqlite3.h>

#include <filesystem>

#include "tidegate/base/network_file_system.h"
#include "tidegate/base/text.h"

namespace tidegate::sqlite {
namespace {

constexpr int kBusyTimeoutMs = 10'000;

Status Translate(int code, const std::string& text, const std::string& advice) {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Unavailable(text + ": another program holds it; try again");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Corruption(text + ": " + advice);
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      return PermissionDenied(text);
    default:
      return Internal(text);
  }
}

}  // namespace

Database::Database(std::string path, std::string advice, sqlite3* db)
    : path_(std::move(path)), advice_(std::move(advice)), db_(db, sqlite3_close) {}

Result<Database> Database::Open(const std::string& path, std::string advice) {
  if (const auto network = NetworkFileSystemOf(std::filesystem::path(path).parent_path())) {
    return Unsupported("catalog: " + Quoted(path) + ": it would lie on a network file system (" + *network +
                       "), where SQLite cannot trust the locks");
  }
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database out(path, std::move(advice), raw);
  if (code != SQLITE_OK) return out.Error(code);
  sqlite3_busy_timeout(raw, kBusyTimeoutMs);
  return out;
}

Status Database::Error(int code) const {
  const char* message = db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code);
  return Translate(code, "catalog: " + Quoted(path_) + ": " + message, advice_);
}

Status Database::Execute(const char* sql) {
  const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status::Ok() : Error(code);
}

Result<std::vector<Row>> Database::Query(const char* sql, const std::vector<std::string>& arguments) {
  sqlite3_stmt* raw = nullptr;
  int code = sqlite3_prepare_v2(db_.get(), sql, -1, &raw, nullptr);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
  if (code != SQLITE_OK) return Error(code);
  for (size_t i = 0; i < arguments.size(); ++i) {
    code = sqlite3_bind_text(raw, static_cast<int>(i) + 1, arguments[i].data(), static_cast<int>(arguments[i].size()),
                             SQLITE_TRANSIENT);
    if (code != SQLITE_OK) return Error(code);
  }
  std::vector<Row> rows;
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    Row& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(raw); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, i));
      row.emplace_back(text == nullptr ? "" : std::string(text, static_cast<size_t>(sqlite3_column_bytes(raw, i))));
    }
  }
  if (code != SQLITE_DONE) return Error(code);
  return rows;
}

Status Database::Run(const char* sql, const std::vector<std::string>& arguments) {
  return Query(sql, arguments).status();
}

int Database::Changes() const { return sqlite3_changes(db_.get()); }

}  // namespace tidegate::sqlite
