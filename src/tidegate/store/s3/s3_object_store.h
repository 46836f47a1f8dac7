// S3ObjectStore: a bucket of Amazon S3, or of a server that speaks its API, behind the port of object_store.h.
//
// How the port's promises are kept
// - Whole objects: S3 shows a PUT, or a multipart upload that was completed, at once and whole.
// - Create-if-absent and replace-if-unchanged: If-None-Match and If-Match. Such a PUT carries an id of its own in the
//   object's metadata; where its reply is lost, the object tells whether it was ours.
// - Pinned readers: each range is asked for with If-Match.
// - Listings are sorted here: the order in which a server lists is not trusted.
// - Durability: S3 answers after the object is durable; Sync() has nothing to do.
//
// Memory: a reader holds at most kWindowMax, a writer its buffer of kPartBytes; all writers of one store together have
// at most `connections` parts on their way.
//
// Threads: safe, as the port says.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "tidegate/store/object_store.h"
#include "tidegate/store/s3/s3_client.h"
#include "tidegate/store/s3/s3_transfer.h"

namespace tidegate::store {

inline constexpr uint64_t kPartBytes = 16 << 20;

class S3ObjectStore final : public ObjectStore {
 public:
  /// Asks the server nothing. `http`: instead of the network, for tests. Errors: InvalidArgument, NotFound (CA file).
  static Result<std::unique_ptr<S3ObjectStore>> Make(S3Settings settings,
                                                     std::shared_ptr<net::HttpClient> http = nullptr);

  std::string url() const override;
  std::string Location(std::string_view key) const override;
  Result<Listing> List(const ListRequest& request) override;
  Result<ObjectInfo> Head(std::string_view key) override;
  /// Where `seen` has an ETag nothing is asked: the first read finds out. Requires: the store outlives the reader.
  Result<std::unique_ptr<RandomReader>> Open(const ObjectInfo& seen) override;
  Result<FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override;
  /// Requires: the store outlives the writer.
  Result<std::unique_ptr<ObjectWriter>> NewWriter(std::string_view key, PutMode mode) override;
  Result<ObjectInfo> Put(std::string_view key, std::string_view bytes, PutMode mode) override;
  Result<ObjectInfo> Replace(std::string_view key, std::string_view bytes, const std::string& etag) override;
  Status Delete(const std::vector<std::string>& keys) override;
  Status Sync() override { return {}; }
  /// By the server where it is the same one with the same identity, else by reading and writing.
  Result<ObjectInfo> Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                           AdoptMethod* method) override;
  Status RequestRestore(std::string_view key, const RestoreRequest& request) override;

  S3Client& client() const { return *client_; }
  /// With the region that the bucket was found in.
  S3Settings CurrentSettings() const { return client_->CurrentSettings(); }

 private:
  explicit S3ObjectStore(std::unique_ptr<S3Client> client);
  std::string FullKey(std::string_view key) const { return head_ + std::string(key); }
  ObjectInfo WithFullKey(const ObjectInfo& info) const;
  Result<ObjectInfo> CopyByServer(const S3ObjectStore& from, const ObjectInfo& source, std::string_view key);
  Result<ObjectInfo> CopyInParts(const S3ObjectStore& from, const ObjectInfo& source, std::string_view key);

  const std::unique_ptr<S3Client> client_;
  const std::string head_;         // what stands before each key: "" or "some/prefix/"
  std::atomic<bool> trust_order_;  // of listings
  S3Transfers transfers_;
};

}  // namespace tidegate::store
