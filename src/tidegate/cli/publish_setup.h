// What `publish`, `runs`, `rollback` and `clean` share: from what a person typed to a table, its catalog and its store.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/cli/command.h"
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

/// Errors: NotFound.
Status CheckSettingsAreThere(const app::Settings& settings);

/// Everything open.
class PublishSetup {
 public:
  /// Errors: those of the settings; of the store; of the catalog.
  static Result<std::unique_ptr<PublishSetup>> Open(const PartitionOptions& options);

  const publish::Definition& definition() const { return definition_; }
  const app::Settings& settings() const { return settings_; }
  publish::Ports ports() const;

  /// The partitions that were typed; all of the catalog where none was. Errors: InvalidArgument, naming the text.
  Result<std::vector<catalog::PartitionValues>> Partitions(const std::vector<std::string>& typed) const;

 private:
  PublishSetup() = default;
  app::Settings settings_;
  publish::Definition definition_;
  std::unique_ptr<store::ObjectStore> root_;
  std::unique_ptr<catalog::HiveCatalog> catalog_;
  std::unique_ptr<Clock> clock_;
};

/// kConflict for what another publisher did, else as Fail.
int FailOrConflict(const Status& status);

}  // namespace tidegate::cli
