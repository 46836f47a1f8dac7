// HiveCatalog: the port to a catalog of Hive-style tables, which holds pointers: each partition has a location.
//
// Guarantees
// - A change of a partition is one step for its readers: old location, columns and parameters, or all of the new ones.
// - Partition values are plain text here, in the order of the table's partition columns; nullopt is null. How a catalog
//   spells them is its own matter (C-59).
// - Changes carry the version of the partition that was seen. A catalog that can compare and swap refuses others with
//   PreconditionFailed; one that cannot reads first, and `compares_and_swaps()` says so.
//
// Threads: from one at a time. Sources: the Hive Metastore's Thrift interface and the Glue API, whose common part this
// is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"

namespace tidegate::catalog {

struct HiveName {
  std::string database;
  std::string table;
  std::string ToString() const { return database + "." + table; }
  friend auto operator<=>(const HiveName&, const HiveName&) = default;
};

struct HiveColumn {
  std::string name;
  std::string type;  // as Hive spells it: "bigint", "decimal(10,2)", "array<string>"
  friend bool operator==(const HiveColumn&, const HiveColumn&) = default;
};

enum class TableKind { kExternal, kManaged, kView, kIceberg, kOther };

enum class FileFormat { kParquet, kOther };

struct HiveTable {
  HiveName name{};
  TableKind kind = TableKind::kExternal;
  FileFormat format = FileFormat::kParquet;
  std::vector<HiveColumn> columns{};
  std::vector<HiveColumn> partition_columns{};
  std::string location{};
  std::map<std::string, std::string> parameters{};
};

/// One value a partition column; null is nullopt.
using PartitionValues = std::vector<std::optional<std::string>>;

struct HivePartition {
  PartitionValues values{};
  std::string location{};
  std::vector<HiveColumn> columns{};  // as the files of this partition have them
  std::map<std::string, std::string> parameters{};
  std::string version{};  // opaque; differs after each change. Filled by the catalog
};

class HiveCatalog {
 public:
  virtual ~HiveCatalog() = default;

  /// For messages: "the catalog ./hive.db", "Glue in eu-central-1".
  virtual std::string Describe() const = 0;

  virtual bool compares_and_swaps() const = 0;

  /// Errors: AlreadyExists.
  virtual Status CreateTable(const HiveTable& table) = 0;
  /// Errors: NotFound.
  virtual Result<HiveTable> GetTable(const HiveName& name) = 0;
  virtual Result<std::vector<HiveName>> ListTables() = 0;
  /// Its partitions go with it; no file does. Errors: NotFound.
  virtual Status DropTable(const HiveName& name) = 0;

  /// Errors: NotFound (the table, or the partition).
  virtual Result<HivePartition> GetPartition(const HiveName& name, const PartitionValues& values) = 0;
  /// All of them, in order of their values.
  virtual Result<std::vector<HivePartition>> ListPartitions(const HiveName& name) = 0;

  /// One result for each, in their order. Errors of one: AlreadyExists; of all: NotFound (the table), Unavailable, …
  virtual Result<std::vector<Status>> AddPartitions(const HiveName& name,
                                                    const std::vector<HivePartition>& partitions) = 0;
  /// Each replaces the partition of its values, if that still has its `version`. One result for each, in their order.
  /// Errors of one: PreconditionFailed, NotFound; of all: as above.
  virtual Result<std::vector<Status>> UpdatePartitions(const HiveName& name,
                                                       const std::vector<HivePartition>& partitions) = 0;
  /// The pointer alone; no file. Errors: NotFound.
  virtual Status DropPartition(const HiveName& name, const PartitionValues& values) = 0;
};

}  // namespace tidegate::catalog
