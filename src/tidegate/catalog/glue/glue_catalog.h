// The AWS Glue Data Catalog, which Athena, EMR and Redshift Spectrum read.
//
// Glue cannot compare and swap a partition: what changes one reads it first and compares, and between the two lies a
// window of some milliseconds in which another program's change is lost. The lease of a partition keeps publishers of
// tidegate out of it.
//
// Limits of Glue that are kept: 100 partitions a BatchCreatePartition and a BatchUpdatePartition, 1,000 a
// BatchGetPartition. Errors of single entries are results of single entries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/catalog/glue/glue_client.h"
#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::catalog {

class GlueCatalog final : public HiveCatalog {
 public:
  explicit GlueCatalog(const GlueSettings& settings) : client_(settings) {}

  std::string Describe() const override { return "Glue in " + client_.region(); }
  bool compares_and_swaps() const override { return false; }

  /// The database must be there.
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
  Result<Json> GetRawTable(const HiveName& name);
  Status AddSome(const HiveName& name, const Json& table, const std::vector<HivePartition>& partitions,
                 const std::vector<size_t>& which, std::vector<Status>& out);
  /// Those of the wanted partitions that are there, as Glue writes them.
  Result<std::vector<Json>> GetSome(const HiveName& name, OrderedJson wanted);
  Status UpdateSome(const HiveName& name, const std::vector<HivePartition>& partitions,
                    const std::vector<size_t>& which, std::vector<Status>& out);

  GlueClient client_;
};

}  // namespace tidegate::catalog
