// The catalog that needs no server: a SQLite file. Format: docs/formats/hive-catalog.md.
//
// Processes: safe on one machine; each change is one transaction.
#pragma once

#include <memory>
#include <string>

#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/sqlite/database.h"

namespace tidegate::catalog {

class EmbeddedCatalog final : public HiveCatalog {
 public:
  /// The file is made where it is not there. Errors: those of sqlite::Database; Unsupported (a newer format).
  static Result<std::unique_ptr<EmbeddedCatalog>> Open(const std::string& path);

  std::string Describe() const override { return "the catalog " + path_; }
  bool compares_and_swaps() const override { return true; }

  Status CreateTable(const HiveTable& table) override;
  Result<HiveTable> GetTable(const HiveName& name) override;
  Result<std::vector<HiveName>> ListTables() override;
  Status DropTable(const HiveName& name) override;
  Result<HivePartition> GetPartition(const HiveName& name, const PartitionValues& values) override;
  Result<std::vector<HivePartition>> ListPartitions(const HiveName& name) override;
  Result<std::vector<Status>> AddPartitions(const HiveName& name,
                                            const std::vector<HivePartition>& partitions) override;
  Result<std::vector<Status>> UpdatePartitions(const HiveName& name,
                                               const std::vector<HivePartition>& partitions) override;
  Status DropPartition(const HiveName& name, const PartitionValues& values) override;

 private:
  EmbeddedCatalog(std::string path, sqlite::Database db) : path_(std::move(path)), db_(std::move(db)) {}

  template <typename Work>
  Status InTransaction(const Work& work);
  Status NoTable(const HiveName& name) const;
  Status NoPartition(const HiveName& name, const PartitionValues& values) const;
  /// `entry` is what came of this one; the result is the catalog's own failure.
  Status Add(const HiveTable& table, const HivePartition& partition, Status& entry);
  Status Update(const HiveTable& table, const HivePartition& partition, Status& entry);
  using ChangeOne = Status (EmbeddedCatalog::*)(const HiveTable&, const HivePartition&, Status&);
  /// All of them in one transaction.
  Result<std::vector<Status>> Each(const HiveName& name, const std::vector<HivePartition>& partitions,
                                   ChangeOne change);

  std::string path_;
  sqlite::Database db_;
};

}  // namespace tidegate::catalog
