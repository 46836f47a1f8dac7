// A folder of Parquet files as a source.
//
//   <folder>/<schema>/<table>.parquet       one file
//   <folder>/<schema>/<table>/*.parquet     several files, columns matched by name
//   <folder>/<table>.parquet                a table of the default schema
//
// A folder directly below the root is always a schema. Names that begin with '_' or '.' are passed over, other files
// too. A name that the contract refuses is passed over with a warning. No value is taken from a path (`day=…`): folders
// inside a table's folder are an error.
//
// Guarantees: the set of files is fixed when the source is opened; VerifySnapshot() finds a file that was changed or
// removed since.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/deliver/source.h"
#include "tidegate/deliver/sql_session.h"

namespace tidegate::deliver {

struct ParquetFolderOptions {
  std::string default_schema = "main";
  engine::DuckDbOptions engine;
};

class ParquetFolderSource final : public Source {
 public:
  /// Errors: NotFound (no such folder), InvalidArgument (a table in two places, folders inside a table's folder).
  /// A table whose files cannot be read is listed; its queries fail and say why.
  static Result<std::unique_ptr<ParquetFolderSource>> Open(const std::string& folder,
                                                           const ParquetFolderOptions& options = {});

  std::string description() const override;
  Result<std::vector<contract::TableName>> ListTables() override;
  Result<std::vector<SourceColumn>> Describe(const std::string& query) override;
  Status Stream(const std::string& query, ArrowArrayStream* out) override;
  Result<int64_t> Count(const std::string& query) override;
  Status VerifySnapshot() override;

 private:
  struct File {
    std::filesystem::path path;
    uintmax_t size_bytes = 0;
    std::filesystem::file_time_type modified;
    friend bool operator==(const File&, const File&) = default;
  };
  using Tables = std::map<contract::TableName, std::vector<File>>;
  class Scan;

  ParquetFolderSource(std::string folder, SqlSession session, Tables tables)
      : folder_(std::move(folder)), session_(std::move(session)), tables_(std::move(tables)) {}

  Status CreateViews();
  Status CreateView(const contract::TableName& name, const std::vector<File>& files);
  /// The failure of a query; where it names a table whose files cannot be read, what is wrong with them.
  Status Explain(const std::string& query, Status failure) const;

  std::string folder_;
  SqlSession session_;
  Tables tables_;
  std::map<contract::TableName, Status> unreadable_;
};

}  // namespace tidegate::deliver
