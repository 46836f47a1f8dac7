// A DuckDB database file as a source, opened read-only.
//
// Guarantees: DuckDB locks out writers as long as the file is open, and all queries run in one transaction: one
// snapshot.
#pragma once

#include <memory>
#include <string>

#include "tidegate/deliver/source.h"
#include "tidegate/deliver/sql_session.h"

namespace tidegate::deliver {

class DuckDbSource final : public Source {
 public:
  /// Errors: NotFound, Corruption, PermissionDenied, Unavailable (another process writes to the file).
  static Result<std::unique_ptr<DuckDbSource>> Open(const std::string& path, engine::DuckDbOptions options = {});

  std::string description() const override;
  Result<std::vector<contract::TableName>> ListTables() override { return session_.ListTables(); }
  Result<std::vector<SourceColumn>> Describe(const std::string& query) override { return session_.Describe(query); }
  Status Stream(const std::string& query, ArrowArrayStream* out) override { return session_.Stream(query, out); }
  Result<int64_t> Count(const std::string& query) override { return session_.Count(query); }
  Status VerifySnapshot() override { return Status::Ok(); }

 private:
  DuckDbSource(std::string path, SqlSession session) : path_(std::move(path)), session_(std::move(session)) {}

  std::string path_;
  SqlSession session_;
};

}  // namespace tidegate::deliver
