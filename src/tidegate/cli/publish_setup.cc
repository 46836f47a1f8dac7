#include "tidegate/cli/publish_setup.h"

#include <unistd.h>

#include <array>
#include <set>

#include "tidegate/app/open_catalog.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/publish/lease.h"

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

Status CheckSettingsAreThere(const app::Settings& settings) {
  if (settings.source != app::kBuiltIn) return {};
  return NotFound(
      "there is no tidegate.toml in this folder, and --config names none: it says what to publish "
      "(docs/publish.md)");
}

Result<std::unique_ptr<PublishSetup>> PublishSetup::Open(const PartitionOptions& options) {
  std::unique_ptr<PublishSetup> out(new PublishSetup());
  TG_ASSIGN_OR_RETURN(out->settings_, app::LoadSettings(options.common.config));
  TG_RETURN_IF_ERROR(CheckSettingsAreThere(out->settings_));
  TG_ASSIGN_OR_RETURN(out->definition_, app::FindDefinition(out->settings_.publish, options.table));
  TG_ASSIGN_OR_RETURN(out->clock_, MakeClock(options.common));
  TG_ASSIGN_OR_RETURN(out->root_, OpenStore(options.common, out->definition_.location, app::OpenMode::kCreate));
  const std::string& catalog = out->settings_.publish.catalog_url;
  const bool in_aws = catalog.starts_with("glue://") || catalog.starts_with("athena://");
  if (in_aws && !app::IsS3Url(out->definition_.location)) {
    return InvalidArgument("table " + Quoted(options.table) + " in " + catalog + " lies in S3: its location is " +
                           Quoted(out->definition_.location, 1200));
  }
  TG_ASSIGN_OR_RETURN(const app::StoreAccess access, AccessOf(options.common, catalog));
  TG_ASSIGN_OR_RETURN(out->catalog_, app::OpenCatalog(catalog, out->settings_.publish.athena, access));
  return out;
}

publish::Ports PublishSetup::ports() const {
  static const SystemClock kNow;
  return {*catalog_, *root_, *clock_, Who(), &StopFlag(), &kNow};
}

Result<std::vector<catalog::PartitionValues>> PublishSetup::Partitions(const std::vector<std::string>& typed) const {
  std::vector<catalog::PartitionValues> out;
  for (const std::string& text : typed) {
    TG_ASSIGN_OR_RETURN(out.emplace_back(), catalog::ParsePartitionPath(definition_.partition_columns, text));
  }
  if (!typed.empty()) {  // each once, in the order typed
    std::set<catalog::PartitionValues> seen;
    std::erase_if(out, [&](const catalog::PartitionValues& values) { return !seen.insert(values).second; });
    return out;
  }
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
