#include "tidegate/bucket/bucket_view.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"

namespace tidegate::bucket {
namespace {

using contract::ParsedKey;

FolderState& FolderAt(BucketView& view, const contract::Folder& folder) {
  TableFolders& table = view.tables[folder.table];
  FolderMap& map = folder.mode == contract::TableMode::kFull ? table.full : table.parts;
  FolderState& state = map[folder.delivery];
  state.folder = folder;
  return state;
}

bool SameFinding(const Finding& a, const Finding& b) {
  return a.kind == b.kind && a.subject == b.subject && a.detail == b.detail;
}

/// A name that is refused is said once, not once a key: its keys follow each other in a listing.
void AddFinding(BucketView& view, Finding finding) {
  if (view.findings.empty() || !SameFinding(view.findings.back(), finding)) view.findings.push_back(std::move(finding));
}

/// Once also where other findings came between.
void SayOnce(std::vector<Finding>& findings) {
  std::set<std::tuple<Finding::Kind, std::string, std::string>> said;
  std::erase_if(findings, [&](const Finding& f) { return !said.emplace(f.kind, f.subject, f.detail).second; });
}

/// A key up to the segment that was refused: "v2/sh op", "v2/shop/or ders".
std::string_view UpTo(std::string_view key, std::string_view segment) {
  const size_t schema = key.find('/') + 1;
  const std::string_view rest = key.substr(schema);
  const bool is_schema = rest == segment || rest.starts_with(std::string(segment) + "/");
  const size_t begin = is_schema ? schema : key.find('/', schema) + 1;
  return key.substr(0, begin + segment.size());
}

/// Below _manifests/, but not a manifest's key; names that begin with '_' or '.' are somebody's own.
bool IsOddManifestKey(std::string_view key) {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return key.substr(std::min(key.size(), size_t{3})).starts_with("_manifests/") && !name.empty() && name[0] != '_' &&
         name[0] != '.';
}

/// A key that fits no rule is not data and not an error, but it is said; many are said as one.
void AddForeign(BucketView& view, const std::string& key) {
  constexpr size_t kMostTold = 20;
  ++view.foreign_keys;
  if (view.foreign_keys <= kMostTold) {
    AddFinding(view, {Finding::Kind::kForeignKey, Quoted(key), "outside the contract's layout: not read", ""});
  } else if (view.foreign_keys == kMostTold + 1) {
    AddFinding(view, {Finding::Kind::kForeignKey, "", "more keys are outside the contract's layout: not read", ""});
  }
}

/// What the store could not show as an object must not pass for absent.
void TakeRefused(BucketView& view, const std::string& refused, const ScanOptions& options) {
  ParsedKey key = contract::ParseKey(refused);
  if (key.kind == ParsedKey::Kind::kForeign) {  // a folder, whose name is looked at where something lies in it
    ParsedKey below = contract::ParseKey(refused + "/_");
    if (below.kind == ParsedKey::Kind::kBadName) key = std::move(below);
  }
  if (key.kind == ParsedKey::Kind::kBadName) {
    AddFinding(view, {Finding::Kind::kNameRefused, Quoted(UpTo(refused, key.bad_name)), key.detail, key.bad_name});
    return;
  }
  const bool data = key.kind == ParsedKey::Kind::kData;
  if (data && !Chosen(key.folder.table, options)) return;
  if (data) FolderAt(view, key.folder).refused.push_back(refused);
  AddFinding(view, {Finding::Kind::kRefusedKey, Quoted(refused),
                    "a symlink, no regular file, or no possible key: not read", ""});
}

void TakeObject(BucketView& view, store::ObjectInfo object, const ParsedKey& key,
                std::vector<store::ObjectInfo>& manifests) {
  switch (key.kind) {
    case ParsedKey::Kind::kData:
      FolderAt(view, key.folder).files.push_back(std::move(object));
      break;
    case ParsedKey::Kind::kSuccess:
      FolderAt(view, key.folder).seal = std::move(object);
      break;
    case ParsedKey::Kind::kStray:
      FolderAt(view, key.folder).strays.push_back(object.key);
      break;
    case ParsedKey::Kind::kManifest:
      manifests.push_back(std::move(object));
      break;
    case ParsedKey::Kind::kBadName:
      AddFinding(view, {Finding::Kind::kNameRefused, Quoted(UpTo(object.key, key.bad_name)), key.detail, key.bad_name});
      break;
    case ParsedKey::Kind::kControl:
      if (IsOddManifestKey(object.key) || object.key.find("/..") != std::string::npos) AddForeign(view, object.key);
      break;
    case ParsedKey::Kind::kForeign:
      if (!object.key.ends_with('/')) AddForeign(view, object.key);  // not the marker of an empty folder
      break;
  }
}

bool IsOfTable(const ParsedKey& key) {
  return key.kind == ParsedKey::Kind::kData || key.kind == ParsedKey::Kind::kSuccess ||
         key.kind == ParsedKey::Kind::kStray;
}

void ReportStrays(BucketView& view) {
  for (const auto& [name, table] : view.tables) {
    for (const FolderMap* map : {&table.full, &table.parts}) {
      for (const auto& [delivery, state] : *map) {
        if (!state.sealed()) continue;
        for (const std::string& stray : state.strays) {
          AddFinding(view, {Finding::Kind::kStray, Quoted(stray), "not a Parquet file: passed over", ""});
        }
      }
    }
  }
}

/// A manifest that cannot be read counts as absent, and that is said (C-33).
void Unreadable(BucketView& view, const store::ObjectInfo& object, const contract::Delivery& delivery,
                const Status& why) {
  view.unreadable_manifests.push_back(delivery);
  AddFinding(view, {Finding::Kind::kManifestUnreadable, Quoted(object.key), why.message(), ""});
}

/// One in cold storage counts as absent, too; all of them are said as one (C-33, C-43).
void TakeFrozen(BucketView& view, const store::ObjectInfo& object, const contract::Delivery& delivery) {
  view.unreadable_manifests.push_back(delivery);
  view.frozen_manifests.push_back(object);
}

void ReportFrozen(BucketView& view) {
  if (view.frozen_manifests.empty()) return;
  const auto count = static_cast<int64_t>(view.frozen_manifests.size());
  const std::string range = Quoted(view.frozen_manifests.front().key) + (count > 1 ? " and others" : "");
  AddFinding(view, {Finding::Kind::kManifestsFrozen, "",
                    Plural(count, "manifest lies", "manifests lie") + " in cold storage (" + range +
                        ") and counts as absent: reseeds that it announces go unnoticed; `tidegate restore BUCKET "
                        "--manifests` asks for all of them",
                    ""});
}

/// The bytes of the very object that was listed. Errors: PreconditionFailed where it was replaced since.
Result<std::string> ReadPinned(store::ObjectStore& bucket, const store::ObjectInfo& object) {
  TG_ASSIGN_OR_RETURN(auto reader, bucket.Open(object));
  std::string text(object.size_bytes, '\0');
  size_t done = 0;
  while (done < text.size()) {
    TG_ASSIGN_OR_RETURN(const size_t read, reader->ReadAt(done, std::span(text).subspan(done)));
    if (read == 0) return PreconditionFailed("shorter than it was listed: " + Quoted(object.key));
    done += read;
  }
  return text;
}

/// A manifest as it is now, from `cache` where that has it. It goes there only if it is the one that was listed.
Result<std::string> ManifestText(store::ObjectStore& bucket, const store::ObjectInfo& object, ManifestCache* cache) {
  if (cache != nullptr) {
    if (const std::string* known = cache->Find(object)) return *known;
    if (object.size_bytes <= kMaxCachedManifestBytes) {
      auto text = ReadPinned(bucket, object);
      if (text.ok()) cache->Take(object, *text);
      if (text.status().code() != Code::kPreconditionFailed) return text;
    }
  }
  return bucket.Read(object.key, contract::kMaxManifestBytes);
}

Status ReadManifest(store::ObjectStore& bucket, const store::ObjectInfo& object, ManifestCache* cache,
                    BucketView& view) {
  const contract::Delivery delivery = contract::ParseKey(object.key).folder.delivery;
  const bool known = cache != nullptr && cache->Find(object) != nullptr;
  if (!store::CanBeRead(object.archive) && !known) {
    TakeFrozen(view, object, delivery);
    return {};
  }
  auto text = ManifestText(bucket, object, cache);
  if (!text.ok()) {
    if (text.status().code() == Code::kNotFound) return {};  // gone since the listing: as if it was never there
    if (text.status().code() == Code::kFrozen) {
      TakeFrozen(view, object, delivery);
      return {};
    }
    if (text.status().code() != Code::kCorruption) return text.status();
    Unreadable(view, object, delivery, text.status());
    return {};
  }
  auto parsed = contract::ParseManifest(delivery, *text);
  if (!parsed.ok()) {
    Unreadable(view, object, delivery, parsed.status());
    return {};
  }
  for (const std::string& note : parsed->notes) {
    AddFinding(view, {Finding::Kind::kManifestOdd, Quoted(object.key), note, ""});
  }
  view.manifests[delivery] = std::move(parsed->manifest);
  return {};
}

/// So many tables that only manifests name are looked at; the others wait for a listing of everything. A hostile
/// manifest could name any number.
constexpr size_t kMostNamedTables = 100;

/// The listing of a bucket, put into a view.
class Scan {
 public:
  Scan(store::ObjectStore& bucket, const ScanOptions& options, BucketView& view)
      : bucket_(bucket), options_(options), view_(view) {}

  Status OfAll() {
    for (const char* prefix : {"v1/", "v2/"}) TG_RETURN_IF_ERROR(Take({.prefix = prefix}));
    return ReadManifests();
  }

  /// Dates sort as they follow each other, and __initial__ after all of them.
  Status OfRecent(const RecentScan& scan) {
    view_.window = scan.window;
    root_ = std::string(contract::VersionName(scan.window.version)) + "/";
    TG_RETURN_IF_ERROR(TakeDays(root_ + "_manifests/", contract::TableMode::kFull));
    if (scan.window.version == contract::Version::kV1)
      TG_RETURN_IF_ERROR(Take({.prefix = "v2/_manifests/", .start_after = "", .delimited = false, .max_entries = 1}));
    else
      view_.has_v2_manifest_key = true;
    TG_RETURN_IF_ERROR(ReadManifests());
    TG_ASSIGN_OR_RETURN(const auto tables, Tables(scan));
    for (const auto& [table, shapes] : tables) {
      if (Chosen(table, options_)) TG_RETURN_IF_ERROR(TakeTable(table, shapes));
    }
    return TakeOpen(scan.open);
  }

  Status Into(const contract::TableName& table, const Hole& hole) {
    const auto path = [&](const contract::Delivery& delivery) {
      return contract::Folder{table, contract::TableMode::kParts, delivery}.Path();
    };
    const std::string end = hole.before ? path(*hole.before) + "/" : "";
    const std::set<std::string> known = view_.also;
    store::ListRequest request{.prefix = "v2/" + table.schema + "/" + table.table + "/etl_date=",
                               .start_after = hole.after ? path(*hole.after) + "0" : "",  // '0' follows '/'
                               .delimited = false,
                               .max_entries = kPage};
    for (bool more = true; more;) {
      TG_ASSIGN_OR_RETURN(store::Listing page, bucket_.List(request));
      const bool full = page.objects.size() >= kPage;
      if (full) request.start_after = page.objects.back().key;
      more = full && (end.empty() || request.start_after < end);
      std::erase_if(page.objects, [&](const auto& object) {
        const ParsedKey key = contract::ParseKey(object.key);
        if (!IsOfTable(key) || (!end.empty() && object.key >= end)) return true;
        if (known.contains(key.folder.Path())) return true;  // listed before
        view_.also.insert(key.folder.Path());
        return false;
      });
      TakeAll(std::move(page));
    }
    return {};
  }

 private:
  static constexpr size_t kPage = 1'000;

  /// Those that are known, those that manifests deliver, and those of the schema whose turn it is.
  Result<std::map<contract::TableName, Shapes>> Tables(const RecentScan& scan) {
    std::map<contract::TableName, Shapes> out = scan.tables;
    size_t named = 0;
    for (auto it = view_.manifests.rbegin(); it != view_.manifests.rend(); ++it) {
      for (const contract::DeliveredTable& table : it->second.delivered) {
        if (named < kMostNamedTables && out.try_emplace(table.table).second) ++named;
      }
    }
    if (scan.window.version == contract::Version::kV1) return out;
    std::set<std::string> schemas;
    for (const auto& [table, shapes] : out) schemas.insert(table.schema);
    if (schemas.empty()) return out;
    const std::string& schema = *std::next(schemas.begin(), static_cast<ptrdiff_t>(scan.turn % schemas.size()));
    TG_ASSIGN_OR_RETURN(const auto names, TablesOf(schema));
    for (const contract::TableName& name : names) out.try_emplace(name);
    return out;
  }

  Result<std::vector<contract::TableName>> TablesOf(const std::string& schema) {
    const std::string prefix = root_ + schema + "/";
    TG_ASSIGN_OR_RETURN(const store::Listing listing,
                        bucket_.List({.prefix = prefix, .start_after = "", .delimited = true, .max_entries = 0}));
    std::vector<contract::TableName> out;
    for (std::string_view name : listing.prefixes) {
      name.remove_prefix(prefix.size());
      name.remove_suffix(1);
      if (contract::IsName(name)) out.push_back({schema, std::string(name)});
    }
    return out;
  }

  /// One listing, but for a table that has folders of both shapes. Of one that is not known yet, the whole history:
  /// whoever looks must see that there is one.
  Status TakeTable(const contract::TableName& table, Shapes shapes) {
    using contract::TableMode;
    const std::string folder = root_ + table.schema + "/" + table.table + "/";
    if (shapes.empty()) return Take({.prefix = folder});
    if (shapes.size() > 1) {
      TG_RETURN_IF_ERROR(TakeDays(folder, TableMode::kParts));
      return TakeDays(folder, TableMode::kFull);
    }
    // "etl_date=" sorts before "snapshot_date=": a table in parts that becomes full shows, too.
    const contract::DeliveredTable* mention = view_.NewestMention(table);
    const bool parts = shapes.contains(TableMode::kParts) || (mention != nullptr && mention->mode == TableMode::kParts);
    const TableMode first = parts ? TableMode::kParts : TableMode::kFull;
    return Take({.prefix = folder, .start_after = folder + std::string(Shape(first)) + view_.window->since});
  }

  Status TakeOpen(const std::vector<contract::Folder>& open) {
    for (const contract::Folder& folder : open) {
      if (view_.Covers(folder) || !Chosen(folder.table, options_)) continue;
      view_.also.insert(folder.Path());
      TG_RETURN_IF_ERROR(Take({.prefix = folder.Path() + "/"}));
    }
    return {};
  }

  static std::string_view Shape(contract::TableMode mode) {
    return mode == contract::TableMode::kFull ? "snapshot_date=" : "etl_date=";
  }

  Status TakeDays(const std::string& folder, contract::TableMode mode) {
    const std::string prefix = folder + std::string(Shape(mode));
    return Take({.prefix = prefix, .start_after = prefix + view_.window->since});
  }

  Status Take(const store::ListRequest& request) {
    TG_ASSIGN_OR_RETURN(store::Listing listing, bucket_.List(request));
    TakeAll(std::move(listing));
    return {};
  }

  void TakeAll(store::Listing listing) {
    for (const std::string& refused : listing.refused) TakeRefused(view_, refused, options_);
    for (store::ObjectInfo& object : listing.objects) {
      const ParsedKey key = contract::ParseKey(object.key);
      if (IsOfTable(key) && !Chosen(key.folder.table, options_)) continue;
      // Any key under v2/_manifests/ turns the consumer to v2, whatever its shape (C-12).
      if (object.key.starts_with("v2/_manifests/")) view_.has_v2_manifest_key = true;
      TakeObject(view_, std::move(object), key, manifests_);
    }
  }

  Status ReadManifests() {
    const auto& past = options_.past_manifests;
    if (past && HashOfManifests(manifests_, past->window) == past->hash) view_.manifest_window = past->window;
    view_.manifest_objects = manifests_;
    for (size_t i = 0; i < manifests_.size(); ++i) {
      const store::ObjectInfo& object = manifests_[i];
      const contract::Delivery delivery = contract::ParseKey(object.key).folder.delivery;
      if (!view_.CoversManifest(delivery)) continue;
      if (options_.manifests_from && delivery < *options_.manifests_from) continue;
      const bool newest = i + kManifestsKept >= manifests_.size();
      TG_RETURN_IF_ERROR(ReadManifest(bucket_, object, newest ? options_.known_manifests : nullptr, view_));
    }
    return {};
  }

  store::ObjectStore& bucket_;
  const ScanOptions& options_;
  BucketView& view_;
  std::string root_;  // "v2/": of the version in use
  std::vector<store::ObjectInfo> manifests_;
};

}  // namespace

std::string_view FindingName(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kNameRefused:
      return "name_refused";
    case Finding::Kind::kStray:
      return "stray_key";
    case Finding::Kind::kManifestUnreadable:
      return "manifest_unreadable";
    case Finding::Kind::kManifestOdd:
      return "manifest_odd";
    case Finding::Kind::kManifestsFrozen:
      return "manifests_frozen";
    case Finding::Kind::kForeignKey:
      return "foreign_key";
    case Finding::Kind::kRefusedKey:
      return "refused_key";
  }
  return "stray_key";
}

int64_t FolderState::bytes() const {
  int64_t sum = 0;
  for (const auto& file : files) sum += static_cast<int64_t>(file.size_bytes);
  return sum;
}

std::string FolderState::Fingerprint() const {
  std::string text;
  for (const auto& file : files) {
    text += file.key + '\0' + std::to_string(file.size_bytes) + '\0' + file.etag + '\n';
  }
  return HashBytes(text).ToHex().substr(0, 16);
}

const FolderMap& BucketView::FoldersOf(const contract::TableName& table, contract::TableMode mode) const {
  static const FolderMap kNone;
  const auto it = tables.find(table);
  if (it == tables.end()) return kNone;
  return mode == contract::TableMode::kFull ? it->second.full : it->second.parts;
}

std::set<contract::Delivery> BucketView::Deliveries() const {
  std::set<contract::Delivery> out;
  for (const auto& [delivery, manifest] : manifests) out.insert(delivery);
  for (const auto& [name, table] : tables) {
    for (const FolderMap* folders : {&table.full, &table.parts}) {
      for (const auto& [delivery, state] : *folders) out.insert(delivery);
    }
  }
  return out;
}

const contract::DeliveredTable* BucketView::NewestMention(const contract::TableName& table) const {
  for (auto it = manifests.rbegin(); it != manifests.rend(); ++it) {
    if (const auto* delivered = it->second.FindDelivered(table)) return delivered;
  }
  return nullptr;
}

bool Chosen(const contract::TableName& table, const ScanOptions& options) {
  const std::string name = table.ToString();
  const auto matches = [&](const std::string& glob) { return GlobMatches(glob, name); };
  const bool wanted =
      options.table_globs.empty() || std::any_of(options.table_globs.begin(), options.table_globs.end(), matches);
  return wanted && std::none_of(options.exclude_globs.begin(), options.exclude_globs.end(), matches);
}

std::string HashOfManifests(const std::vector<store::ObjectInfo>& manifests, const Window& window) {
  std::string text;
  for (const store::ObjectInfo& object : manifests) {
    if (window.Covers(contract::ParseKey(object.key).folder.delivery)) continue;
    text += object.key + '\0' + std::to_string(object.size_bytes) + '\0' + object.etag + '\n';
  }
  return HashBytes(text).ToHex();
}

Result<BucketView> ScanBucket(store::ObjectStore& bucket, const ScanOptions& options) {
  BucketView view;
  Scan scan(bucket, options, view);
  const Status done = options.recent ? scan.OfRecent(*options.recent) : scan.OfAll();
  if (!done.ok()) return done.WithContext("cannot read the bucket " + bucket.url());
  ReportStrays(view);
  ReportFrozen(view);
  SayOnce(view.findings);
  return view;
}

Status LookInto(store::ObjectStore& bucket, const contract::TableName& table, const Hole& hole, BucketView& view) {
  const ScanOptions options;
  return Scan(bucket, options, view).Into(table, hole);
}

Result<FolderState> ReadFolder(store::ObjectStore& bucket, const contract::Folder& folder) {
  FolderState state;
  state.folder = folder;
  const std::string prefix = folder.Path() + "/";
  auto listing = bucket.List({.prefix = prefix, .start_after = "", .delimited = false, .max_entries = 0});
  if (!listing.ok()) return listing.status().WithContext("cannot list the folder " + prefix);
  for (store::ObjectInfo& object : listing->objects) {
    const ParsedKey key = contract::ParseKey(object.key);
    if (key.kind == ParsedKey::Kind::kData)
      state.files.push_back(std::move(object));
    else if (key.kind == ParsedKey::Kind::kSuccess)
      state.seal = std::move(object);
  }
  for (std::string& refused : listing->refused) {
    if (contract::ParseKey(refused).kind == ParsedKey::Kind::kData) state.refused.push_back(std::move(refused));
  }
  return state;
}

}  // namespace tidegate::bucket
