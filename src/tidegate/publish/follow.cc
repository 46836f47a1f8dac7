#include "tidegate/publish/follow.h"

#include "tidegate/base/hash.h"
#include "tidegate/base/json.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/run_manifest.h"

namespace tidegate::publish {
namespace {

constexpr int64_t kFormat = 1;
constexpr uint64_t kMaxBytes = 64 << 20;

std::string FollowName(const catalog::HiveName& table) {
  return "_tidegate_follow/" + catalog::EscapePartitionValue(table.ToString());
}

Status ReadPending(const Json& json, std::vector<catalog::PartitionValues>& out) {
  const auto list = json.find("pending");
  if (list == json.end() || !list->is_array()) return Corruption("no list 'pending'");
  out.reserve(list->size());
  for (const Json& values : *list) {
    TG_ASSIGN_OR_RETURN(out.emplace_back(), PartitionValuesOfJson(values));
  }
  return {};
}

}  // namespace

std::string WriteFollowState(const FollowState& state) {
  OrderedJson pending = OrderedJson::array();
  for (const auto& values : state.pending) pending.push_back(JsonOfPartitionValues(values));
  return DumpJson(OrderedJson{{"format", kFormat},
                              {"uuid", state.table_uuid},
                              {"snapshot", state.snapshot},
                              {"definition", state.definition},
                              {"pending", std::move(pending)},
                              {"written", FormatRfc3339(state.written)}}) +
         "\n";
}

Result<FollowState> ReadFollowState(std::string_view text) {
  TG_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("not a JSON object");
  TG_ASSIGN_OR_RETURN(const int64_t format, RequireInteger(json, "format"));
  if (format != kFormat) return Unsupported("a newer tidegate wrote it (format " + std::to_string(format) + ")");
  FollowState out;
  TG_ASSIGN_OR_RETURN(out.table_uuid, RequireText(json, "uuid"));
  TG_ASSIGN_OR_RETURN(out.snapshot, RequireInteger(json, "snapshot"));
  TG_ASSIGN_OR_RETURN(out.definition, RequireText(json, "definition"));
  TG_ASSIGN_OR_RETURN(const std::string written, RequireText(json, "written"));
  TG_ASSIGN_OR_RETURN(out.written, ParseRfc3339(written));
  TG_RETURN_IF_ERROR(ReadPending(json, out.pending));
  return out;
}

std::string FollowKey(const catalog::HiveName& table) { return FollowName(table) + ".json"; }

std::string FollowLeaseKey(const catalog::HiveName& table) { return LeaseKey(FollowName(table)); }

std::string FingerprintOf(const Definition& definition, const std::string& catalog) {
  OrderedJson parts{catalog, definition.lake, definition.follow, definition.select};
  for (const std::string& expression : definition.partition_of) parts.push_back(expression);
  for (const catalog::HiveColumn& column : definition.partition_columns) {
    parts.push_back(OrderedJson{column.name, column.type});
  }
  return HashBytes(DumpJson(parts)).ToHex();
}

std::string WhyAll(const std::optional<FollowState>& state, const FollowedNow& now) {
  if (!state) return "it is the first time";
  if (state->definition != now.definition) return "its settings changed";
  if (state->table_uuid != now.table_uuid) return "the lake has another table of that name";
  if (!now.knows_snapshot_of_state) return "the snapshot that was published last has expired";
  if (!now.same_columns) return "the columns of the lake table changed";
  return "";
}

std::vector<catalog::PartitionValues> PendingAfter(const std::vector<catalog::PartitionValues>& partitions,
                                                   const std::vector<PublishOutcome>& outcomes) {
  std::vector<catalog::PartitionValues> out;
  for (size_t i = 0; i < partitions.size(); ++i) {
    const bool done =
        i < outcomes.size() && (outcomes[i].end == PublishEnd::kPublished ||
                                outcomes[i].end == PublishEnd::kUnchanged || outcomes[i].end == PublishEnd::kRejected);
    if (!done) out.push_back(partitions[i]);
  }
  return out;
}

Result<std::optional<std::pair<FollowState, std::string>>> LoadFollowState(store::ObjectStore& root,
                                                                           const catalog::HiveName& table) {
  using Loaded = std::optional<std::pair<FollowState, std::string>>;
  const std::string key = FollowKey(table);
  const std::string advice = Quoted(root.Location(key), 1200) + " cannot be read; remove it to publish all partitions";
  auto object = root.Fetch(key, kMaxBytes);
  if (object.status().code() == Code::kNotFound) return Loaded();
  if (object.status().code() == Code::kCorruption) return object.status().WithContext(advice);
  TG_RETURN_IF_ERROR(object.status());
  auto state = ReadFollowState(object->bytes);
  if (!state.ok()) return state.status().WithContext(advice);
  return Loaded({*std::move(state), std::move(object->info.etag)});
}

Status SaveFollowState(store::ObjectStore& root, const catalog::HiveName& table, const FollowState& state,
                       const std::string& etag) {
  const std::string key = FollowKey(table), text = WriteFollowState(state);
  if (etag.empty()) return root.Put(key, text, store::PutMode::kCreateOnly).status();
  return root.Replace(key, text, etag).status();
}

}  // namespace tidegate::publish
