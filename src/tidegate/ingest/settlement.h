// A person's word on a folder that cannot be applied as it is (C-15): take it, or leave it out. Written by `tidegate
// accept` and `tidegate skip`, followed by the next ingest. Format: docs/formats/settlement.md.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/contract/folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

enum class Verdict { kAccept, kSkip };

std::string_view VerdictName(Verdict verdict);  // "accept", "skip"

struct Settlement {
  contract::Folder folder;
  Verdict verdict = Verdict::kSkip;
  std::string fingerprint;  // of what the person saw
  std::string reason;
  UtcTime at;
  friend bool operator==(const Settlement&, const Settlement&) = default;
};

/// Of one table, by folder.
using Settlements = std::map<contract::Delivery, Settlement>;

inline constexpr size_t kMaxReasonBytes = 1'000;
inline constexpr std::string_view kSettlementsRoot = "_tidegate/settlements/";

/// "_tidegate/settlements/shop/orders/v2/2026-11-03/04.json".
std::string SettlementKey(const contract::Folder& folder);

OrderedJson ToJson(const Settlement& settlement);
std::string WriteSettlement(const Settlement& settlement);

/// Errors: Corruption, Unsupported (a newer format), InvalidArgument (no folder of the contract).
Result<Settlement> ParseSettlement(std::string_view text);

/// Write it down in the lake; it replaces an earlier word on the same folder. Errors: of the store.
Status Settle(store::ObjectStore& lake, const Settlement& settlement);

/// What a person decides, after a look at the folder and at what the lake has of it.
/// Errors: InvalidArgument (the reason is too long), NotFound (accept: no sealed folder there), PreconditionFailed (the
/// folder is applied as it stands there: nothing waits for a decision), else of the stores.
Result<Settlement> Decide(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                          Verdict verdict, const std::string& reason, UtcTime now);

/// All of one table. Errors: as ParseSettlement, naming the object; of the store.
Result<Settlements> LoadSettlements(store::ObjectStore& lake, const contract::TableName& table);

}  // namespace tidegate::ingest
