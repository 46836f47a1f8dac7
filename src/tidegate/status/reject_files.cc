#include "tidegate/status/reject_files.h"

#include <map>

#include "tidegate/base/text.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::status {
namespace {

constexpr std::string_view kSuffix = ".parquet";

Result<std::vector<std::string>> FilesOf(store::ObjectStore& lake, const contract::TableName& name) {
  std::vector<std::string> out;
  TG_ASSIGN_OR_RETURN(const ingest::TableState state, ingest::LoadTableState(lake, name));
  if (!state.checkpoint) return out;
  store::ListRequest request;
  request.prefix = table::FolderOf(name) + "/rejects/";
  TG_ASSIGN_OR_RETURN(const store::Listing listing, lake.List(request));
  std::map<contract::Delivery, std::string> in_order;
  for (const store::ObjectInfo& object : listing.objects) {
    if (!object.key.ends_with(kSuffix)) continue;
    const std::string_view key = object.key;
    const auto delivery =
        contract::ParseDelivery(key.substr(request.prefix.size(), key.size() - request.prefix.size() - kSuffix.size()));
    if (delivery.ok() && state.checkpoint->applied.Contains(*delivery)) in_order[*delivery] = object.key;
  }
  for (auto& [delivery, key] : in_order) out.push_back(std::move(key));
  return out;
}

}  // namespace

Result<std::vector<RejectFiles>> FindRejectFiles(store::ObjectStore& lake, const std::optional<std::string>& only) {
  TG_ASSIGN_OR_RETURN(const auto tables, table::ListTables(lake));
  std::vector<RejectFiles> out;
  bool found = false;
  for (const contract::TableName& name : tables) {
    if (only && *only != name.ToString()) continue;
    found = true;
    TG_ASSIGN_OR_RETURN(std::vector<std::string> keys, FilesOf(lake, name));
    if (!keys.empty()) out.push_back({name, std::move(keys)});
  }
  if (only && !found) return NotFound("the lake " + lake.url() + " has no table " + Quoted(*only));
  return out;
}

}  // namespace tidegate::status
