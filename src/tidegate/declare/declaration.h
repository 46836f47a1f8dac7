// The tables of a delivery bucket as a Hive-style catalog declares them. Pure: what is in the catalog is not looked at.
//
// Of schema.table:
//   <database>.<table>_v1, <table>_v2   each sealed folder of that version is a partition; its values are text (C-6):
//                                       snapshot_date, snapshot_hour of a full table, etl_date, etl_hour of one in
//                                       parts; v1 has no hour
//   <database>.<table>                  of a full table: one partition, copy=newest, which lies where the newest sealed
//                                       copy does (C-11 … C-13). Its location is moved in one step
// Names are lower case, as catalogs keep them; '-' becomes '_', which Athena and Hive have no quotes for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/schema/schema.h"

namespace tidegate::declare {

inline constexpr const char* kCopyColumn = "copy";
inline constexpr const char* kNewestCopy = "newest";

struct Declaration {
  catalog::HiveTable table{};
  std::vector<catalog::HivePartition> partitions{};  // in the order of deliveries
  bool newest = false;                               // the one partition moves from copy to copy
  std::vector<std::string> files{};                  // locations of the data files of all partitions
  std::string like_file{};                           // the file that the columns were read from
};

struct DeclareOptions {
  std::string database{};  // "": each schema's own name
  /// Where a key lies, as the catalog's readers name it: "s3://bucket/v2/shop/orders".
  std::function<std::string(const std::string& key)> location{};
};

/// The columns of a folder's files, read from one of them.
using ColumnsOf = std::function<Result<std::vector<schema::Field>>(const bucket::FolderState&)>;

struct Declared {
  std::vector<Declaration> tables;
  std::vector<std::string> problems;  // tables and columns that are left out, and why
};

/// In the order of the bucket's tables. Where a table came in both shapes, the one of its newest sealed folder counts.
Declared DeclareTables(const bucket::BucketView& view, const DeclareOptions& options, const ColumnsOf& columns_of);

}  // namespace tidegate::declare
