#include "tidegate/publish/known_content.h"

#include "tidegate/base/json.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/mark.h"

namespace tidegate::publish {
namespace {

Result<KnownContent> ReadContent(store::ObjectStore& root, const std::string& key) {
  TG_ASSIGN_OR_RETURN(const Json json, ReadMark(root, key));
  return KnownContent{.signature = TextOr(json, "signature"), .rejected = TextOr(json, "rejected")};
}

}  // namespace

KnownContent ContentOf(const catalog::HivePartition& partition, const Run* current, store::ObjectStore& root) {
  if (current == nullptr) return {};
  if (ParameterOf(partition, kRunParameter) == current->id) {
    return {.signature = ParameterOf(partition, kSignatureParameter),
            .rejected = ParameterOf(partition, kRejectedParameter)};
  }
  if (!current->published) return {};
  const std::string key = KeyIn(current->folder, kSignatureFile);
  auto mark = ReadContent(root, key);
  if (mark.ok()) return *std::move(mark);
  Log(LogLevel::kWarning,
      Quoted(root.Location(key), 1200) +
          " cannot be read, so the content of the current run is not known: " + mark.status().message());
  return {};
}

std::set<std::string> TurnedAway(const std::vector<Run>& runs, const KnownContent& current, store::ObjectStore& root) {
  std::set<std::string> out;
  if (current.rejected.empty()) return out;
  for (const Run& run : runs) {
    if (!run.complete || !run.published) continue;
    const auto content = ReadContent(root, KeyIn(run.folder, kSignatureFile));
    if (content.ok() && content->signature == current.rejected) out.insert(run.folder);
  }
  return out;
}

Status MarkPublished(const std::string& folder, const KnownContent& content, const Ports& ports) {
  OrderedJson mark{{"signature", content.signature}};
  if (!content.rejected.empty()) mark["rejected"] = content.rejected;
  return ports.root.Put(KeyIn(folder, kSignatureFile), DumpJson(mark) + "\n", store::PutMode::kOverwrite).status();
}

}  // namespace tidegate::publish
