#include "tidegate/declare/apply.h"

#include <algorithm>
#include <map>

#include "tidegate/base/text.h"
#include "tidegate/catalog/location.h"

namespace tidegate::declare {
namespace {

using catalog::HivePartition;
using catalog::HiveTable;

/// Is what the catalog has the table that would be declared? The newest copy's table may have begun in v1.
Status CheckIsThat(const Declaration& one, const HiveTable& there) {
  if (there.partition_columns != one.table.partition_columns) {
    return PreconditionFailed(
        "the catalog has a table of that name with other partition columns: choose another "
        "--database, or drop it");
  }
  if (one.newest || catalog::SamePlace(there.location, one.table.location)) return {};
  return PreconditionFailed("the catalog has a table of that name at " + Quoted(there.location, 1200) +
                            ": choose another --database, or drop it");
}

class Applier {
 public:
  Applier(const Declaration& one, catalog::HiveCatalog& catalog, Applied& out)
      : one_(one), catalog_(catalog), out_(out) {}

  Status Table() {
    auto there = catalog_.GetTable(one_.table.name);
    if (there.status().code() == Code::kNotFound) {
      Status created = catalog_.CreateTable(one_.table);
      out_.created = created.ok();
      if (created.code() != Code::kAlreadyExists) return created;
      there = catalog_.GetTable(one_.table.name);  // another one was quicker
    }
    TG_RETURN_IF_ERROR(there.status());
    TG_RETURN_IF_ERROR(CheckIsThat(one_, *there));
    for (const catalog::HiveColumn& column : one_.table.columns) {
      const bool known = std::any_of(there->columns.begin(), there->columns.end(),
                                     [&](const auto& other) { return ToLower(other.name) == column.name; });
      if (!known) out_.missing_columns.push_back(column);
    }
    return {};
  }

  Status Partitions() {
    TG_ASSIGN_OR_RETURN(const auto listed, catalog_.ListPartitions(one_.table.name));
    std::map<catalog::PartitionValues, HivePartition> there;
    for (const HivePartition& partition : listed) there[partition.values] = partition;
    std::vector<HivePartition> add, move;
    for (const HivePartition& partition : one_.partitions) {
      const auto found = there.find(partition.values);
      if (found == there.end()) {
        add.push_back(partition);
      } else if (catalog::SamePlace(found->second.location, partition.location)) {
        ++out_.there;
      } else if (one_.newest) {
        move.push_back(partition);
        move.back().parameters = found->second.parameters;
        move.back().version = found->second.version;
      } else {
        out_.elsewhere.push_back(found->second.location);
      }
    }
    TG_RETURN_IF_ERROR(Change(&catalog::HiveCatalog::AddPartitions, add, out_.added));
    return Change(&catalog::HiveCatalog::UpdatePartitions, move, out_.moved);
  }

 private:
  using Call = Result<std::vector<Status>> (catalog::HiveCatalog::*)(const catalog::HiveName&,
                                                                     const std::vector<HivePartition>&);

  Status Change(Call call, const std::vector<HivePartition>& partitions, size_t& done) {
    if (partitions.empty()) return {};
    TG_ASSIGN_OR_RETURN(const auto results, (catalog_.*call)(one_.table.name, partitions));
    Status first;
    for (const Status& result : results) {
      if (result.ok()) ++done;
      if (result.code() == Code::kAlreadyExists) ++out_.there;  // another one was quicker
      if (!result.ok() && result.code() != Code::kAlreadyExists && first.ok()) first = result;
    }
    return first;
  }

  const Declaration& one_;
  catalog::HiveCatalog& catalog_;
  Applied& out_;
};

}  // namespace

std::vector<Applied> Apply(const std::vector<Declaration>& tables, catalog::HiveCatalog& catalog, bool partitions) {
  std::vector<Applied> out;
  out.reserve(tables.size());
  for (const Declaration& one : tables) {
    Applied& applied = out.emplace_back();
    applied.table = one.table.name.ToString();
    Applier applier(one, catalog, applied);
    applied.status = applier.Table();
    if (applied.status.ok() && partitions) applied.status = applier.Partitions();
  }
  return out;
}

}  // namespace tidegate::declare
