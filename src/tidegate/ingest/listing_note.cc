#include "tidegate/ingest/listing_note.h"

#include <algorithm>
#include <set>

#include "tidegate/base/hash.h"
#include "tidegate/base/json.h"
#include "tidegate/base/log.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::Version;

constexpr int64_t kFormat = 1;
constexpr uint64_t kMaxBytes = 16'000'000;

std::string DayOf(UtcTime time) { return FormatRfc3339(time).substr(0, 10); }

Result<ListingNote> ParseFields(const Json& document) {
  ListingNote out;
  TG_ASSIGN_OR_RETURN(out.bucket, RequireText(document, "bucket"));
  TG_ASSIGN_OR_RETURN(const std::string at, RequireText(document, "at"));
  TG_ASSIGN_OR_RETURN(out.at, ParseRfc3339(at));
  TG_ASSIGN_OR_RETURN(out.since, RequireText(document, "since"));
  TG_RETURN_IF_ERROR(ParseRfc3339(out.since + "T00:00:00Z").status());
  TG_ASSIGN_OR_RETURN(const int64_t before, RequireInteger(document, "deliveries_before"));
  out.deliveries_before = static_cast<size_t>(std::max<int64_t>(before, 0));
  const auto tables = document.find("tables");
  if (tables == document.end() || !tables->is_object()) return Corruption("no object \"tables\"");
  for (const auto& [name, hash] : tables->items()) {
    if (!hash.is_string()) return Corruption("a hash that is not text");
    out.tables[name] = hash.get<std::string>();
  }
  return out;
}

}  // namespace

std::string WriteListingNote(const ListingNote& note) {
  OrderedJson tables = OrderedJson::object();
  for (const auto& [name, hash] : note.tables) tables[name] = hash;
  return DumpJson(OrderedJson{{"format", kFormat},
                              {"bucket", note.bucket},
                              {"at", FormatRfc3339(note.at)},
                              {"since", note.since},
                              {"deliveries_before", note.deliveries_before},
                              {"tables", std::move(tables)}}) +
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

std::string AppliedBefore(const Checkpoint* checkpoint, const std::string& since) {
  if (checkpoint == nullptr) return "";
  const auto is_before = [&](const Delivery& delivery) { return delivery.is_initial() || delivery.date < since; };
  return HashBytes(checkpoint->applied.Where(is_before).ToString()).ToHex();
}

std::optional<Past> PastOf(const bucket::BucketView& view, Version in_use, UtcTime now,
                           const std::optional<Delivery>& oldest_open, const RecentDays& days) {
  const std::set<Delivery> all = view.Deliveries();
  const std::string tomorrow = DayOf(now + std::chrono::days(1));
  const auto newest = std::find_if(all.rbegin(), all.rend(), [&](const Delivery& delivery) {
    return !delivery.is_initial() && delivery.version <= in_use && delivery.date <= tomorrow;
  });
  if (newest == all.rend()) return std::nullopt;
  const auto day = ParseRfc3339(newest->date + "T00:00:00Z");
  if (!day.ok()) return std::nullopt;
  Past out;
  out.since = DayOf(*day - (in_use == Version::kV2 ? days.v2 : days.v1));
  if (oldest_open) out.since = std::min(out.since, oldest_open->date);
  out.deliveries = static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const Delivery& delivery) {
    return !delivery.is_initial() && delivery.date < out.since;
  }));
  return out.deliveries == 0 ? std::nullopt : std::optional(out);
}

bool IsFresh(const ListingNote& note, const std::string& bucket_url, UtcTime now,
             std::chrono::milliseconds list_all_every) {
  return note.bucket == bucket_url && note.at <= now && now - note.at < list_all_every;
}

bool NeedsWholeListing(const bucket::BucketView& view, const TablePlan& plan, const ListingNote& note) {
  const Checkpoint* before = plan.before ? &*plan.before : nullptr;
  const auto known = note.tables.find(plan.table.ToString());
  if (known == note.tables.end() || known->second != AppliedBefore(before, note.since)) return true;
  const auto announced = AnnouncedReseeds(view, plan.table, view.FoldersOf(plan.table, plan.rules.mode), plan.version);
  if (before == nullptr)
    return plan.action != Action::kNothing || !announced.empty();  // a first build takes all folders
  if (plan.action == Action::kRebuild || plan.takes_reseed) return true;
  // Of a reseed that the recent days show only the end of, the start would be mistaken.
  return !announced.empty() && (!before->reseed || announced.back().reseed.at != before->reseed->at);
}

}  // namespace tidegate::ingest
