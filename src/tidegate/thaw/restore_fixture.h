// For tests: a bucket that says it is of S3, over one in memory, and sees the restores that are asked for.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::thaw {

class BucketOfS3 final : public store::ObjectStore {
 public:
  explicit BucketOfS3(std::shared_ptr<store::MemoryObjectStore> inner = std::make_shared<store::MemoryObjectStore>())
      : inner_(std::move(inner)) {}

  std::string url() const override { return "s3://vendor/deliveries"; }
  std::string Location(std::string_view key) const override { return url() + "/" + std::string(key); }
  Result<store::Listing> List(const store::ListRequest& request) override { return inner_->List(request); }
  Result<store::ObjectInfo> Head(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    ++heads;
    return inner_->Head(key);
  }
  Result<std::unique_ptr<store::RandomReader>> Open(const store::ObjectInfo& seen) override {
    return inner_->Open(seen);
  }
  Result<store::FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override {
    return inner_->Fetch(key, max_bytes);
  }
  Result<std::unique_ptr<store::ObjectWriter>> NewWriter(std::string_view key, store::PutMode mode) override {
    return inner_->NewWriter(key, mode);
  }
  Result<store::ObjectInfo> Put(std::string_view key, std::string_view bytes, store::PutMode mode) override {
    return inner_->Put(key, bytes, mode);
  }
  Result<store::ObjectInfo> Replace(std::string_view key, std::string_view bytes, const std::string& etag) override {
    return inner_->Replace(key, bytes, etag);
  }
  Status Delete(const std::vector<std::string>& keys) override { return inner_->Delete(keys); }
  Status Sync() override { return inner_->Sync(); }
  Result<store::ObjectInfo> Adopt(store::ObjectStore& from, const store::ObjectInfo& source, std::string_view key,
                                  store::AdoptMethod* method) override {
    return inner_->Adopt(from, source, key, method);
  }
  Status RequestRestore(std::string_view key, const store::RestoreRequest& request) override {
    const std::lock_guard lock(mutex_);
    asked.push_back({std::string(key), request});
    const Status answer = answer_to ? answer_to(std::string(key)) : Status();
    return answer.ok() ? inner_->RequestRestore(key, request) : answer;
  }

  struct Asked {
    std::string key;
    store::RestoreRequest request;
  };
  std::vector<Asked> asked;
  int heads = 0;
  std::function<Status(const std::string& key)> answer_to;  // not ok: the request is refused

 private:
  const std::shared_ptr<store::MemoryObjectStore> inner_;
  std::mutex mutex_;
};

}  // namespace tidegate::thaw
