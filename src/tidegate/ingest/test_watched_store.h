// For tests of races: a store that lets something else happen right before any call of its user.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/store/fault/fault_object_store.h"

namespace tidegate::ingest {

class WatchedStore final : public store::ObjectStore {
 public:
  using Call = store::StoreCall;
  using Kind = store::CallKind;

  /// `before` sees each call before it happens; reads of an object that was opened, too. Writers are not watched.
  WatchedStore(store::ObjectStore& inner, std::function<void(const Call&)> before)
      : inner_(inner), before_(std::move(before)) {}

  std::string url() const override { return inner_.url(); }
  std::string Location(std::string_view key) const override { return inner_.Location(key); }
  Result<store::Listing> List(const store::ListRequest& request) override {
    before_({Kind::kList, request.prefix});
    return inner_.List(request);
  }
  Result<store::ObjectInfo> Head(std::string_view key) override {
    before_({Kind::kHead, std::string(key)});
    return inner_.Head(key);
  }
  Result<std::unique_ptr<store::RandomReader>> Open(const store::ObjectInfo& seen) override {
    before_({Kind::kOpen, seen.key});
    TG_ASSIGN_OR_RETURN(auto reader, inner_.Open(seen));
    return std::unique_ptr<store::RandomReader>(std::make_unique<Reader>(std::move(reader), before_));
  }
  Result<store::FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override {
    before_({Kind::kRead, std::string(key)});
    return inner_.Fetch(key, max_bytes);
  }
  Result<std::unique_ptr<store::ObjectWriter>> NewWriter(std::string_view key, store::PutMode mode) override {
    before_({Kind::kNewWriter, std::string(key)});
    return inner_.NewWriter(key, mode);
  }
  Result<store::ObjectInfo> Put(std::string_view key, std::string_view bytes, store::PutMode mode) override {
    before_({Kind::kPut, std::string(key)});
    return inner_.Put(key, bytes, mode);
  }
  Status Delete(const std::vector<std::string>& keys) override {
    before_({Kind::kDelete, keys.empty() ? "" : keys.front()});
    return inner_.Delete(keys);
  }
  Status Sync() override {
    before_({Kind::kSync, ""});
    return inner_.Sync();
  }
  Result<store::ObjectInfo> Adopt(store::ObjectStore& from, const store::ObjectInfo& source, std::string_view key,
                                  store::AdoptMethod* method) override {
    before_({Kind::kAdopt, std::string(key)});
    return inner_.Adopt(from, source, key, method);
  }

 private:
  class Reader final : public store::RandomReader {
   public:
    Reader(std::unique_ptr<store::RandomReader> inner, std::function<void(const Call&)> before)
        : inner_(std::move(inner)), before_(std::move(before)) {}
    const store::ObjectInfo& info() const override { return inner_->info(); }
    Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
      before_({Kind::kReadAt, inner_->info().key});
      return inner_->ReadAt(offset, out);
    }

   private:
    const std::unique_ptr<store::RandomReader> inner_;
    const std::function<void(const Call&)> before_;
  };

  store::ObjectStore& inner_;
  const std::function<void(const Call&)> before_;
};

/// What happens once, at the first call that `when` picks.
class OnceBefore {
 public:
  OnceBefore(std::function<bool(const store::StoreCall&)> when, std::function<void()> what)
      : when_(std::move(when)), what_(std::move(what)) {}

  void operator()(const store::StoreCall& call) {
    if (*done_ || !when_(call)) return;
    *done_ = true;  // before: what happens may use the store itself
    what_();
  }
  bool happened() const { return *done_; }

 private:
  std::function<bool(const store::StoreCall&)> when_;
  std::function<void()> what_;
  std::shared_ptr<bool> done_ = std::make_shared<bool>(false);  // copies are one
};

/// Happens right before the first commit of a run.
inline OnceBefore BeforeTheCommit(std::function<void()> what) {
  return {[](const store::StoreCall& call) {
            return call.kind == store::CallKind::kPut && call.key.ends_with(".metadata.json");
          },
          std::move(what)};
}

}  // namespace tidegate::ingest
