#include "tidegate/ingest/note_listing.h"

#include <algorithm>
#include <vector>

#include "tidegate/base/log.h"
#include "tidegate/ingest/reseed.h"

namespace tidegate::ingest {
namespace {

using contract::TableMode;
using contract::TableName;
using contract::Version;

/// More open folders are not looked at one by one: the window goes back to the oldest of them.
constexpr size_t kMostOpen = 20;

/// A bucket that still changes everywhere, or is small, is listed as a whole this often.
constexpr std::chrono::hours kAtLeastDaily{24};

/// Folders of the report that could not be applied, or are held.
std::vector<contract::Folder> OpenFolders(const IngestReport& report) {
  std::vector<contract::Folder> out;
  const auto take = [&](const std::string& path) {
    auto folder = contract::ParseFolder(path);
    if (folder.ok() && std::find(out.begin(), out.end(), *folder) == out.end()) out.push_back(*std::move(folder));
  };
  for (const Problem& problem : report.problems) take(problem.folder);
  for (const Held& held : report.held) take(held.folder);
  for (const Cold& cold : report.cold) {
    for (const ColdFolder& folder : cold.folders) take(folder.folder.Path());
  }
  return out;
}

/// Is a reseed announced that was not taken? Then every run must see its manifest, however old it is.
bool AnyReseedWaits(const Look& look, const Checkpoints& checkpoints) {
  return std::any_of(checkpoints.begin(), checkpoints.end(), [&](const auto& entry) {
    const auto& [name, checkpoint] = entry;
    const auto& folders = look.view.FoldersOf(name, TableMode::kParts);
    const auto announced = AnnouncedReseeds(look.view, name, folders, look.version);
    if (announced.empty()) return false;
    return !checkpoint || !checkpoint->reseed || checkpoint->reseed->at < announced.back().reseed.at;
  });
}

/// Does a build wait that needs all folders? Then every run must see all of them.
bool AnyBuildWaits(const IngestReport& report) {
  return std::any_of(report.cold.begin(), report.cold.end(), [](const Cold& cold) { return cold.whole(); });
}

/// C-14: until v1 is closed, it is listed daily.
bool V1IsOpen(const Look& look, const Checkpoints& checkpoints, UtcTime now) {
  if (look.version == Version::kV1) return true;
  return std::any_of(checkpoints.begin(), checkpoints.end(), [&](const auto& entry) {
    const auto& [name, checkpoint] = entry;
    const auto& folders = look.view.FoldersOf(name, TableMode::kParts);
    const bool has_v1 = !folders.empty() && folders.begin()->first.version == Version::kV1;
    return has_v1 && (!checkpoint || !checkpoint->switched_at || now < *checkpoint->switched_at + kV1StaysOpen);
  });
}

/// Would the runs to come ask for no less by looking at the recent days alone? Only the newest manifests are kept.
bool IsTiny(const Look& look, const Checkpoints& checkpoints, const RecentDays& days) {
  return ObjectsIn(look.view) <= checkpoints.size() * days.keys_a_table &&
         look.view.manifest_objects.size() <= bucket::kManifestsKept;
}

UtcTime NextWholeListing(const Look& look, const Checkpoints& checkpoints, const NoteChoice& choice) {
  const bool daily = ObjectsIn(look.view) <= choice.days.small_bucket || V1IsOpen(look, checkpoints, choice.now);
  return choice.now + (daily ? UtcTime::duration(kAtLeastDaily) : UtcTime::duration(kListAllEvery));
}

/// How many deliveries that `seen` showed are outside of the window.
size_t CountOutside(const bucket::BucketView& view, const std::optional<bucket::Window>& seen,
                    const bucket::Window& window) {
  const auto all = view.Deliveries();
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const contract::Delivery& delivery) {
    return !window.Covers(delivery) && (!seen || seen->Covers(delivery));
  }));
}

bucket::Shapes ShapesOf(const bucket::BucketView& view, const TableName& name, Version version) {
  bucket::Shapes out;
  for (const TableMode mode : {TableMode::kFull, TableMode::kParts}) {
    const auto& folders = view.FoldersOf(name, mode);
    const bool any =
        std::any_of(folders.begin(), folders.end(), [&](const auto& entry) { return entry.first.version == version; });
    if (any) out.insert(mode);
  }
  return out;
}

/// The window of the runs to come, with the open folders outside of it. False: it cannot be told from what was seen.
bool ChooseWindow(const Look& look, const IngestReport& report, const NoteChoice& choice, ListingNote& note) {
  const auto window = WindowOf(look.view, look.version, choice.now, choice.days);
  if (!window && !look.note) return false;
  if (window && (!look.note || window->since > note.window.since)) note.window = *window;
  note.open = OpenFolders(report);
  std::erase_if(note.open, [&](const contract::Folder& folder) { return note.window.Covers(folder.delivery); });
  if (note.open.size() <= kMostOpen) return true;
  if (look.note) return false;
  for (const contract::Folder& folder : note.open) {
    if (folder.delivery.version != note.window.version) continue;
    note.window.since = std::min(note.window.since, folder.delivery.date);
  }
  return true;
}

std::optional<ListingNote> NoteAfter(const Look& look, const Checkpoints& checkpoints, const IngestReport& report,
                                     const NoteChoice& choice) {
  ListingNote note = look.note.value_or(ListingNote{});
  if (!look.note && IsTiny(look, checkpoints, choice.days)) return std::nullopt;
  if (!look.note) {
    note.bucket = choice.bucket_url;
    note.at = choice.now;
    note.due = NextWholeListing(look, checkpoints, choice);
  }
  if (!look.note || look.swept) note.swept = choice.now;
  if (AnyReseedWaits(look, checkpoints) || AnyBuildWaits(report)) return std::nullopt;
  if (!ChooseWindow(look, report, choice, note)) return std::nullopt;
  if (!look.note) {  // those in cold storage were not read: then the past is read again
    const bool all_read = look.view.frozen_manifests.empty();
    note.past_manifests = {note.window,
                           all_read ? bucket::HashOfManifests(look.view.manifest_objects, note.window) : std::string()};
  }
  note.deliveries_before += CountOutside(look.view, look.view.window, note.window);
  for (const auto& [name, checkpoint] : checkpoints) {
    TableNote& table = note.tables[name.ToString()];
    table.applied_before = AppliedBefore(checkpoint ? &*checkpoint : nullptr, note.window);
    table.shapes.merge(ShapesOf(look.view, name, look.version));
  }
  return note.deliveries_before == 0 ? std::nullopt : std::optional(note);
}

void Remove(store::ObjectStore& lake, const Look& look) {
  if (!look.tables.marks.listing_note) return;
  const Status removed = lake.Delete({kListingNoteKey});  // it would hide what is open now
  if (!removed.ok()) Log(LogLevel::kWarning, "the note on an earlier listing was not removed: " + removed.message());
}

}  // namespace

void NoteListing(store::ObjectStore& lake, const Look& look, const Checkpoints& checkpoints, const IngestReport& report,
                 const NoteChoice& choice) {
  const auto note = NoteAfter(look, checkpoints, report, choice);
  if (!note) return Remove(lake, look);
  if (look.note == note) return;
  const Status noted = lake.Put(kListingNoteKey, WriteListingNote(*note), store::PutMode::kOverwrite).status();
  if (!noted.ok()) Log(LogLevel::kWarning, "the listing was not noted: " + noted.message());
}

}  // namespace tidegate::ingest
