// The engine of a table that is published: what builds its partitions, and what names them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/cli/publish_setup.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/publish/builder.h"

namespace tidegate::cli {

class PublishEngine {
 public:
  /// As the definition says: DuckDB over its source or lake, or Athena. Requires: `setup` outlives it. Errors: those of
  /// DuckDB, the lake and of app::OpenAthena.
  static Result<std::unique_ptr<PublishEngine>> Open(const PublishSetup& setup, const CommonOptions& common);
  virtual ~PublishEngine() = default;

  virtual publish::Builder& builder() = 0;
  /// For who interrupts it.
  virtual engine::DuckDb& db() = 0;

  /// The partitions that the definition's own query names. Errors: InvalidArgument (it has none, or gives other
  /// columns); the engine's.
  Result<std::vector<catalog::PartitionValues>> AskForPartitions();

 protected:
  explicit PublishEngine(const publish::Definition& definition) : definition_(definition) {}
  /// The rows of a query, as text.
  virtual Result<std::vector<engine::TextRow>> Ask(const std::string& query) = 0;

 private:
  const publish::Definition& definition_;
};

}  // namespace tidegate::cli
