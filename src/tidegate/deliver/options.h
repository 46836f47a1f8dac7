// What a delivery is asked to do.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/contract/table_catalog.h"
#include "tidegate/parquet/capped_writer.h"

namespace tidegate::deliver {

inline constexpr int kMaxSlices = 256;

struct DeliverOptions {
  contract::Delivery delivery;           // the day (v1), v1/__initial__, or the hour (v2)
  std::optional<UtcTime> at;             // v1: the instant it goes up to, instead of 07:00 of its day
  UtcTime now;                           // from the caller's clock
  contract::TableCatalog catalog;        // the tables of the delivery
  std::vector<std::string> table_globs;  // "schema.table"; empty: all
  std::vector<std::string> exclude_globs;
  std::set<contract::TableName> reseed;  // parts tables that are delivered whole and flagged so
  int slices = 1;                        // writers of one table, 1 … kMaxSlices
  parquet::CappedWriterOptions writer;
};

}  // namespace tidegate::deliver
