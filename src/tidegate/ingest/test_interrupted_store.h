// For tests of races: a store that lets something else happen right before the first commit of its user.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

class InterruptedStore final : public store::ObjectStore {
 public:
  InterruptedStore(store::ObjectStore& inner, std::function<void()> interrupt)
      : inner_(inner), interrupt_(std::move(interrupt)) {}

  std::string url() const override { return inner_.url(); }
  std::string Location(std::string_view key) const override { return inner_.Location(key); }
  Result<store::Listing> List(const store::ListRequest& request) override { return inner_.List(request); }
  Result<store::ObjectInfo> Head(std::string_view key) override { return inner_.Head(key); }
  Result<std::unique_ptr<store::RandomReader>> Open(const store::ObjectInfo& seen) override {
    return inner_.Open(seen);
  }
  Result<std::string> Read(std::string_view key, uint64_t max_bytes) override { return inner_.Read(key, max_bytes); }
  Result<std::unique_ptr<store::ObjectWriter>> NewWriter(std::string_view key, store::PutMode mode) override {
    return inner_.NewWriter(key, mode);
  }
  Result<store::ObjectInfo> Put(std::string_view key, std::string_view bytes, store::PutMode mode) override {
    if (key.ends_with(".metadata.json") && interrupt_) std::exchange(interrupt_, nullptr)();
    return inner_.Put(key, bytes, mode);
  }
  Status Delete(const std::vector<std::string>& keys) override { return inner_.Delete(keys); }
  Status Sync() override { return inner_.Sync(); }
  Result<store::ObjectInfo> Adopt(store::ObjectStore& from, const store::ObjectInfo& source, std::string_view key,
                                  store::AdoptMethod* method) override {
    return inner_.Adopt(from, source, key, method);
  }
  bool interrupted() const { return !interrupt_; }

 private:
  store::ObjectStore& inner_;
  std::function<void()> interrupt_;
};

}  // namespace tidegate::ingest
