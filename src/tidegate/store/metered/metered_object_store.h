// MeteredObjectStore: a decorator that counts requests and bytes: what a run cost, and that a second run reads nothing.
//
// Keys that end in ".parquet" are data; they are counted in `all` and again in `data`.
//
// Threads: safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tidegate/store/object_store.h"

namespace tidegate::store {

/// A request counts when it is made, bytes when it succeeded.
struct Traffic {
  uint64_t heads = 0;
  uint64_t opens = 0;
  uint64_t reads = 0;  // of ranges and of whole objects
  uint64_t puts = 0;   // one per object, however it is written
  uint64_t adopts = 0;
  uint64_t deleted_keys = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  uint64_t bytes_adopted = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// So many keys and prefixes come with one request of a listing, as S3 has it.
inline constexpr uint64_t kKeysAPage = 1'000;

struct StoreCounters {
  uint64_t lists = 0;    // requests: one for each page
  uint64_t deletes = 0;  // requests, of any number of keys
  uint64_t syncs = 0;
  Traffic all;
  Traffic data;
  uint64_t requests() const { return lists + deletes + all.heads + all.opens + all.reads + all.puts + all.adopts; }
  friend bool operator==(const StoreCounters&, const StoreCounters&) = default;
};

class MeteredObjectStore final : public ObjectStore {
 public:
  /// Readers and writers may outlive this store, not `inner`.
  explicit MeteredObjectStore(std::shared_ptr<ObjectStore> inner);

  std::string url() const override;
  std::string Location(std::string_view key) const override;
  Result<Listing> List(const ListRequest& request) override;
  Result<ObjectInfo> Head(std::string_view key) override;
  Result<std::unique_ptr<RandomReader>> Open(const ObjectInfo& seen) override;
  Result<FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override;
  Result<std::unique_ptr<ObjectWriter>> NewWriter(std::string_view key, PutMode mode) override;
  Result<ObjectInfo> Put(std::string_view key, std::string_view bytes, PutMode mode) override;
  Result<ObjectInfo> Replace(std::string_view key, std::string_view bytes, const std::string& etag) override;
  Status Delete(const std::vector<std::string>& keys) override;
  Status Sync() override;
  Result<ObjectInfo> Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                           AdoptMethod* method) override;
  std::optional<std::string> LocalPath(std::string_view key) const override;
  Status RequestRestore(std::string_view key, const RestoreRequest& request) override;
  const ObjectStore& Backend() const override { return inner_->Backend(); }

  StoreCounters Snapshot() const;

 private:
  class Meter;
  class Reader;
  class Writer;

  const std::shared_ptr<ObjectStore> inner_;
  const std::shared_ptr<Meter> meter_;  // shared with the readers and writers handed out
};

}  // namespace tidegate::store
