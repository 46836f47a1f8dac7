#include "tidegate/cli/publish_setup.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "tidegate/app/engine_access.h"
#include "tidegate/app/open_catalog.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/publish/duckdb_builder.h"
#include "tidegate/publish/lease.h"
#include "tidegate/query/lake_views.h"

namespace tidegate::cli {
namespace {

std::string Who() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return std::to_string(getpid());
  return std::string(host.data()) + ":" + std::to_string(getpid());
}

}  // namespace

CLI::Option* AddPartitions(CLI::App& command, PartitionOptions& options, bool required) {
  auto* table =
      command.add_option("TABLE", options.table, "The table, as its [[publish]] section names it: sales.daily");
  table->required();
  auto* partitions = command.add_option("PARTITION", options.partitions,
                                        "day=2026-11-01, or day=2026-11-01/region=eu; escaped as Hive does: a%2Fb");
  if (required) partitions->required();
  AddCommon(command, options.common, /*with_now=*/true);
  return table;
}

Result<std::unique_ptr<PublishSetup>> PublishSetup::Open(const PartitionOptions& options) {
  std::unique_ptr<PublishSetup> out(new PublishSetup());
  TG_ASSIGN_OR_RETURN(out->settings_, app::LoadSettings(options.common.config));
  TG_ASSIGN_OR_RETURN(out->definition_, app::FindDefinition(out->settings_.publish, options.table));
  TG_ASSIGN_OR_RETURN(out->clock_, MakeClock(options.common));
  TG_ASSIGN_OR_RETURN(out->root_, OpenStore(options.common, out->definition_.location, app::OpenMode::kCreate));
  const std::string& catalog = out->settings_.publish.catalog_url;
  TG_ASSIGN_OR_RETURN(const app::StoreAccess access, AccessOf(options.common, catalog));
  TG_ASSIGN_OR_RETURN(out->catalog_, app::OpenCatalog(catalog, access));
  return out;
}

publish::Ports PublishSetup::ports() const { return {*catalog_, *root_, *clock_, Who(), &StopFlag()}; }

Result<engine::DuckDb> PublishSetup::OpenSource(const CommonOptions& common, bool writes) {
  const engine::DuckDbOptions options{.memory_limit = settings_.query_memory_limit, .threads = settings_.query_threads};
  if (definition_.lake.empty()) return publish::OpenSource(definition_.source, options);
  TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", options));
  TG_ASSIGN_OR_RETURN(auto lake, OpenLake(common, definition_.lake, app::OpenMode::kMustExist));
  TG_RETURN_IF_ERROR(app::LetEngineRead(db, *lake));
  if (definition_.follow.empty()) {
    TG_RETURN_IF_ERROR(query::CreateLakeViews(db, *lake, definition_.select + " " + definition_.partitions));
    return db;
  }
  TG_ASSIGN_OR_RETURN(follower_, app::LakeFollower::Open(definition_, ports(), std::move(lake), writes));
  const query::SnapshotChoice choice = follower_->Choice();
  TG_RETURN_IF_ERROR(
      query::CreateLakeViews(db, follower_->lake(), definition_.select + " " + definition_.follow, &choice));
  return db;
}

Result<std::vector<catalog::PartitionValues>> PublishSetup::AskForPartitions(engine::DuckDb& db) const {
  if (follower_ != nullptr) return follower_->ChangedPartitions(db);
  const std::string name = "the [[publish]] section of " + Quoted(definition_.table.ToString());
  if (definition_.partitions.empty()) {
    return InvalidArgument("name the partitions, or give " + name +
                           " a query for them: partitions = \"SELECT DISTINCT …\"");
  }
  auto rows = db.QueryAll("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (\n" + definition_.partitions + "\n)");
  if (!rows.ok()) return rows.status().WithContext("partitions of " + name);
  std::vector<catalog::PartitionValues> out;
  for (engine::TextRow& row : *rows) {
    if (row.size() != definition_.partition_columns.size()) {
      return InvalidArgument("partitions of " + name + " gives " + std::to_string(row.size()) + " columns, not the " +
                             std::to_string(definition_.partition_columns.size()) + " of partition_by, in their order");
    }
    out.push_back(std::move(row));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<std::vector<catalog::PartitionValues>> PublishSetup::Partitions(const std::vector<std::string>& typed) const {
  std::vector<catalog::PartitionValues> out;
  for (const std::string& text : typed) {
    TG_ASSIGN_OR_RETURN(out.emplace_back(), catalog::ParsePartitionPath(definition_.partition_columns, text));
  }
  if (!typed.empty()) return out;
  TG_ASSIGN_OR_RETURN(const auto all, catalog_->ListPartitions(definition_.table));
  out.reserve(all.size());
  for (const catalog::HivePartition& partition : all) out.push_back(partition.values);
  return out;
}

int FailOrConflict(const Status& status) {
  const int code = Fail(status);
  return publish::IsConflict(status) ? kConflict : code;
}

}  // namespace tidegate::cli
