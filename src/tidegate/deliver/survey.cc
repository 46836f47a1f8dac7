#include "tidegate/deliver/survey.h"

#include <algorithm>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/deliver/source_query.h"

namespace tidegate::deliver {
namespace {

using contract::Delivery;
using contract::Folder;
using contract::ParsedKey;
using contract::TableEntry;
using contract::TableMode;
using contract::TableName;
using contract::Version;

constexpr size_t kPageEntries = 1000;

bool AnyMatches(const std::vector<std::string>& globs, const std::string& text) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return GlobMatches(glob, text); });
}

bool IsLeftOut(const DeliverOptions& options, const TableName& name) {
  const std::string text = name.ToString();
  const bool chosen = options.table_globs.empty() || AnyMatches(options.table_globs, text);
  return !chosen || AnyMatches(options.exclude_globs, text);
}

Status CheckOptions(const DeliverOptions& options) {
  if (options.slices < 1 || options.slices > kMaxSlices) {
    return InvalidArgument("the number of slices is from 1 to " + std::to_string(kMaxSlices) + ": " +
                           std::to_string(options.slices));
  }
  if (options.writer.max_file_bytes > contract::kMaxFileBytes) {
    return InvalidArgument("no file of a delivery is larger than " + HumanBytes(contract::kMaxFileBytes) +
                           " (C-3): " + HumanBytes(options.writer.max_file_bytes));
  }
  return Status::Ok();
}

/// An object's text, or nothing where there is none.
Result<std::optional<std::string>> ReadIfThere(store::ObjectStore& dest, const std::string& key, uint64_t max_bytes) {
  auto text = dest.Read(key, max_bytes);
  if (text.ok()) return std::optional<std::string>(std::move(*text));
  if (text.status().code() == Code::kNotFound) return std::optional<std::string>();
  return text.status();
}

Result<bool> Exists(store::ObjectStore& dest, const std::string& key) {
  const auto head = dest.Head(key);
  if (head.ok()) return true;
  if (head.status().code() == Code::kNotFound) return false;
  return head.status();
}

std::string SealKey(const Folder& folder) { return folder.Path() + "/" + std::string(contract::kSuccessName); }

class Surveyor {
 public:
  Surveyor(Source& source, store::ObjectStore& dest, const DeliverOptions& options)
      : source_(source), dest_(dest), options_(options) {}

  Result<DeliveryFacts> Run(const CancelFlag* cancel) {
    TG_RETURN_IF_ERROR(Request());
    TG_RETURN_IF_ERROR(ReadManifest());
    TG_RETURN_IF_ERROR(LookForV2());
    TG_ASSIGN_OR_RETURN(const auto listed, source_.ListTables());
    for (const TableEntry& entry : facts_.tables) {
      if (cancel != nullptr) TG_RETURN_IF_ERROR(cancel->Check());
      TG_RETURN_IF_ERROR(LookAt(entry, listed));
    }
    return std::move(facts_);
  }

 private:
  Status Request() {
    TG_RETURN_IF_ERROR(CheckOptions(options_));
    facts_.delivery = options_.delivery;
    facts_.at = options_.at;
    facts_.now = options_.now;
    facts_.tables = options_.catalog.entries();
    facts_.reseed = options_.reseed;
    for (const TableEntry& entry : facts_.tables) {
      if (IsLeftOut(options_, entry.name)) facts_.left_out.insert(entry.name);
    }
    return Status::Ok();
  }

  Status ReadManifest() {
    if (options_.delivery.is_initial()) return Status::Ok();
    const std::string key = contract::ManifestKey(options_.delivery);
    auto text = ReadIfThere(dest_, key, contract::kMaxManifestBytes);
    if (!text.ok() && text.status().code() != Code::kCorruption) return text.status();
    if (text.ok() && !*text) return Status::Ok();
    auto parsed = text.ok() ? contract::ParseManifest(options_.delivery, **text)
                            : Result<contract::ParsedManifest>(text.status());
    if (parsed.ok()) {
      facts_.manifest_text = **text;
      facts_.manifest = std::move(parsed->manifest);
    } else {
      facts_.notes.push_back("the manifest cannot be read and is written anew: " + key + ": " +
                             parsed.status().message());
    }
    return Status::Ok();
  }

  Status LookForV2() {
    if (options_.delivery.version == Version::kV2) return Status::Ok();
    store::ListRequest request;
    request.prefix = "v2/";
    request.max_entries = 1;
    TG_ASSIGN_OR_RETURN(const store::Listing listing, dest_.List(request));
    facts_.v2_begun = !listing.objects.empty();
    return Status::Ok();
  }

  Status LookAt(const TableEntry& entry, const std::vector<TableName>& listed) {
    // A name that readers refuse is refused by the plan; it never becomes a key.
    if (!contract::IsName(entry.name.schema) || !contract::IsName(entry.name.table)) return Status::Ok();
    if (options_.delivery.is_initial() && entry.mode == TableMode::kFull) return Status::Ok();
    BucketTable& bucket = facts_.bucket[entry.name];
    TG_RETURN_IF_ERROR(ListFolder(Folder{entry.name, entry.mode, options_.delivery}, bucket));
    if (entry.mode == TableMode::kParts) TG_RETURN_IF_ERROR(FindState(entry.name, bucket));
    if (bucket.sealed || facts_.left_out.count(entry.name) != 0) return Status::Ok();
    return AskSource(entry, listed);
  }

  Status ListFolder(const Folder& folder, BucketTable& bucket) {
    store::ListRequest request;
    request.prefix = folder.Path() + "/";
    TG_ASSIGN_OR_RETURN(const store::Listing listing, dest_.List(request));
    for (const store::ObjectInfo& object : listing.objects) {
      const ParsedKey key = contract::ParseKey(object.key);
      if (key.kind == ParsedKey::Kind::kSuccess) bucket.sealed = true;
      if (key.kind == ParsedKey::Kind::kData) bucket.leftovers.push_back(object.key);
    }
    if (bucket.sealed) bucket.leftovers.clear();
    return Status::Ok();
  }

  /// The state of this version, else of v1 (v2 continues where v1 stopped).
  Status FindState(const TableName& table, BucketTable& bucket) {
    for (int number = static_cast<int>(options_.delivery.version); number >= 1; --number) {
      const auto version = static_cast<Version>(number);
      TG_RETURN_IF_ERROR(ReadState(version, table, bucket));
      if (!bucket.state_problem.ok()) return Status::Ok();
      TG_RETURN_IF_ERROR(FindSealedAfterState(version, table, bucket));
      if (bucket.state || bucket.sealed_after_state) break;
    }
    return bucket.state ? ExamineState(bucket) : Status::Ok();
  }

  Status ReadState(Version version, const TableName& table, BucketTable& bucket) {
    const std::string key = contract::StateKey(version, table);
    const auto text = ReadIfThere(dest_, key, kMaxStateBytes);
    if (!text.ok() && text.status().code() != Code::kCorruption) return text.status();
    if (text.ok() && !*text) return Status::Ok();
    auto state = text.ok() ? ParseState(table, **text) : Result<State>(text.status());
    if (state.ok() && state->folder.delivery.version != version) {
      state = Corruption("it names a folder of the other version: " + state->folder.Path());
    }
    if (state.ok()) {
      bucket.state = std::move(*state);
    } else {
      bucket.state_problem = state.status().WithContext(key);
    }
    return Status::Ok();
  }

  Status ExamineState(BucketTable& bucket) {
    const State& state = *bucket.state;
    TG_ASSIGN_OR_RETURN(bucket.state_sealed, Exists(dest_, SealKey(state.folder)));
    if (!state.reseed_from) return Status::Ok();
    for (const Delivery& delivery : {*state.reseed_from, state.folder.delivery}) {
      TG_ASSIGN_OR_RETURN(const bool announced, AnnouncesReseed(delivery, state.folder.table));
      bucket.reseed_announced = bucket.reseed_announced || announced;
    }
    return Status::Ok();
  }

  Result<bool> AnnouncesReseed(const Delivery& delivery, const TableName& table) {
    if (delivery.is_initial()) return false;
    const auto text = ReadIfThere(dest_, contract::ManifestKey(delivery), contract::kMaxManifestBytes);
    if (!text.ok() && text.status().code() == Code::kCorruption) return false;
    if (!text.ok()) return text.status();
    if (!*text) return false;
    const auto parsed = contract::ParseManifest(delivery, **text);
    if (!parsed.ok()) return false;
    const contract::DeliveredTable* told = parsed->manifest.FindDelivered(table);
    return told != nullptr && told->reseed;
  }

  /// Find the newest sealed folder of a version that the state does not cover. Keys sort as deliveries do, but for
  /// __initial__, which stands last: with a state it is never after it.
  Status FindSealedAfterState(Version version, const TableName& table, BucketTable& bucket) {
    store::ListRequest request;
    request.prefix = std::string(contract::VersionName(version)) + "/" + table.schema + "/" + table.table + "/";
    request.max_entries = kPageEntries;
    const bool from_folder = bucket.state && !bucket.state->folder.delivery.is_initial();
    if (from_folder)
      request.start_after = bucket.state->folder.Path() + "0";  // '0' follows '/': past the folder's keys
    for (;;) {
      TG_ASSIGN_OR_RETURN(const store::Listing page, dest_.List(request));
      for (const store::ObjectInfo& object : page.objects) NoteSealed(object.key, bucket);
      if (page.objects.size() < kPageEntries) return Status::Ok();
      request.start_after = page.objects.back().key;
    }
  }

  static void NoteSealed(const std::string& text, BucketTable& bucket) {
    const ParsedKey key = contract::ParseKey(text);
    if (key.kind != ParsedKey::Kind::kSuccess || key.folder.mode != TableMode::kParts) return;
    const Delivery& delivery = key.folder.delivery;
    if (bucket.state && delivery <= bucket.state->folder.delivery) return;
    if (!bucket.sealed_after_state || *bucket.sealed_after_state < delivery) bucket.sealed_after_state = delivery;
  }

  Status AskSource(const TableEntry& entry, const std::vector<TableName>& listed) {
    SourceTable& table = facts_.source[entry.name];
    table.exists = entry.source_query || std::find(listed.begin(), listed.end(), entry.name) != listed.end();
    if (!table.exists) return Status::Ok();
    auto columns = source_.Describe(TableQuery(entry));
    if (!columns.ok() && columns.status().code() == Code::kCancelled) return columns.status();
    if (columns.ok()) {
      table.columns = std::move(*columns);
    } else {
      table.problem = columns.status();
    }
    return Status::Ok();
  }

  Source& source_;
  store::ObjectStore& dest_;
  const DeliverOptions& options_;
  DeliveryFacts facts_;
};

}  // namespace

Result<DeliveryFacts> Survey(Source& source, store::ObjectStore& dest, const DeliverOptions& options,
                             const CancelFlag* cancel) {
  return Surveyor(source, dest, options).Run(cancel);
}

}  // namespace tidegate::deliver
