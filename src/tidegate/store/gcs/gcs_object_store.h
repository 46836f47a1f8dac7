// GcsObjectStore: a bucket of Google Cloud Storage to read deliveries from, behind the port of object_store.h. Whatever
// would write is Unsupported: Arrow's file system, which it stands on, has no conditional writes.
//
// How the port's promises are kept
// - Whole objects: Google shows an object at once and whole.
// - Pinned readers: Arrow opens one generation, and Open() compares it with the one that was seen. An ETag is the
//   microsecond in which the object was made, and its size: more does Arrow not tell in listings. Google tells the
//   millisecond, so of two objects of one size in one millisecond the second is taken for the first.
// - Listings: Arrow lists a folder with all that is below it. What a request asks for is chosen here, so a folded
//   listing, or one with a start or an end, costs as many requests as one of everything below the folder.
// - Identities are those of Google's library (Application Default Credentials); keys are never seen here.
//
// Known limit: at the top of a bucket Arrow shows the key "/a" as "a"; reading that is NotFound.
//
// Memory: a listing holds all that is below its folder; a reader at most 8 MiB.
//
// Threads: safe, as the port says.
#pragma once

#include <memory>
#include <string>

#include "tidegate/store/gcs/gcs_client.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

class GcsObjectStore final : public ObjectStore {
 public:
  /// Asks the server nothing. Errors: InvalidArgument.
  static Result<std::unique_ptr<GcsObjectStore>> Make(GcsSettings settings);

  std::string url() const override;
  std::string Location(std::string_view key) const override;
  /// Errors: NotFound where there is no such bucket.
  Result<Listing> List(const ListRequest& request) override;
  Result<ObjectInfo> Head(std::string_view key) override;
  /// Requires: the store outlives the reader.
  Result<std::unique_ptr<RandomReader>> Open(const ObjectInfo& seen) override;
  Result<FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override;

  // Unsupported, all of them.
  Result<std::unique_ptr<ObjectWriter>> NewWriter(std::string_view key, PutMode mode) override;
  Result<ObjectInfo> Put(std::string_view key, std::string_view bytes, PutMode mode) override;
  Result<ObjectInfo> Replace(std::string_view key, std::string_view bytes, const std::string& etag) override;
  Status Delete(const std::vector<std::string>& keys) override;
  Result<ObjectInfo> Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                           AdoptMethod* method) override;

  Status Sync() override { return {}; }  // nothing is ever written

  GcsRequestCount Sent() const { return client_->Sent(); }

 private:
  explicit GcsObjectStore(std::unique_ptr<GcsClient> client);
  std::string FullKey(std::string_view key) const { return head_ + std::string(key); }
  Result<FetchedObject> FetchOnce(const std::string& full_key, uint64_t max_bytes);

  const std::unique_ptr<GcsClient> client_;
  const std::string head_;  // what stands before each key: "" or "some/prefix/"
};

}  // namespace tidegate::store
