#include "tidegate/store/metered/metered_object_store.h"

#include <mutex>
#include <utility>

namespace tidegate::store {

class MeteredObjectStore::Meter {
 public:
  void Add(uint64_t StoreCounters::*counter, uint64_t amount = 1) {
    const std::lock_guard lock(mutex_);
    counters_.*counter += amount;
  }

  void Add(std::string_view key, uint64_t Traffic::*counter, uint64_t amount = 1) {
    const std::lock_guard lock(mutex_);
    counters_.all.*counter += amount;
    if (key.ends_with(".parquet")) counters_.data.*counter += amount;
  }

  StoreCounters Snapshot() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

 private:
  mutable std::mutex mutex_;
  StoreCounters counters_;
};

class MeteredObjectStore::Reader final : public RandomReader {
 public:
  Reader(std::shared_ptr<Meter> meter, std::unique_ptr<RandomReader> inner)
      : meter_(std::move(meter)), inner_(std::move(inner)) {}
  const ObjectInfo& info() const override { return inner_->info(); }
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
    meter_->Add(info().key, &Traffic::reads);
    Result<size_t> read = inner_->ReadAt(offset, out);
    if (read.ok()) meter_->Add(info().key, &Traffic::bytes_read, *read);
    return read;
  }
  Status ReadAll(const std::function<Status(std::string_view)>& take) override {
    return inner_->ReadAll([&](std::string_view piece) {
      meter_->Add(info().key, &Traffic::reads);
      meter_->Add(info().key, &Traffic::bytes_read, piece.size());
      return take(piece);
    });
  }

 private:
  const std::shared_ptr<Meter> meter_;
  const std::unique_ptr<RandomReader> inner_;
};

class MeteredObjectStore::Writer final : public ObjectWriter {
 public:
  Writer(std::shared_ptr<Meter> meter, std::string_view key, std::unique_ptr<ObjectWriter> inner)
      : meter_(std::move(meter)), key_(key), inner_(std::move(inner)) {}
  Status Append(std::string_view bytes) override { return inner_->Append(bytes); }
  uint64_t size_bytes() const override { return inner_->size_bytes(); }
  Result<ObjectInfo> Finish() override {
    meter_->Add(key_, &Traffic::puts);
    Result<ObjectInfo> info = inner_->Finish();
    if (info.ok()) meter_->Add(key_, &Traffic::bytes_written, info->size_bytes);
    return info;
  }

 private:
  const std::shared_ptr<Meter> meter_;
  const std::string key_;
  const std::unique_ptr<ObjectWriter> inner_;
};

MeteredObjectStore::MeteredObjectStore(std::shared_ptr<ObjectStore> inner)
    : inner_(std::move(inner)), meter_(std::make_shared<Meter>()) {}

std::string MeteredObjectStore::url() const { return inner_->url(); }

std::string MeteredObjectStore::Location(std::string_view key) const { return inner_->Location(key); }

std::optional<std::string> MeteredObjectStore::LocalPath(std::string_view key) const { return inner_->LocalPath(key); }

Result<Listing> MeteredObjectStore::List(const ListRequest& request) {
  auto listing = inner_->List(request);
  const uint64_t found = listing.ok() ? listing->objects.size() + listing->prefixes.size() : 0;
  meter_->Add(&StoreCounters::lists, 1 + (found > 0 ? (found - 1) / kKeysAPage : 0));
  return listing;
}

Result<ObjectInfo> MeteredObjectStore::Head(std::string_view key) {
  meter_->Add(key, &Traffic::heads);
  return inner_->Head(key);
}

Result<std::unique_ptr<RandomReader>> MeteredObjectStore::Open(const ObjectInfo& seen) {
  meter_->Add(seen.key, &Traffic::opens);
  TG_ASSIGN_OR_RETURN(auto reader, inner_->Open(seen));
  return std::unique_ptr<RandomReader>(std::make_unique<Reader>(meter_, std::move(reader)));
}

Result<FetchedObject> MeteredObjectStore::Fetch(std::string_view key, uint64_t max_bytes) {
  meter_->Add(key, &Traffic::reads);
  Result<FetchedObject> object = inner_->Fetch(key, max_bytes);
  if (object.ok()) meter_->Add(key, &Traffic::bytes_read, object->bytes.size());
  return object;
}

Result<std::unique_ptr<ObjectWriter>> MeteredObjectStore::NewWriter(std::string_view key, PutMode mode) {
  TG_ASSIGN_OR_RETURN(auto writer, inner_->NewWriter(key, mode));
  return std::unique_ptr<ObjectWriter>(std::make_unique<Writer>(meter_, key, std::move(writer)));
}

Result<ObjectInfo> MeteredObjectStore::Put(std::string_view key, std::string_view bytes, PutMode mode) {
  meter_->Add(key, &Traffic::puts);
  Result<ObjectInfo> info = inner_->Put(key, bytes, mode);
  if (info.ok()) meter_->Add(key, &Traffic::bytes_written, bytes.size());
  return info;
}

Result<ObjectInfo> MeteredObjectStore::Replace(std::string_view key, std::string_view bytes, const std::string& etag) {
  meter_->Add(key, &Traffic::puts);
  Result<ObjectInfo> info = inner_->Replace(key, bytes, etag);
  if (info.ok()) meter_->Add(key, &Traffic::bytes_written, bytes.size());
  return info;
}

Status MeteredObjectStore::RequestRestore(std::string_view key, const RestoreRequest& request) {
  meter_->Add(key, &Traffic::puts);  // what S3 counts it as
  return inner_->RequestRestore(key, request);
}

Status MeteredObjectStore::Delete(const std::vector<std::string>& keys) {
  meter_->Add(&StoreCounters::deletes);
  TG_RETURN_IF_ERROR(inner_->Delete(keys));
  for (const std::string& key : keys) meter_->Add(key, &Traffic::deleted_keys);
  return Status::Ok();
}

Status MeteredObjectStore::Sync() {
  meter_->Add(&StoreCounters::syncs);
  return inner_->Sync();
}

Result<ObjectInfo> MeteredObjectStore::Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                                             AdoptMethod* method) {
  meter_->Add(key, &Traffic::adopts);
  Result<ObjectInfo> info = inner_->Adopt(from, source, key, method);
  if (info.ok()) meter_->Add(key, &Traffic::bytes_adopted, info->size_bytes);
  return info;
}

StoreCounters MeteredObjectStore::Snapshot() const { return meter_->Snapshot(); }

}  // namespace tidegate::store
