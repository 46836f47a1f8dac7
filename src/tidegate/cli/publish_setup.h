// What `publish`, `runs`, `rollback` and `clean` share: from what a person typed to a table, its catalog and its store.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/app/lake_follower.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/cli/command.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/publish/definition.h"
#include "tidegate/publish/ports.h"

namespace tidegate::cli {

inline constexpr int kConflict = 6;  // another publisher was first

struct PartitionOptions {
  CommonOptions common;
  std::string table;
  std::vector<std::string> partitions;
};

/// TABLE, which is required, and PARTITION…; returns the option of TABLE.
CLI::Option* AddPartitions(CLI::App& command, PartitionOptions& options, bool required);

/// Everything open.
class PublishSetup {
 public:
  /// Errors: those of the settings; of the store; of the catalog.
  static Result<std::unique_ptr<PublishSetup>> Open(const PartitionOptions& options);

  const publish::Definition& definition() const { return definition_; }
  const app::Settings& settings() const { return settings_; }
  publish::Ports ports() const;

  /// What the SELECT asks: the source or the lake of the definition. Where that follows a table of the lake, and
  /// `writes`, other publishers of the whole table are kept out until this goes. Errors: those of DuckDB and of the
  /// lake; AlreadyExists (another publisher).
  Result<engine::DuckDb> OpenSource(const CommonOptions& common, bool writes);

  /// Null where the definition follows nothing, and before OpenSource.
  const app::LakeFollower* follower() const { return follower_.get(); }

  /// The partitions that changed in what the definition follows, or that its own query names. Errors: InvalidArgument
  /// (it has neither, or gives other columns).
  Result<std::vector<catalog::PartitionValues>> AskForPartitions(engine::DuckDb& db) const;

  /// The partitions that were typed; all of the catalog where none was. Errors: InvalidArgument, naming the text.
  Result<std::vector<catalog::PartitionValues>> Partitions(const std::vector<std::string>& typed) const;

 private:
  PublishSetup() = default;
  app::Settings settings_;
  publish::Definition definition_;
  std::unique_ptr<store::ObjectStore> root_;
  std::unique_ptr<catalog::HiveCatalog> catalog_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<app::LakeFollower> follower_;
};

/// kConflict for what another publisher did, else as Fail.
int FailOrConflict(const Status& status);

}  // namespace tidegate::cli
