// The builder whose rows Amazon Athena computes and writes, with UNLOAD.
//
// What Athena wrote is not believed: the manifest that it keeps of the query must name exactly the files that lie in
// the folder, every file must be Parquet, and their rows must be as many as Athena counted, where it counts them.
// Audits run in the embedded engine, over the files.
//
// Limits: files are as large as Athena makes them; a SELECT without rows writes no file and is refused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tidegate/athena/athena_client.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/publish/builder.h"

namespace tidegate::publish {

struct AthenaBuilderParts {
  athena::AthenaClient& client;
  engine::DuckDb db;        // for audits
  std::string compression;  // "snappy", "zstd"
  /// Lets `db` read files of the table's bucket, with the keys of now.
  std::function<Status(engine::DuckDb& db)> let_read;
  /// A small object anywhere in S3. Errors: those of the store.
  std::function<Result<std::string>(const std::string& location, uint64_t max_bytes)> read_object;
  /// How `db` names a file. Errors: Unsupported.
  std::function<Result<std::string>(const std::string& location)> engine_path;
};

class AthenaBuilder final : public Builder {
 public:
  explicit AthenaBuilder(AthenaBuilderParts parts) : parts_(std::move(parts)) {}

  /// For who interrupts it.
  engine::DuckDb& db() { return parts_.db; }

  Result<std::optional<Foresight>> Begin(const std::string& select) override;
  Result<std::vector<RunFile>> Write(store::ObjectStore& store, const std::string& folder) override;
  Result<int64_t> CountRows(const std::string& query) override;

 private:
  Status CheckManifest(const athena::QueryReport& query, const std::vector<std::string>& there,
                       const std::string& folder) const;
  Status CheckCount(const athena::QueryReport& query, const std::vector<RunFile>& files) const;
  Status ShowToAudits();

  AthenaBuilderParts parts_;
  std::string select_;
  std::vector<std::string> files_;  // locations of what was written
  bool shown_ = false;              // to audits
};

}  // namespace tidegate::publish
