#include "tidegate/ingest/cold.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::ingest {
namespace {

constexpr const char* kHowToAsk = "; `tidegate restore BUCKET LAKE` shows what a restore costs, and asks for it";

/// "214 of 900 folders, 612 objects, 3.2 GB, are frozen".
std::string Amount(const Cold& cold) {
  const int64_t folders = std::ssize(cold.folders);
  std::string out = Plural(folders, "folder", "folders");
  if (cold.whole()) out = HumanCount(folders) + " of " + Plural(cold.of_folders, "folder", "folders");
  return out + ", " + Plural(cold.objects(), "object", "objects") + ", " + HumanBytes(cold.bytes()) + ", " +
         (folders == 1 ? "is " : "are ") + std::string(cold.state());
}

/// Of folders that wait one by one: the first few by name.
std::string Names(const std::vector<ColdFolder>& folders) {
  constexpr size_t kMost = 3;
  std::vector<std::string> out;
  for (size_t i = 0; i < folders.size() && i < kMost; ++i) out.push_back(folders[i].folder.delivery.ToString());
  if (folders.size() > kMost) out.emplace_back("…");
  return Join(out, ", ");
}

std::string What(const Cold& cold) {
  switch (cold.scope) {
    case ColdScope::kFirstBuild:
      return "waits: " + Amount(cold) + "; the table is built once all can be read";
    case ColdScope::kRebuild:
      return "is not built anew yet: " + Amount(cold) + "; it stays as it is and takes new folders meanwhile";
    case ColdScope::kReseed:
      return "its new copy waits: " + Amount(cold) + "; readers keep the old one meanwhile";
    case ColdScope::kFolders:
      return Amount(cold) + " (" + Names(cold.folders) + "): not applied yet, all others are";
    case ColdScope::kCopy:
      break;
  }
  const ColdFolder& newest = cold.folders.front();
  return "its newest copy " + newest.folder.Path() + " (" + Plural(newest.objects, "object", "objects") + ", " +
         HumanBytes(newest.bytes) + ") is " + std::string(cold.state()) +
         ": the newest copy that can be read stands in, where there is one";
}

}  // namespace

std::string_view ColdScopeName(ColdScope scope) {
  switch (scope) {
    case ColdScope::kFirstBuild:
      return "first_build";
    case ColdScope::kRebuild:
      return "rebuild";
    case ColdScope::kReseed:
      return "reseed";
    case ColdScope::kFolders:
      return "folders";
    case ColdScope::kCopy:
      return "copy";
  }
  return "folders";
}

int64_t Cold::objects() const {
  int64_t out = 0;
  for (const ColdFolder& folder : folders) out += folder.objects;
  return out;
}

uint64_t Cold::bytes() const {
  uint64_t out = 0;
  for (const ColdFolder& folder : folders) out += folder.bytes;
  return out;
}

std::string_view Cold::state() const {
  const bool asked = std::all_of(folders.begin(), folders.end(), [](const auto& folder) { return folder.thawing; });
  return asked ? "thawing" : "frozen";
}

std::string Describe(const Cold& cold) {
  const bool asked = cold.state() == "thawing";
  return What(cold) + (asked ? "; a restore was asked for: run again once it is done" : kHowToAsk);
}

void AddCold(Cold more, std::vector<Cold>& to) {
  const auto same = std::find_if(
      to.begin(), to.end(), [&](const Cold& known) { return known.table == more.table && known.scope == more.scope; });
  if (same == to.end()) return to.push_back(std::move(more));
  same->of_folders = std::max(same->of_folders, more.of_folders);
  for (ColdFolder& folder : more.folders) {
    const bool known = std::any_of(same->folders.begin(), same->folders.end(),
                                   [&](const auto& other) { return other.folder == folder.folder; });
    if (!known && same->scope != ColdScope::kCopy) same->folders.push_back(std::move(folder));
  }
}

}  // namespace tidegate::ingest
