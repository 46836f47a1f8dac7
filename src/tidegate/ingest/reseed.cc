#include "tidegate/ingest/reseed.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::Version;

const Delivery kInitialFolder{Version::kV1, std::string(contract::kInitial), ""};

/// Was __initial__ sealed on R's day or later? Then it was written anew for this reseed.
bool InitialIsFresh(const Delivery& at, const bucket::FolderMap& folders) {
  const auto initial = folders.find(kInitialFolder);
  if (at.version != Version::kV1 || at.is_initial() || initial == folders.end() || !initial->second.sealed())
    return false;
  const auto day = ParseRfc3339(at.date + "T00:00:00Z");
  return day.ok() && initial->second.seal->modified >= *day;
}

}  // namespace

std::string Reseed::ToString() const {
  return at.ToString() + " from " + from.ToString() + (with_initial ? " initial" : "");
}

Result<Reseed> Reseed::Parse(std::string_view text) {
  const auto words = Split(text, ' ');
  const bool shaped = (words.size() == 3 || (words.size() == 4 && words[3] == "initial")) && words[1] == "from";
  if (!shaped) return Corruption("not a reseed: " + Quoted(text));
  Reseed out;
  TG_ASSIGN_OR_RETURN(out.at, contract::ParseDelivery(words[0]));
  TG_ASSIGN_OR_RETURN(out.from, contract::ParseDelivery(words[2]));
  out.with_initial = words.size() == 4;
  return out;
}

std::vector<AnnouncedReseed> AnnouncedReseeds(const bucket::BucketView& view, const contract::TableName& table,
                                              const bucket::FolderMap& folders, Version in_use) {
  std::vector<AnnouncedReseed> out;
  bool open = false;  // until a delivery has the table without the flag
  for (const auto& [delivery, manifest] : view.manifests) {
    if (delivery.version > in_use) continue;
    const contract::DeliveredTable* delivered = manifest.FindDelivered(table);
    if (delivered == nullptr) continue;
    if (delivered->reseed) {
      if (!open) out.push_back({Reseed{delivery, delivery, false}, delivery});
      out.back().last = delivery;
      if (delivered->reseed_from) out.back().reseed.from = *delivered->reseed_from;
    }
    open = delivered->reseed;
  }
  for (auto& [reseed, last] : out) {
    if (reseed.from == reseed.at) reseed.with_initial = InitialIsFresh(reseed.at, folders);
  }
  return out;
}

bool WaitsWith(const std::vector<Reseed>& waiting, const Delivery& delivery) {
  return std::any_of(waiting.begin(), waiting.end(), [&](const Reseed& reseed) { return reseed.Holds(delivery); });
}

bool CanBeTaken(const Reseed& reseed, const bucket::FolderMap& folders, const std::vector<Reseed>& waiting) {
  const auto at = folders.find(reseed.at);
  if (at != folders.end() && !at->second.sealed()) return false;
  if (at == folders.end() && !reseed.with_initial) return false;
  return std::none_of(folders.begin(), folders.end(), [&](const auto& entry) {
    const auto& [delivery, state] = entry;
    const bool needed = state.sealed() && delivery <= reseed.at && reseed.Holds(delivery);
    return needed && WaitsWith(waiting, delivery);
  });
}

}  // namespace tidegate::ingest
