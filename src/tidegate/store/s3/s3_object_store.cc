#include "tidegate/store/s3/s3_object_store.h"

#include <algorithm>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/store/copy_object.h"
#include "tidegate/store/s3/s3_error.h"
#include "tidegate/store/s3/s3_listing.h"

namespace tidegate::store {
namespace {

constexpr uint64_t kMostCopiedAtOnce = 5ULL << 30;  // by one CopyObject
constexpr uint64_t kCopyPartBytes = 1ULL << 30;
constexpr size_t kMostDeletedAtOnce = 1000;

/// Whoever may not copy by the server may still be allowed to read here and to write there.
bool MayStreamInstead(const Status& status) {
  return status.code() == Code::kPermissionDenied || status.code() == Code::kUnsupported;
}

}  // namespace

S3ObjectStore::S3ObjectStore(std::unique_ptr<S3Client> client)
    : client_(std::move(client)),
      head_(client_->settings().prefix.empty() ? "" : client_->settings().prefix + "/"),
      trust_order_(!client_->settings().bucket.ends_with("--x-s3")),  // directory buckets of AWS list as they like
      transfers_(client_->settings().connections) {}

Result<std::unique_ptr<S3ObjectStore>> S3ObjectStore::Make(S3Settings settings, std::shared_ptr<net::HttpClient> http) {
  TG_ASSIGN_OR_RETURN(auto client, S3Client::Make(std::move(settings), std::move(http)));
  return std::unique_ptr<S3ObjectStore>(new S3ObjectStore(std::move(client)));
}

std::string S3ObjectStore::url() const {
  const S3Settings& settings = client_->settings();
  return "s3://" + settings.bucket + (settings.prefix.empty() ? "" : "/" + settings.prefix);
}

std::string S3ObjectStore::Location(std::string_view key) const {
  return "s3://" + client_->settings().bucket + "/" + FullKey(key);
}

ObjectInfo S3ObjectStore::WithFullKey(const ObjectInfo& info) const {
  ObjectInfo out = info;
  out.key = FullKey(info.key);
  return out;
}

Result<Listing> S3ObjectStore::List(const ListRequest& request) {
  // No key begins so. Servers that keep objects as files would take it for another prefix.
  if (request.prefix.starts_with('/') || request.prefix.find("//") != std::string::npos) return Listing{};
  return ListAll(*client_, head_, request, trust_order_);
}

Result<ObjectInfo> S3ObjectStore::Head(std::string_view key) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  TG_ASSIGN_OR_RETURN(ObjectInfo info, client_->Head(FullKey(key)));
  info.key = key;
  return info;
}

Result<std::unique_ptr<RandomReader>> S3ObjectStore::Open(const ObjectInfo& seen) {
  TG_RETURN_IF_ERROR(CheckKey(seen.key));
  ObjectInfo object = seen;
  if (seen.etag.empty()) {
    TG_ASSIGN_OR_RETURN(object, Head(seen.key));
  }
  return NewS3Reader(*client_, transfers_, WithFullKey(object), seen.key);
}

Result<FetchedObject> S3ObjectStore::Fetch(std::string_view key, uint64_t max_bytes) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  TG_ASSIGN_OR_RETURN(FetchedObject object, client_->Get(FullKey(key), max_bytes));
  object.info.key = key;
  return object;
}

Result<std::unique_ptr<ObjectWriter>> S3ObjectStore::NewWriter(std::string_view key, PutMode mode) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  return NewS3Writer(*client_, transfers_, FullKey(key), mode, std::string(key));
}

Result<ObjectInfo> S3ObjectStore::Put(std::string_view key, std::string_view bytes, PutMode mode) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  TG_ASSIGN_OR_RETURN(ObjectInfo info, client_->Put(FullKey(key), bytes, {.absent = mode == PutMode::kCreateOnly}));
  info.key = key;
  return info;
}

Result<ObjectInfo> S3ObjectStore::Replace(std::string_view key, std::string_view bytes, const std::string& etag) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  if (etag.empty()) return InvalidArgument("cannot replace object: " + Quoted(key) + ": its ETag is not given");
  TG_ASSIGN_OR_RETURN(ObjectInfo info, client_->Put(FullKey(key), bytes, {.absent = false, .etag = etag}));
  info.key = key;
  return info;
}

Status S3ObjectStore::Delete(const std::vector<std::string>& keys) {
  std::vector<std::string> full;
  for (const std::string& key : keys) {
    TG_RETURN_IF_ERROR(CheckKey(key));
    full.push_back(FullKey(key));
  }
  Status first;
  for (size_t at = 0; at < full.size(); at += kMostDeletedAtOnce) {
    const std::span<const std::string> batch(full.data() + at, std::min(kMostDeletedAtOnce, full.size() - at));
    if (Status status = client_->DeleteBatch(batch); !status.ok() && first.ok()) first = std::move(status);
  }
  return first;
}

Result<ObjectInfo> S3ObjectStore::CopyInParts(const S3ObjectStore& from, const ObjectInfo& source,
                                              std::string_view key) {
  const std::string full = FullKey(key);
  const std::string put_id = NewUuid();
  TG_ASSIGN_OR_RETURN(const std::string upload, client_->CreateUpload(full, put_id));
  std::vector<S3Part> parts((source.size_bytes + kCopyPartBytes - 1) / kCopyPartBytes);
  std::vector<std::future<Status>> copies;
  for (size_t i = 0; i < parts.size(); ++i) {
    copies.push_back(transfers_.pool.Submit([&, i]() -> Status {
      const uint64_t offset = i * kCopyPartBytes;
      const uint64_t bytes = std::min(kCopyPartBytes, source.size_bytes - offset);
      TG_ASSIGN_OR_RETURN(
          parts[i], client_->CopyPart(*from.client_, source, offset, bytes, full, upload, static_cast<int>(i) + 1));
      return {};
    }));
  }
  const Status first = WaitForAll(copies);
  auto done = first.ok() ? client_->CompleteUpload(full, upload, parts, {}, put_id, source.size_bytes)
                         : Result<ObjectInfo>(first);
  if (!done.ok()) client_->AbortUpload(full, upload);
  return done;
}

Result<ObjectInfo> S3ObjectStore::CopyByServer(const S3ObjectStore& from, const ObjectInfo& source,
                                               std::string_view key) {
  const ObjectInfo there = from.WithFullKey(source);
  auto copied = source.size_bytes <= kMostCopiedAtOnce ? client_->Copy(*from.client_, there, FullKey(key))
                                                       : CopyInParts(from, there, key);
  if (copied.ok()) copied->key = key;
  return copied;
}

Result<ObjectInfo> S3ObjectStore::Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                                        AdoptMethod* method) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  ObjectInfo seen = source;
  const auto* other = dynamic_cast<const S3ObjectStore*>(&from.Backend());
  if (other != nullptr && client_->SameServer(*other->client_)) {
    if (seen.etag.empty()) {
      TG_ASSIGN_OR_RETURN(seen, from.Head(source.key));
    }
    // A server refuses to copy an object onto itself; it is there already.
    if (client_->settings().bucket == other->client_->settings().bucket && other->FullKey(seen.key) == FullKey(key)) {
      return Head(key);
    }
    auto copied = CopyByServer(*other, seen, key);
    *method = AdoptMethod::kServerCopy;
    if (copied.ok() || !MayStreamInstead(copied.status())) return copied;
  }
  *method = AdoptMethod::kCopy;
  return CopyObject(from, seen, *this, key);
}

Status S3ObjectStore::RequestRestore(std::string_view key, const RestoreRequest& request) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  return client_->Restore(FullKey(key), request);
}

}  // namespace tidegate::store
