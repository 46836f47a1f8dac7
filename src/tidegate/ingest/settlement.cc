#include "tidegate/ingest/settlement.h"

#include "tidegate/base/text.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/ingest/listing_note.h"
#include "tidegate/ingest/table_state.h"

namespace tidegate::ingest {
namespace {

constexpr int kFormat = 1;
constexpr uint64_t kMaxBytes = 64'000;

std::string TablePrefix(const contract::TableName& table) {
  return std::string(kSettlementsRoot) + table.schema + "/" + table.table + "/";
}

Result<Verdict> ParseVerdict(std::string_view text) {
  for (const Verdict verdict : {Verdict::kAccept, Verdict::kSkip}) {
    if (text == VerdictName(verdict)) return verdict;
  }
  return Corruption("a verdict is accept or skip, not " + Quoted(text));
}

}  // namespace

std::string_view VerdictName(Verdict verdict) { return verdict == Verdict::kAccept ? "accept" : "skip"; }

std::string SettlementKey(const contract::Folder& folder) {
  return TablePrefix(folder.table) + folder.delivery.ToString() + ".json";
}

OrderedJson ToJson(const Settlement& settlement) {
  return OrderedJson{{"format", kFormat},
                     {"folder", settlement.folder.Path()},
                     {"verdict", VerdictName(settlement.verdict)},
                     {"fingerprint", settlement.fingerprint},
                     {"reason", settlement.reason},
                     {"at", FormatRfc3339(settlement.at)}};
}

std::string WriteSettlement(const Settlement& settlement) { return DumpJson(ToJson(settlement)) + "\n"; }

Result<Settlement> ParseSettlement(std::string_view text) {
  TG_ASSIGN_OR_RETURN(const Json document, ParseJson(text));
  TG_RETURN_IF_ERROR(RequireFormat(document, kFormat));
  Settlement out;
  TG_ASSIGN_OR_RETURN(const std::string folder, RequireText(document, "folder"));
  TG_ASSIGN_OR_RETURN(out.folder, contract::ParseFolder(folder));
  TG_ASSIGN_OR_RETURN(const std::string verdict, RequireText(document, "verdict"));
  TG_ASSIGN_OR_RETURN(out.verdict, ParseVerdict(verdict));
  TG_ASSIGN_OR_RETURN(out.fingerprint, RequireText(document, "fingerprint"));
  TG_ASSIGN_OR_RETURN(out.reason, RequireText(document, "reason"));
  TG_ASSIGN_OR_RETURN(const std::string at, RequireText(document, "at"));
  TG_ASSIGN_OR_RETURN(out.at, ParseRfc3339(at));
  return out;
}

Status Settle(store::ObjectStore& lake, const Settlement& settlement) {
  TG_RETURN_IF_ERROR(lake.Delete({kListingNoteKey}));  // the next ingest looks at the folder, however old it is
  TG_RETURN_IF_ERROR(
      lake.Put(SettlementKey(settlement.folder), WriteSettlement(settlement), store::PutMode::kOverwrite).status());
  return lake.Sync();
}

Result<Settlement> Decide(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                          Verdict verdict, const std::string& reason, UtcTime now) {
  if (reason.size() > kMaxReasonBytes) {
    return InvalidArgument("the reason is longer than " + std::to_string(kMaxReasonBytes) + " bytes: say it shorter");
  }
  TG_ASSIGN_OR_RETURN(const bucket::FolderState there, bucket::ReadFolder(bucket, folder));
  if (!there.sealed() && verdict == Verdict::kAccept) {
    return NotFound("there is no sealed folder to accept: no " + folder.Path() + "/_SUCCESS in " + bucket.url());
  }
  TG_ASSIGN_OR_RETURN(const TableState state, LoadTableState(lake, folder.table));
  const Checkpoint* checkpoint = state.checkpoint ? &*state.checkpoint : nullptr;
  if (checkpoint != nullptr && checkpoint->applied.Contains(folder.delivery)) {
    const auto print = checkpoint->fingerprints.find(folder.delivery);
    if (print == checkpoint->fingerprints.end() || print->second == there.Fingerprint()) {
      return PreconditionFailed("nothing waits for a decision: the folder is applied, as it stands there: " +
                                folder.Path());
    }
  }
  return Settlement{folder, verdict, there.Fingerprint(), reason, now};
}

Result<Settlements> LoadSettlements(store::ObjectStore& lake, const contract::TableName& table) {
  Settlements out;
  store::ListRequest request;
  request.prefix = TablePrefix(table);
  TG_ASSIGN_OR_RETURN(const store::Listing listing, lake.List(request));
  for (const store::ObjectInfo& object : listing.objects) {
    if (!object.key.ends_with(".json")) continue;
    const auto text = lake.Read(object.key, kMaxBytes);
    if (text.status().code() == Code::kNotFound) continue;
    if (!text.ok()) return text.status();
    auto settlement = ParseSettlement(*text);
    if (!settlement.ok()) return settlement.status().WithContext("the settlement " + Quoted(object.key));
    if (SettlementKey(settlement->folder) != object.key) {
      return Corruption("the settlement " + Quoted(object.key) + " is about another folder, " +
                        Quoted(settlement->folder.Path()) + ": remove it and settle that folder again");
    }
    const contract::Delivery delivery = settlement->folder.delivery;
    out[delivery] = *std::move(settlement);
  }
  return out;
}

}  // namespace tidegate::ingest
