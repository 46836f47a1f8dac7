// The Glue Data Catalog, changed through statements of Athena: for roles that may run those and not change Glue.
//
// What is read comes from Glue. ALTER TABLE changes locations and nothing else: columns of a partition are those of the
// table when it was added, and parameters cannot be set. Whoever needs to know what lies at a location must keep that
// beside it. As in Glue nothing is compared and swapped.
//
// Source: Athena's user guide (CREATE TABLE, ALTER TABLE ADD PARTITION, SET LOCATION, DROP PARTITION).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/athena/athena_client.h"
#include "tidegate/catalog/glue/glue_catalog.h"
#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::catalog {

class AthenaCatalog final : public HiveCatalog {
 public:
  AthenaCatalog(std::unique_ptr<GlueCatalog> glue, std::unique_ptr<athena::AthenaClient> client)
      : glue_(std::move(glue)), client_(std::move(client)) {}

  std::string Describe() const override { return "Athena over " + glue_->Describe(); }
  bool compares_and_swaps() const override { return false; }

  Status CreateTable(const HiveTable& table) override;
  Result<HiveTable> GetTable(const HiveName& name) override { return glue_->GetTable(name); }
  Result<std::vector<HiveName>> ListTables() override { return glue_->ListTables(); }
  Status DropTable(const HiveName& name) override;
  Result<HivePartition> GetPartition(const HiveName& name, const PartitionValues& values) override {
    return glue_->GetPartition(name, values);
  }
  Result<std::vector<HivePartition>> ListPartitions(const HiveName& name) override {
    return glue_->ListPartitions(name);
  }
  /// One statement for many. Parameters and columns are not written, nor a table's parameters. Errors of one: also
  /// InvalidArgument (a value that no statement holds).
  Result<std::vector<Status>> AddPartitions(const HiveName& name,
                                            const std::vector<HivePartition>& partitions) override;
  /// A statement for each.
  Result<std::vector<Status>> UpdatePartitions(const HiveName& name,
                                               const std::vector<HivePartition>& partitions) override;
  Status DropPartition(const HiveName& name, const PartitionValues& values) override;

 private:
  Status Run(const std::string& statement, const HiveName& name);
  Status SetLocation(const HiveTable& table, const HivePartition& partition);

  std::unique_ptr<GlueCatalog> glue_;
  std::unique_ptr<athena::AthenaClient> client_;
};

}  // namespace tidegate::catalog
