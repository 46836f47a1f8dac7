#include "tidegate/store/memory/memory_object_store.h"

#include <algorithm>

#include "tidegate/base/text.h"
#include "tidegate/store/copy_object.h"

namespace tidegate::store {
namespace {

Status NoSuchObject(std::string_view key) {
  return NotFound("no such object: " + Quoted(key, 1200) + ": check the name");
}

Status Replaced(std::string_view key) {
  return PreconditionFailed("cannot read object: " + Quoted(key, 1200) +
                            ": it is not the one that was seen before; plan again");
}

Status CheckReadable(const ObjectInfo& info) {
  if (CanBeRead(info.archive)) return {};
  return Frozen("cannot read object: " + Quoted(info.key, 1200) +
                ": it lies in cold storage: ask for it with `tidegate restore`");
}

// Adds one key to a listing; false once that is full.
class ListingBuilder {
 public:
  explicit ListingBuilder(const ListRequest& request) : request_(request) {}

  bool Add(const ObjectInfo& info) {
    const size_t slash = info.key.find('/', request_.prefix.size());
    const bool folded = request_.delimited && slash != std::string::npos;
    if (folded && !listing_.prefixes.empty() && info.key.starts_with(listing_.prefixes.back())) return true;
    const size_t size = listing_.objects.size() + listing_.prefixes.size();
    if (request_.max_entries != 0 && size >= request_.max_entries) return false;
    if (folded) {
      listing_.prefixes.push_back(info.key.substr(0, slash + 1));
    } else {
      listing_.objects.push_back(info);
    }
    return true;
  }

  Listing Take() { return std::move(listing_); }

 private:
  const ListRequest& request_;
  Listing listing_;
};

}  // namespace

class MemoryObjectStore::Reader final : public RandomReader {
 public:
  Reader(const MemoryObjectStore& store, Object object) : store_(store), object_(std::move(object)) {}

  const ObjectInfo& info() const override { return object_.info; }

  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
    TG_RETURN_IF_ERROR(store_.CheckCurrent(object_.info));
    TG_RETURN_IF_ERROR(CheckReadable(object_.info));
    const std::string& bytes = *object_.bytes;
    const uint64_t left = bytes.size() - std::min<uint64_t>(offset, bytes.size());
    return bytes.copy(out.data(), std::min<uint64_t>(left, out.size()), bytes.size() - left);
  }

 private:
  const MemoryObjectStore& store_;
  const Object object_;
};

class MemoryObjectStore::Writer final : public ObjectWriter {
 public:
  Writer(MemoryObjectStore& store, std::string_view key, PutMode mode) : store_(store), key_(key), mode_(mode) {}

  Status Append(std::string_view bytes) override {
    if (finished_) return Finished();
    bytes_.append(bytes);
    size_bytes_ += bytes.size();
    return Status::Ok();
  }

  uint64_t size_bytes() const override { return size_bytes_; }

  Result<ObjectInfo> Finish() override {
    if (finished_) return Finished();
    finished_ = true;
    return store_.Put(key_, bytes_, mode_);
  }

 private:
  Status Finished() const {
    return Internal("cannot write object: " + Quoted(key_) + ": its writer was already finished");
  }

  MemoryObjectStore& store_;
  const std::string key_;
  const PutMode mode_;
  std::string bytes_;
  uint64_t size_bytes_ = 0;
  bool finished_ = false;
};

MemoryObjectStore::MemoryObjectStore(std::shared_ptr<const Clock> clock)
    : clock_(clock ? std::move(clock) : std::make_shared<SystemClock>()) {}

Result<Listing> MemoryObjectStore::List(const ListRequest& request) {
  const std::lock_guard lock(mutex_);
  ListingBuilder builder(request);
  auto it = std::max(request.prefix, request.start_after) == request.prefix ? objects_.lower_bound(request.prefix)
                                                                            : objects_.upper_bound(request.start_after);
  if (it != objects_.end() && it->first == request.start_after) ++it;
  while (it != objects_.end() && it->first.starts_with(request.prefix) && builder.Add(it->second.info)) ++it;
  Listing out = builder.Take();
  for (ObjectInfo& object : out.objects) {
    if (restores_hidden_ && object.archive != ArchiveState::kReadable) object.archive = ArchiveState::kFrozen;
  }
  return out;
}

Result<MemoryObjectStore::Object> MemoryObjectStore::Find(std::string_view key) const {
  TG_RETURN_IF_ERROR(CheckKey(key));
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return NoSuchObject(key);
  return found->second;
}

Status MemoryObjectStore::CheckCurrent(const ObjectInfo& seen) const {
  TG_ASSIGN_OR_RETURN(const Object object, Find(seen.key));
  return object.info.etag == seen.etag ? Status::Ok() : Replaced(seen.key);
}

Result<ObjectInfo> MemoryObjectStore::Head(std::string_view key) {
  TG_ASSIGN_OR_RETURN(Object object, Find(key));
  return std::move(object.info);
}

Result<std::unique_ptr<RandomReader>> MemoryObjectStore::Open(const ObjectInfo& seen) {
  TG_ASSIGN_OR_RETURN(Object object, Find(seen.key));
  if (!seen.etag.empty() && seen.etag != object.info.etag) return Replaced(seen.key);
  return std::unique_ptr<RandomReader>(std::make_unique<Reader>(*this, std::move(object)));
}

Result<FetchedObject> MemoryObjectStore::Fetch(std::string_view key, uint64_t max_bytes) {
  TG_ASSIGN_OR_RETURN(const Object object, Find(key));
  TG_RETURN_IF_ERROR(CheckReadable(object.info));
  if (object.bytes->size() <= max_bytes) return FetchedObject{*object.bytes, object.info};
  return Corruption("cannot read object: " + Quoted(key, 1200) + ": it is larger than expected: " +
                    HumanBytes(object.bytes->size()) + ", at most " + HumanBytes(max_bytes));
}

Result<std::unique_ptr<ObjectWriter>> MemoryObjectStore::NewWriter(std::string_view key, PutMode mode) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  return std::unique_ptr<ObjectWriter>(std::make_unique<Writer>(*this, key, mode));
}

void MemoryObjectStore::RememberUnsynced(const std::string& key) {
  const auto found = objects_.find(key);
  unsynced_.try_emplace(key, found == objects_.end() ? std::nullopt : std::optional(found->second));
}

Result<ObjectInfo> MemoryObjectStore::Put(std::string_view key, std::string_view bytes, PutMode mode) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  const std::lock_guard lock(mutex_);
  if (mode == PutMode::kCreateOnly && objects_.contains(key)) {
    return AlreadyExists("cannot create object: " + Quoted(key, 1200) + ": there is one already");
  }
  return PutLocked(key, bytes);
}

Result<ObjectInfo> MemoryObjectStore::PutLocked(std::string_view key, std::string_view bytes) {
  auto content = std::make_shared<const std::string>(bytes);
  const std::string name(key);
  RememberUnsynced(name);
  const ObjectInfo info{
      .key = name, .size_bytes = bytes.size(), .etag = "g" + std::to_string(++generations_), .modified = clock_->Now()};
  objects_.insert_or_assign(name, Object{info, std::move(content)});
  return info;
}

Result<ObjectInfo> MemoryObjectStore::Replace(std::string_view key, std::string_view bytes, const std::string& etag) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return NoSuchObject(key);
  if (found->second.info.etag != etag) return Replaced(key);
  return PutLocked(key, bytes);
}

void MemoryObjectStore::SetArchive(const std::string& key, std::string storage_class, ArchiveState state) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  found->second.info.storage_class = std::move(storage_class);
  found->second.info.archive = state;
}

Status MemoryObjectStore::RequestRestore(std::string_view key, const RestoreRequest&) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return NoSuchObject(key);
  ArchiveState& state = found->second.info.archive;
  if (state == ArchiveState::kReadable) return InvalidArgument("not in cold storage: " + Quoted(key));
  if (state == ArchiveState::kFrozen) state = ArchiveState::kThawing;
  return {};
}

Status MemoryObjectStore::Delete(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) TG_RETURN_IF_ERROR(CheckKey(key));
  const std::lock_guard lock(mutex_);
  for (const std::string& key : keys) {
    RememberUnsynced(key);
    objects_.erase(key);
  }
  return Status::Ok();
}

Status MemoryObjectStore::Sync() {
  const std::lock_guard lock(mutex_);
  unsynced_.clear();
  return Status::Ok();
}

Result<ObjectInfo> MemoryObjectStore::Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                                            AdoptMethod* method) {
  *method = AdoptMethod::kCopy;
  return CopyObject(from, source, *this, key);
}

void MemoryObjectStore::DropUnsynced(const std::function<bool(const std::string& key)>& lost) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, before] : unsynced_) {
    if (lost && !lost(key)) continue;
    objects_.erase(key);
    if (before) objects_.insert_or_assign(key, *std::move(before));
  }
  unsynced_.clear();
}

}  // namespace tidegate::store
