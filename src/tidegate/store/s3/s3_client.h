// S3Client: the requests of Amazon's S3 API that a store needs, one function each, on one bucket. Bodies in, values
// out; keys here are whole keys of the bucket.
//
// Source: the Amazon S3 API reference (ListObjectsV2, HeadObject, GetObject, PutObject, CopyObject, multipart uploads,
// DeleteObjects, RestoreObject). What servers do differently: tests/servers/README.md.
//
// Threads: safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/aws/signed_client.h"
#include "tidegate/store/object_store.h"
#include "tidegate/store/s3/s3_request_count.h"
#include "tidegate/store/s3/s3_settings.h"

namespace tidegate::store {

struct S3ListPage {
  std::vector<ObjectInfo> objects = {};  // in the server's order; keys as the bucket has them
  std::vector<std::string> prefixes = {};
  std::string next = {};      // token of the next page; "" is the end
  bool in_byte_order = true;  // false: the server is known to list otherwise
};

struct S3ListRequest {
  std::string prefix = {};
  std::string start_after = {};
  std::string continuation = {};
  bool delimited = false;
  size_t max_keys = 1000;
};

/// What must hold for a write to happen.
struct S3Condition {
  bool absent = false;    // If-None-Match: *
  std::string etag = {};  // If-Match
  bool any() const { return absent || !etag.empty(); }
};

struct S3Part {
  int number = 0;  // from 1
  std::string etag = {};
  std::string checksum = {};  // CRC32C in base64; "" for copied parts
};

class S3Client {
 public:
  /// `http`: instead of the network, for tests. Errors: InvalidArgument (endpoint), NotFound (CA file).
  static Result<std::unique_ptr<S3Client>> Make(S3Settings settings, std::shared_ptr<net::HttpClient> http = nullptr);

  const S3Settings& settings() const { return settings_; }
  /// With the region that the bucket was found in.
  S3Settings CurrentSettings() const;
  /// Do both speak to one server, so that it can copy between them?
  bool SameServer(const S3Client& other) const;

  Result<S3ListPage> ListPage(const S3ListRequest& request);
  Result<ObjectInfo> Head(std::string_view key);
  /// Bytes [offset, offset + out.size()) of the object with this ETag. Errors: NotFound, PreconditionFailed, Frozen.
  Status GetRange(const ObjectInfo& object, uint64_t offset, std::span<char> out);
  /// The whole object, pinned to nothing. Errors: Corruption where it is larger than max_bytes.
  Result<FetchedObject> Get(std::string_view key, uint64_t max_bytes);

  /// Errors: AlreadyExists where condition.absent does not hold, PreconditionFailed where condition.etag does not. A
  /// lost reply is resolved by reading: what this returns is what happened.
  Result<ObjectInfo> Put(std::string_view key, std::string_view bytes, const S3Condition& condition);

  Result<std::string> CreateUpload(std::string_view key, std::string_view put_id);
  Result<S3Part> UploadPart(std::string_view key, const std::string& upload, int number, std::string_view bytes);
  Result<S3Part> CopyPart(const S3Client& from, const ObjectInfo& source, uint64_t offset, uint64_t bytes,
                          std::string_view key, const std::string& upload, int number);
  Result<ObjectInfo> CompleteUpload(std::string_view key, const std::string& upload, const std::vector<S3Part>& parts,
                                    const S3Condition& condition, std::string_view put_id, uint64_t size_bytes);
  void AbortUpload(std::string_view key, const std::string& upload);

  /// By the server, where source.size_bytes is at most 5 GiB. Errors: PreconditionFailed where the source's ETag
  /// differs.
  Result<ObjectInfo> Copy(const S3Client& from, const ObjectInfo& source, std::string_view key);

  /// At most 1,000 keys. Errors name the keys that stay.
  Status DeleteBatch(std::span<const std::string> keys);

  Status Restore(std::string_view key, const RestoreRequest& request);

  /// What the server says of a setting of the bucket: "versioning", "lifecycle", "uploads"; XML. Errors: NotFound where
  /// it has none, PermissionDenied.
  Result<std::string> BucketSetting(const std::string& name);

  /// All that was sent so far.
  S3RequestCount Sent() const { return http_->Snapshot(); }

  /// By how much the server's clock is ahead of ours; nothing before it replied.
  std::optional<std::chrono::seconds> server_ahead() const { return client_.server_ahead(); }

 private:
  explicit S3Client(S3Settings settings, std::shared_ptr<CountingHttpClient> http);

  aws::Call NewCall(std::string method, std::string_view key) const;
  Result<aws::Answer> Send(aws::Call call, std::string_view key);
  bool Follow(const net::HttpReply& reply, aws::Call& call);
  Result<aws::Answer> Must(aws::Call call, std::string_view key, std::string_view what);
  Status ErrorOf(const net::HttpReply& reply, std::string_view key, std::string_view what) const;
  Status WhyHeadFailed(std::string_view key);
  std::string UrlOf(std::string_view key) const;
  Result<ObjectInfo> ResolvePut(std::string_view key, std::string_view put_id, const S3Condition& condition,
                                uint64_t size_bytes, const Status& error);
  /// Returns the checksum that was added.
  static std::string AddBody(aws::Call& call, std::string_view bytes);
  Result<aws::Answer> SendCopy(aws::Call call, const S3Client& from, const ObjectInfo& source, std::string_view key,
                               std::string_view what);

  S3Settings settings_;
  mutable std::mutex mutex_;  // guards region and address, which a redirect may change
  std::string region_;
  S3Address address_;
  const std::shared_ptr<CountingHttpClient> http_;
  aws::SignedClient client_;
};

}  // namespace tidegate::store
