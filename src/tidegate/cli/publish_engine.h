// The engine of a table that is published: what builds its partitions, and what names them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/app/lake_follower.h"
#include "tidegate/cli/publish_setup.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/publish/builder.h"

namespace tidegate::cli {

class PublishEngine {
 public:
  /// As the definition says: DuckDB over its source or lake, or Athena. Where it follows a table of the lake, and
  /// `writes`, other publishers of the whole table are kept out until this goes. Requires: `setup` outlives it.
  /// Errors: those of DuckDB, the lake and of app::OpenAthena; AlreadyExists (another publisher).
  static Result<std::unique_ptr<PublishEngine>> Open(const PublishSetup& setup, const CommonOptions& common,
                                                     bool writes);
  virtual ~PublishEngine() = default;

  virtual publish::Builder& builder() = 0;
  /// For who interrupts it.
  virtual engine::DuckDb& db() = 0;

  /// Null where the definition follows nothing.
  virtual const app::LakeFollower* follower() const { return nullptr; }

  /// The partitions that changed in what the definition follows, or that its own query names. Errors: InvalidArgument
  /// (it has neither, or gives other columns); the engine's.
  Result<std::vector<catalog::PartitionValues>> AskForPartitions();

 protected:
  explicit PublishEngine(const publish::Definition& definition) : definition_(definition) {}
  /// The rows of a query, as text.
  virtual Result<std::vector<engine::TextRow>> Ask(const std::string& query) = 0;

 private:
  const publish::Definition& definition_;
};

}  // namespace tidegate::cli
