// For the tests of this folder: the signature of one set of rows, in every way that there is.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/sign_parquet.h"
#include "tidegate/store/object_store.h"

namespace tidegate::signature {

/// What DuckDB does to a type on the way out: not every way shows it.
enum class Shown {
  kEverywhere,
  kNotInParquet,  // DuckDB writes it as another type
  kNotInArrow,    // DuckDB hands it over as another type
  kInSqlAlone,
};

/// A set of rows: a query of DuckDB's, or the bytes of Parquet files.
struct RowSet {
  RowSet(const char* sql) : query(sql) {}  // NOLINT: implicit by design
  RowSet(std::string sql, Shown shown = Shown::kEverywhere) : query(std::move(sql)), shown_in(shown) {}  // NOLINT
  static RowSet Files(std::vector<std::string> files) {
    RowSet set("");
    set.files = std::move(files);
    return set;
  }

  std::string query;
  Shown shown_in = Shown::kEverywhere;
  std::vector<std::string> files = {};
};

class Signers {
 public:
  Signers();

  engine::DuckDb& db() { return db_; }

  /// By way: "SQL", "Arrow", "Parquet", "SQL over Parquet". A failure stands there as its message.
  std::map<std::string, std::string> AllWays(const RowSet& rows);
  /// The one signature of all ways; fails the test where they do not agree.
  std::string Sign(const RowSet& rows);

  std::string BySql(const std::string& relation);
  std::string ByArrow(const std::string& query);
  std::string ByParquet(const std::vector<std::string>& files, const SignOptions& options = {});
  /// Writes a file that ByParquet knows by its name.
  void WriteFile(const std::string& name, const std::string& bytes);
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  Result<ContentSignature> SignFiles(const std::vector<std::string>& files, const SignOptions& options = {});
  /// Of each row: the texts that its columns' values have inside of a nested one, one after the other.
  std::vector<std::string> NestedTexts(const std::string& query);

 private:
  std::map<std::string, std::string> WaysOfFiles(const std::vector<std::string>& names);

  TempDirForTest folder_;
  engine::DuckDb db_;
  std::unique_ptr<store::ObjectStore> store_;
  int files_ = 0;
};

}  // namespace tidegate::signature
