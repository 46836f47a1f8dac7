#include "tidegate/store/gcs/gcs_object_store.h"

#include <chrono>
#include <random>
#include <utility>

#include "tidegate/aws/retry.h"
#include "tidegate/base/text.h"
#include "tidegate/store/gcs/gcs_error.h"
#include "tidegate/store/gcs/gcs_listing.h"
#include "tidegate/store/gcs/gcs_object_reader.h"

namespace tidegate::store {

GcsObjectStore::GcsObjectStore(std::unique_ptr<GcsClient> client)
    : client_(std::move(client)), head_(client_->settings().prefix.empty() ? "" : client_->settings().prefix + "/") {}

Result<std::unique_ptr<GcsObjectStore>> GcsObjectStore::Make(GcsSettings settings) {
  TG_ASSIGN_OR_RETURN(auto client, GcsClient::Make(std::move(settings)));
  return std::unique_ptr<GcsObjectStore>(new GcsObjectStore(std::move(client)));
}

std::string GcsObjectStore::url() const {
  const GcsSettings& settings = client_->settings();
  return "gs://" + settings.bucket + (settings.prefix.empty() ? "" : "/" + settings.prefix);
}

std::string GcsObjectStore::Location(std::string_view key) const { return client_->UrlOf(FullKey(key)); }

Result<Listing> GcsObjectStore::List(const ListRequest& request) {
  if (request.prefix.starts_with('/') || request.prefix.find("//") != std::string::npos) return Listing{};  // no key
  TG_ASSIGN_OR_RETURN(std::vector<ObjectInfo> found, client_->ListBelow(FolderOfPrefix(head_ + request.prefix)));
  std::erase_if(found, [&](const ObjectInfo& object) { return !object.key.starts_with(head_); });
  for (ObjectInfo& object : found) object.key.erase(0, head_.size());
  return MakeListing(std::move(found), request);
}

Result<ObjectInfo> GcsObjectStore::Head(std::string_view key) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  TG_ASSIGN_OR_RETURN(ObjectInfo info, client_->Head(FullKey(key)));
  info.key = key;
  return info;
}

Result<std::unique_ptr<RandomReader>> GcsObjectStore::Open(const ObjectInfo& seen) {
  TG_RETURN_IF_ERROR(CheckKey(seen.key));
  TG_ASSIGN_OR_RETURN(GcsFile file, client_->Open(FullKey(seen.key)));
  if (!seen.etag.empty() && seen.etag != file.info.etag) return ReplacedInGcs(Location(seen.key));
  return NewGcsReader(*client_, std::move(file), seen.key);
}

Result<FetchedObject> GcsObjectStore::FetchOnce(const std::string& full_key, uint64_t max_bytes) {
  TG_ASSIGN_OR_RETURN(const GcsFile file, client_->Open(full_key));
  if (file.info.size_bytes > max_bytes) {
    return Corruption("cannot read object: " + Quoted(client_->UrlOf(full_key), 1200) +
                      ": it is larger than expected: " + HumanBytes(file.info.size_bytes) + ", at most " +
                      HumanBytes(max_bytes));
  }
  std::string bytes(file.info.size_bytes, '\0');
  uint64_t stream_at = 0;
  TG_RETURN_IF_ERROR(client_->Read(file, 0, bytes, stream_at));
  return FetchedObject{std::move(bytes), file.info};
}

/// Whatever generation is there will do. Arrow asks which one that is and then for its bytes, so a writer that never
/// rests can come between every time; the waits grow until it has had its turn.
Result<FetchedObject> GcsObjectStore::Fetch(std::string_view key, uint64_t max_bytes) {
  TG_RETURN_IF_ERROR(CheckKey(key));
  constexpr aws::RetryPolicy kPolicy{
      .max_attempts = 16, .first_wait = std::chrono::milliseconds(4), .longest_wait = std::chrono::milliseconds(1000)};
  aws::SystemSleeper sleeper(client_->settings().cancel);
  auto object = FetchOnce(FullKey(key), max_bytes);
  for (int attempt = 2; attempt <= kPolicy.max_attempts && object.status().code() == Code::kPreconditionFailed;
       ++attempt) {
    TG_RETURN_IF_ERROR(sleeper.Sleep(aws::RetryWait(kPolicy, attempt, std::random_device()())));
    object = FetchOnce(FullKey(key), max_bytes);
  }
  TG_RETURN_IF_ERROR(object.status());
  object->info.key = key;
  return object;
}

Result<std::unique_ptr<ObjectWriter>> GcsObjectStore::NewWriter(std::string_view key, PutMode) {
  return GcsIsReadOnly(Location(key));
}

Result<ObjectInfo> GcsObjectStore::Put(std::string_view key, std::string_view, PutMode) {
  return GcsIsReadOnly(Location(key));
}

Result<ObjectInfo> GcsObjectStore::Replace(std::string_view key, std::string_view, const std::string&) {
  return GcsIsReadOnly(Location(key));
}

Status GcsObjectStore::Delete(const std::vector<std::string>&) { return GcsIsReadOnly(url()); }

Result<ObjectInfo> GcsObjectStore::Adopt(ObjectStore&, const ObjectInfo&, std::string_view key, AdoptMethod*) {
  return GcsIsReadOnly(Location(key));
}

}  // namespace tidegate::store
