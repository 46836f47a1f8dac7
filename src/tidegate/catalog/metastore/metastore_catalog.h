// The Hive Metastore, versions 2.3 to 4, over plain Thrift.
//
// It cannot compare and swap a partition. The expected value of a parameter that a change may carry (Hive 4,
// `expectedParameterKey`) is looked at for tables alone. Its locks keep out only who asks for them, and neither Spark
// nor Trino does when it moves a partition. So what changes a partition reads it first and compares; what another
// program changes in the milliseconds between is lost. The lease of a partition keeps publishers of tidegate out of it.
//
// Several partitions in one call change in one transaction. Where it fails, each is tried alone, so that each has its
// own result. Where the answer to a change is lost, what came of it is read.
//
// No call lets the metastore delete a file. It makes the folder of a new table or partition where there is none.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/catalog/metastore/metastore_client.h"

namespace tidegate::catalog {

class MetastoreCatalog final : public HiveCatalog {
 public:
  explicit MetastoreCatalog(TcpSettings settings) : client_(std::move(settings)) {}

  std::string Describe() const override;
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
  struct Seen {
    ThriftValue raw{};
    HivePartition partition{};
  };
  using SeenByValues = std::map<PartitionValues, Seen>;
  /// Partitions to change, and where the result of each goes.
  struct Batch {
    const HiveName& name;
    const ThriftValue& table;
    const std::vector<HiveColumn>& columns;
    const std::vector<HivePartition>& partitions;
    std::vector<Status>& out;
  };
  using Change = Status (MetastoreCatalog::*)(const Batch&, const std::vector<size_t>&);

  Result<ThriftValue> GetRawTable(const HiveName& name);
  Result<SeenByValues> ReadNamed(const HiveName& name, const std::vector<std::string>& names);
  Result<SeenByValues> ReadSome(const Batch& batch, const std::vector<size_t>& which);
  Result<std::vector<Status>> ChangeAll(const HiveName& name, const std::vector<HivePartition>& partitions,
                                        Change change);
  Status AddSome(const Batch& batch, const std::vector<size_t>& which);
  Status UpdateSome(const Batch& batch, const std::vector<size_t>& which);
  Status Alter(const HiveName& name, ThriftValue changes);
  Status EachAlone(const Batch& batch, const std::vector<size_t>& which, const Status& together, Change change);
  Status Drop(const MetastoreCall& call, const ThriftValue& arguments, const std::string& about);

  MetastoreClient client_;
};

}  // namespace tidegate::catalog
