// MemoryObjectStore: a bucket in memory, for tests and trials. Behaves like a real one, power loss included.
//
// Guarantees
// - Keys are as free as in S3: "a" and "a/b" may both exist.
// - A reader whose object was replaced or removed fails with PreconditionFailed or NotFound.
// - Objects in cold storage behave as in S3 (SetArchive).
// - An ETag is a counter: it never comes twice in one store.
// - DropUnsynced() undoes what a power loss could take: everything since the last Sync(), or a part of it.
//
// Threads: safe, as the port says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tidegate/base/time.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

class MemoryObjectStore final : public ObjectStore {
 public:
  /// `clock` gives the objects' times; null: the system's.
  explicit MemoryObjectStore(std::shared_ptr<const Clock> clock = nullptr);

  std::string url() const override { return "memory:"; }
  std::string Location(std::string_view key) const override { return "memory:/" + std::string(key); }
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
  /// A frozen object is thawing from now on; SetArchive() ends that.
  Status RequestRestore(std::string_view key, const RestoreRequest& request) override;

  /// Put an object into cold storage, or out of it: "GLACIER" and kFrozen. Its bytes cannot be read while it is frozen.
  void SetArchive(const std::string& key, std::string storage_class, ArchiveState state);

  /// From now on listings tell nothing of restores, as those of some servers: what is restored is listed as frozen.
  void HideRestoresInListings() { restores_hidden_ = true; }

  /// Lose power: each key that changed since the last Sync() and for which `lost` says so (null: every one) is as it
  /// was then. What is left counts as durable.
  void DropUnsynced(const std::function<bool(const std::string& key)>& lost = nullptr);

 private:
  struct Object {
    ObjectInfo info;
    std::shared_ptr<const std::string> bytes;  // shared with readers and with the state at the last Sync()
  };
  using Objects = std::map<std::string, Object, std::less<>>;
  class Reader;
  class Writer;

  Result<Object> Find(std::string_view key) const;
  Status CheckCurrent(const ObjectInfo& seen) const;
  Result<ObjectInfo> PutLocked(std::string_view key, std::string_view bytes);  // Requires: mutex_
  void RememberUnsynced(const std::string& key);                               // Requires: mutex_

  const std::shared_ptr<const Clock> clock_;
  mutable std::mutex mutex_;
  Objects objects_;
  std::map<std::string, std::optional<Object>> unsynced_;  // key → what it was at the last Sync()
  uint64_t generations_ = 0;
  bool restores_hidden_ = false;
};

}  // namespace tidegate::store
