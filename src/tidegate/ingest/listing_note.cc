#include "tidegate/ingest/listing_note.h"

#include <algorithm>
#include <set>

#include "tidegate/base/hash.h"
#include "tidegate/base/json.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/contract/schedule.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::Version;

constexpr int64_t kFormat = 2;
constexpr uint64_t kMaxBytes = 16'000'000;

/// More holes of one table are looked through as one.
constexpr size_t kMostHoles = 20;

/// So many keys of one table leave room on a page for those of one more day.
constexpr size_t kKeysInWindow = 850;
constexpr std::chrono::days kLeastDays{2};

std::string DayOf(UtcTime time) { return FormatRfc3339(time).substr(0, 10); }

Result<UtcTime> RequireTime(const Json& document, const char* key) {
  TG_ASSIGN_OR_RETURN(const std::string text, RequireText(document, key));
  return ParseRfc3339(text);
}

Result<bucket::Window> ParseWindow(const Json& document, const char* since) {
  bucket::Window out;
  TG_ASSIGN_OR_RETURN(const std::string version, RequireText(document, "version"));
  if (version != "v1" && version != "v2") return Corruption("no version: " + Quoted(version));
  out.version = version == "v1" ? Version::kV1 : Version::kV2;
  TG_ASSIGN_OR_RETURN(out.since, RequireText(document, since));
  TG_RETURN_IF_ERROR(ParseRfc3339(out.since + "T00:00:00Z").status());
  return out;
}

Result<TableNote> ParseTable(const Json& entry) {
  TableNote out;
  TG_ASSIGN_OR_RETURN(out.applied_before, RequireText(entry, "applied_before"));
  const auto shapes = entry.find("shapes");
  if (shapes == entry.end() || !shapes->is_array()) return Corruption("no array \"shapes\"");
  for (const Json& shape : *shapes) {
    const auto mode = shape == "full"    ? std::optional(contract::TableMode::kFull)
                      : shape == "parts" ? std::optional(contract::TableMode::kParts)
                                         : std::nullopt;
    if (!mode) return Corruption("a shape that is neither \"full\" nor \"parts\"");
    out.shapes.insert(*mode);
  }
  return out;
}

Status ParseTables(const Json& document, ListingNote& out) {
  const auto tables = document.find("tables");
  if (tables == document.end() || !tables->is_object()) return Corruption("no object \"tables\"");
  for (const auto& [name, entry] : tables->items()) {
    TG_RETURN_IF_ERROR(contract::ParseTableName(name).status());
    TG_ASSIGN_OR_RETURN(out.tables[name], ParseTable(entry));
  }
  return {};
}

Status ParseOpen(const Json& document, ListingNote& out) {
  const auto open = document.find("open");
  if (open == document.end() || !open->is_array()) return Corruption("no array \"open\"");
  for (const Json& path : *open) {
    if (!path.is_string()) return Corruption("a folder that is not text");
    TG_ASSIGN_OR_RETURN(contract::Folder folder, contract::ParseFolder(path.get<std::string>()));
    out.open.push_back(std::move(folder));
  }
  return {};
}

Result<ListingNote> ParseFields(const Json& document) {
  ListingNote out;
  TG_ASSIGN_OR_RETURN(out.bucket, RequireText(document, "bucket"));
  TG_ASSIGN_OR_RETURN(out.at, RequireTime(document, "at"));
  TG_ASSIGN_OR_RETURN(out.due, RequireTime(document, "due"));
  TG_ASSIGN_OR_RETURN(out.swept, RequireTime(document, "swept"));
  TG_ASSIGN_OR_RETURN(out.window, ParseWindow(document, "since"));
  TG_ASSIGN_OR_RETURN(out.past_manifests.window, ParseWindow(document, "manifests_since"));
  TG_ASSIGN_OR_RETURN(out.past_manifests.hash, RequireText(document, "manifests_before"));
  TG_ASSIGN_OR_RETURN(const int64_t before, RequireInteger(document, "deliveries_before"));
  out.deliveries_before = static_cast<size_t>(std::max<int64_t>(before, 0));
  TG_RETURN_IF_ERROR(ParseTables(document, out));
  TG_RETURN_IF_ERROR(ParseOpen(document, out));
  return out;
}

OrderedJson TablesJson(const ListingNote& note) {
  OrderedJson out = OrderedJson::object();
  for (const auto& [name, table] : note.tables) {
    OrderedJson shapes = OrderedJson::array();
    for (const contract::TableMode mode : table.shapes) shapes.push_back(contract::ModeName(mode));
    out[name] = OrderedJson{{"applied_before", table.applied_before}, {"shapes", std::move(shapes)}};
  }
  return out;
}

/// Of the table that has most, in folders of the window.
size_t MostKeys(const bucket::BucketView& view, const bucket::Window& window) {
  size_t most = 0;
  for (const auto& [name, table] : view.tables) {
    size_t keys = 0;
    for (const bucket::FolderMap* folders : {&table.full, &table.parts}) {
      for (const auto& [delivery, state] : *folders) {
        if (window.Covers(delivery)) keys += state.files.size() + state.strays.size() + 1;
      }
    }
    most = std::max(most, keys);
  }
  return most;
}

}  // namespace

std::string WriteListingNote(const ListingNote& note) {
  OrderedJson open = OrderedJson::array();
  for (const contract::Folder& folder : note.open) open.push_back(folder.Path());
  return DumpJson(OrderedJson{{"format", kFormat},
                              {"bucket", note.bucket},
                              {"at", FormatRfc3339(note.at)},
                              {"due", FormatRfc3339(note.due)},
                              {"swept", FormatRfc3339(note.swept)},
                              {"version", contract::VersionName(note.window.version)},
                              {"since", note.window.since},
                              {"manifests_since", note.past_manifests.window.since},
                              {"manifests_before", note.past_manifests.hash},
                              {"deliveries_before", note.deliveries_before},
                              {"tables", TablesJson(note)},
                              {"open", std::move(open)}}) +
         "\n";
}

Result<ListingNote> ParseListingNote(std::string_view text) {
  TG_ASSIGN_OR_RETURN(const Json document, ParseJson(text));
  TG_RETURN_IF_ERROR(RequireFormat(document, kFormat));
  return ParseFields(document);
}

std::optional<ListingNote> LoadListingNote(store::ObjectStore& lake) {
  const auto text = lake.Read(kListingNoteKey, kMaxBytes);
  if (!text.ok()) return std::nullopt;
  auto note = ParseListingNote(*text);
  if (note.ok()) return *std::move(note);
  Log(LogLevel::kDebug, std::string(kListingNoteKey) + " of the lake is passed over: " + note.status().message());
  return std::nullopt;
}

std::string AppliedBefore(const Checkpoint* checkpoint, const bucket::Window& window) {
  if (checkpoint == nullptr) return "";
  const auto is_before = [&](const Delivery& delivery) { return !window.Covers(delivery); };
  return HashBytes(checkpoint->applied.Where(is_before).ToString()).ToHex();
}

std::optional<bucket::Window> WindowOf(const bucket::BucketView& view, Version in_use, UtcTime now,
                                       const RecentDays& days) {
  const std::set<Delivery> all = view.Deliveries();
  const std::string tomorrow = DayOf(now + std::chrono::days(1));
  const auto newest = std::find_if(all.rbegin(), all.rend(), [&](const Delivery& delivery) {
    return !delivery.is_initial() && delivery.version <= in_use && delivery.date <= tomorrow;
  });
  if (newest == all.rend()) return std::nullopt;
  const auto day = ParseRfc3339(newest->date + "T00:00:00Z");
  if (!day.ok()) return std::nullopt;
  const auto from = [&](std::chrono::days back) { return bucket::Window{in_use, DayOf(*day - back)}; };
  if (in_use == Version::kV1) return from(days.v1);
  std::chrono::days back = days.v2;
  while (back > kLeastDays && MostKeys(view, from(back)) > kKeysInWindow) --back;
  return from(back);
}

size_t ObjectsIn(const bucket::BucketView& view) {
  size_t out = view.manifest_objects.size();
  for (const auto& [name, table] : view.tables) {
    for (const bucket::FolderMap* folders : {&table.full, &table.parts}) {
      for (const auto& [delivery, state] : *folders) {
        out += state.files.size() + state.strays.size() + (state.sealed() ? 1 : 0);
      }
    }
  }
  return out;
}

bool IsFresh(const ListingNote& note, const std::string& bucket_url, UtcTime now,
             std::chrono::milliseconds list_all_every) {
  return note.bucket == bucket_url && note.at <= now && now < note.due && now - note.at < list_all_every;
}

std::vector<bucket::Hole> HolesOf(const Checkpoint& checkpoint, const bucket::Window& window) {
  std::map<Delivery, Delivery> ranges;  // those that begin alike: the longer
  for (const DeliverySet* known : {&checkpoint.applied, &checkpoint.fenced, &checkpoint.skipped}) {
    for (const auto& [first, last] : known->ranges()) {
      if (first.version != Version::kV2) continue;
      const auto [at, is_new] = ranges.emplace(first, last);
      if (!is_new) at->second = std::max(at->second, last);
    }
  }
  std::vector<bucket::Hole> out;
  const Delivery end{Version::kV2, window.since, "00"};
  std::optional<Delivery> seen;  // up to here all are known
  const auto add = [&](const Delivery& next) {
    const Delivery& before = std::min(next, end);
    if (!seen || contract::Next(*seen) < before) out.push_back({seen, before});
  };
  for (const auto& [first, last] : ranges) {
    add(first);
    if (first >= end) break;
    seen = seen ? std::max(*seen, last) : last;
  }
  if (ranges.empty() || ranges.rbegin()->first < end) add(end);
  if (out.size() > kMostHoles) return {{out.front().after, out.back().before}};
  return out;
}

bool NeedsWholeListing(const bucket::BucketView& view, const TablePlan& plan, const ListingNote& note) {
  const Checkpoint* before = plan.before ? &*plan.before : nullptr;
  const auto known = note.tables.find(plan.table.ToString());
  if (known == note.tables.end() || known->second.applied_before != AppliedBefore(before, note.window)) return true;
  const auto announced = AnnouncedReseeds(view, plan.table, view.FoldersOf(plan.table, plan.rules.mode), plan.version);
  if (before == nullptr)
    return plan.action != Action::kNothing || !announced.empty();  // a first build takes all folders
  if (plan.action == Action::kRebuild || plan.takes_reseed) return true;
  // Of a reseed that the recent days show only the end of, the start would be mistaken.
  return !announced.empty() && (!before->reseed || announced.back().reseed.at != before->reseed->at);
}

}  // namespace tidegate::ingest
