// Tables and partitions as the Hive Metastore writes them. What is read is kept as a tree and sent back with a few
// fields changed, so fields that this version does not know survive. Pure.
//
// Source of the fields' numbers: hive_metastore.thrift of Apache Hive 4.0.1 (standalone-metastore); those of 2.3
// and 3.1 are the same as far as they go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/catalog/metastore/thrift_value.h"

namespace tidegate::catalog {

/// Partition values as a list of texts: null is __HIVE_DEFAULT_PARTITION__.
std::vector<std::string> MetastoreValues(const PartitionValues& values);

/// "day=2026-11-01/region=a%3Ab", the columns in lower case. Errors: those of PartitionPath.
Result<std::string> MetastorePartitionName(const std::vector<HiveColumn>& columns, const PartitionValues& values);

/// A struct Table for a new external Parquet table.
ThriftValue NewMetastoreTable(const HiveTable& table);
/// Errors: Corruption.
Result<HiveTable> ReadMetastoreTable(const ThriftValue& table);

/// A struct Partition for a new partition, with the formats of its table.
ThriftValue NewMetastorePartition(const ThriftValue& table, const HivePartition& partition);
/// `base`, as the metastore gave it, with another location, columns and parameters. Statistics of the old content go:
/// no reader may answer from them.
ThriftValue ChangedMetastorePartition(ThriftValue base, const HivePartition& partition);
/// Errors: Corruption.
Result<HivePartition> ReadMetastorePartition(const ThriftValue& partition);

/// Does the catalog have what was to be written? Parameters that the metastore adds are passed over.
bool HoldsChange(const HivePartition& now, const HivePartition& wanted);

/// A location in S3 with the scheme of another one: "s3a://b/x" where `like` is "s3a://b". Hadoop's programs read no
/// other than the one that they are set up for.
std::string WithSchemeOf(std::string_view location, std::string_view like);

}  // namespace tidegate::catalog
