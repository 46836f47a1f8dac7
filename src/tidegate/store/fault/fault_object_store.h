// FaultObjectStore: a decorator that records every call and makes the n-th one go wrong, for fault sweeps.
//
// Every call of the port counts, those on its readers and writers too: a run is repeated with n = 1, 2, … until
// fault_happened() stays false.
//
// Threads: safe; which of several racing calls is the n-th is left to the race.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/store/object_store.h"

namespace tidegate::store {

enum class CallKind {
  kList,  // key: the prefix
  kHead,
  kOpen,
  kReadAt,
  kRead,
  kNewWriter,
  kAppend,
  kFinish,
  kPut,
  kReplace,
  kDelete,  // key: the first one
  kSync,    // key: ""
  kAdopt,   // key: the new one
  kRestore,
};

std::string_view CallKindName(CallKind kind);

struct StoreCall {
  CallKind kind;
  std::string key;
  friend bool operator==(const StoreCall&, const StoreCall&) = default;
};

enum class FaultMode {
  kErrorOnce,        // the n-th call does nothing and fails
  kErrorFromThenOn,  // it and all later ones
  kReplyLost,        // the n-th call is carried out, then fails
  kCrash,            // the process is gone: it and all later calls, of any kind, do nothing and fail
};

struct FaultPlan {
  uint64_t fail_at = 0;  // the n-th call, from 1; 0: none
  FaultMode mode = FaultMode::kErrorOnce;
  std::optional<CallKind> only = std::nullopt;  // count only calls of this kind
  std::optional<Code> code = std::nullopt;  // default: Unavailable; UnknownOutcome for kReplyLost; Internal for kCrash
};

class FaultObjectStore final : public ObjectStore {
 public:
  /// `inner` is shared: it outlives a crash. Readers and writers may outlive this store, not `inner`.
  explicit FaultObjectStore(std::shared_ptr<ObjectStore> inner, FaultPlan plan = {});

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

  /// Start counting anew under another plan. The recorded calls stay.
  void SetPlan(FaultPlan plan);
  /// Did the planned fault strike?
  bool fault_happened() const;
  /// Calls that `only` lets count, since the last plan.
  uint64_t counted_calls() const;
  /// All calls since construction, in order, also those that failed.
  std::vector<StoreCall> calls() const;

 private:
  class Script;
  class Reader;
  class Writer;

  const std::shared_ptr<ObjectStore> inner_;
  const std::shared_ptr<Script> script_;  // shared with the readers and writers handed out
};

}  // namespace tidegate::store
