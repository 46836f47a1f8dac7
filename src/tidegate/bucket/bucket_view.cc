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

Status ReadManifest(store::ObjectStore& bucket, const store::ObjectInfo& object, BucketView& view) {
  const contract::Delivery delivery = contract::ParseKey(object.key).folder.delivery;
  auto text = bucket.Read(object.key, contract::kMaxManifestBytes);
  if (!text.ok()) {
    if (text.status().code() == Code::kNotFound) return {};  // gone since the listing: as if it was never there
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

/// The listing of a bucket, put into a view.
class Scan {
 public:
  Scan(store::ObjectStore& bucket, const ScanOptions& options, BucketView& view)
      : bucket_(bucket), options_(options), view_(view) {}

  Status ListAll() {
    for (const char* prefix : {"v1/", "v2/"}) TG_RETURN_IF_ERROR(Take(prefix, ""));
    return {};
  }

  /// Dates sort as they follow each other, and __initial__ after all of them.
  Status ListRecent(const std::string& since) {
    for (const std::string version : {"v1/", "v2/"}) {
      TG_ASSIGN_OR_RETURN(const std::vector<std::string> schemas, Below(version));
      for (const std::string& schema : schemas) {
        const bool manifests = schema == version + "_manifests/";
        TG_RETURN_IF_ERROR(manifests ? TakeDays(schema, "snapshot_date=", since) : TakeTables(version, schema, since));
      }
    }
    return {};
  }

  const std::vector<store::ObjectInfo>& manifests() const { return manifests_; }

 private:
  Status TakeTables(const std::string& version, const std::string& schema, const std::string& since) {
    TG_ASSIGN_OR_RETURN(const std::vector<std::string> tables, Below(schema));
    for (const std::string& table : tables) {
      if (!IsWanted(version, table)) continue;
      for (const char* shape : {"snapshot_date=", "etl_date="}) TG_RETURN_IF_ERROR(TakeDays(table, shape, since));
    }
    return {};
  }

  /// "v2/shop/orders/" is a table, and one that was asked for.
  bool IsWanted(const std::string& version, const std::string& prefix) const {
    const auto parts = Split(std::string_view(prefix).substr(version.size()), '/');
    if (parts.size() != 3 || !contract::IsName(parts[0]) || !contract::IsName(parts[1])) return false;
    return Chosen({std::string(parts[0]), std::string(parts[1])}, options_);
  }

  Result<std::vector<std::string>> Below(const std::string& prefix) {
    TG_ASSIGN_OR_RETURN(store::Listing listing,
                        bucket_.List({.prefix = prefix, .start_after = "", .delimited = true, .max_entries = 0}));
    return std::move(listing.prefixes);
  }

  Status TakeDays(const std::string& folder, const std::string& shape, const std::string& since) {
    const std::string prefix = folder + shape;
    return Take(prefix, prefix + since);
  }

  Status Take(const std::string& prefix, const std::string& start_after) {
    auto listing = bucket_.List({.prefix = prefix, .start_after = start_after, .delimited = false, .max_entries = 0});
    if (!listing.ok()) return listing.status();
    for (const std::string& refused : listing->refused) TakeRefused(view_, refused, options_);
    for (store::ObjectInfo& object : listing->objects) {
      const ParsedKey key = contract::ParseKey(object.key);
      if (IsOfTable(key) && !Chosen(key.folder.table, options_)) continue;
      // Any key under v2/_manifests/ turns the consumer to v2, whatever its shape (C-12).
      if (object.key.starts_with("v2/_manifests/")) view_.has_v2_manifest_key = true;
      TakeObject(view_, std::move(object), key, manifests_);
    }
    return {};
  }

  store::ObjectStore& bucket_;
  const ScanOptions& options_;
  BucketView& view_;
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

Result<BucketView> ScanBucket(store::ObjectStore& bucket, const ScanOptions& options) {
  BucketView view;
  view.since = options.since;
  Scan scan(bucket, options, view);
  const Status listed = options.since ? scan.ListRecent(*options.since) : scan.ListAll();
  if (!listed.ok()) return listed.WithContext("cannot list the bucket " + bucket.url());
  ReportStrays(view);
  for (const store::ObjectInfo& object : scan.manifests()) {
    const contract::Delivery delivery = contract::ParseKey(object.key).folder.delivery;
    if (options.manifests_from && delivery < *options.manifests_from) continue;
    TG_RETURN_IF_ERROR(ReadManifest(bucket, object, view));
  }
  SayOnce(view.findings);
  return view;
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
