#include "tidegate/store/fault/fault_object_store.h"

#include <mutex>
#include <type_traits>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::store {

// Decides for each call whether it is carried out and whether it fails.
class FaultObjectStore::Script {
 public:
  explicit Script(FaultPlan plan) : plan_(plan) {}

  // `call` returns a Status or a Result.
  template <typename Call>
  std::invoke_result_t<Call> Run(CallKind kind, std::string_view key, Call call) {
    switch (Decide(kind, key)) {
      case Fate::kFine:
        return call();
      case Fate::kFails:
        return Failure(kind, key);
      case Fate::kReplyLost:
        break;
    }
    if (auto done = call(); !done.ok()) return done;
    return Failure(kind, key);
  }

  void SetPlan(FaultPlan plan) {
    const std::lock_guard lock(mutex_);
    plan_ = plan;
    counted_ = 0;
    happened_ = false;
  }

  bool happened() const {
    const std::lock_guard lock(mutex_);
    return happened_;
  }

  uint64_t counted() const {
    const std::lock_guard lock(mutex_);
    return counted_;
  }

  std::vector<StoreCall> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  enum class Fate { kFine, kFails, kReplyLost };

  Fate Decide(CallKind kind, std::string_view key) {
    const std::lock_guard lock(mutex_);
    calls_.push_back({kind, std::string(key)});
    if (happened_ && plan_.mode == FaultMode::kCrash) return Fate::kFails;
    if (plan_.only && *plan_.only != kind) return Fate::kFine;
    ++counted_;
    if (plan_.fail_at == 0 || counted_ < plan_.fail_at) return Fate::kFine;
    if (counted_ > plan_.fail_at && plan_.mode != FaultMode::kErrorFromThenOn) return Fate::kFine;
    happened_ = true;
    return plan_.mode == FaultMode::kReplyLost ? Fate::kReplyLost : Fate::kFails;
  }

  Status Failure(CallKind kind, std::string_view key) const {
    const std::lock_guard lock(mutex_);
    const bool lost = plan_.mode == FaultMode::kReplyLost, crash = plan_.mode == FaultMode::kCrash;
    const Code standard = lost ? Code::kUnknownOutcome : crash ? Code::kInternal : Code::kUnavailable;
    return {plan_.code.value_or(standard), "planned fault: " + std::string(CallKindName(kind)) + " of " + Quoted(key) +
                                               (lost    ? ": the reply was lost"
                                                : crash ? ": crashed"
                                                        : ": failed")};
  }

  mutable std::mutex mutex_;
  FaultPlan plan_;
  uint64_t counted_ = 0;
  bool happened_ = false;
  std::vector<StoreCall> calls_;
};

class FaultObjectStore::Reader final : public RandomReader {
 public:
  Reader(std::shared_ptr<Script> script, std::unique_ptr<RandomReader> inner)
      : script_(std::move(script)), inner_(std::move(inner)) {}
  const ObjectInfo& info() const override { return inner_->info(); }
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
    return script_->Run(CallKind::kReadAt, info().key, [&] { return inner_->ReadAt(offset, out); });
  }

 private:
  const std::shared_ptr<Script> script_;
  const std::unique_ptr<RandomReader> inner_;
};

class FaultObjectStore::Writer final : public ObjectWriter {
 public:
  Writer(std::shared_ptr<Script> script, std::string_view key, std::unique_ptr<ObjectWriter> inner)
      : script_(std::move(script)), key_(key), inner_(std::move(inner)) {}
  Status Append(std::string_view bytes) override {
    TG_RETURN_IF_ERROR(state_);
    state_ = script_->Run(CallKind::kAppend, key_, [&] { return inner_->Append(bytes); });
    return state_;
  }
  uint64_t size_bytes() const override { return inner_->size_bytes(); }
  Result<ObjectInfo> Finish() override {
    TG_RETURN_IF_ERROR(state_);
    return script_->Run(CallKind::kFinish, key_, [&] { return inner_->Finish(); });
  }

 private:
  const std::shared_ptr<Script> script_;
  const std::string key_;
  const std::unique_ptr<ObjectWriter> inner_;
  Status state_;  // a writer that lost bytes must not finish
};

std::string_view CallKindName(CallKind kind) {
  switch (kind) {
    case CallKind::kList:
      return "list";
    case CallKind::kHead:
      return "head";
    case CallKind::kOpen:
      return "open";
    case CallKind::kReadAt:
      return "read at";
    case CallKind::kRead:
      return "read";
    case CallKind::kNewWriter:
      return "new writer";
    case CallKind::kAppend:
      return "append";
    case CallKind::kFinish:
      return "finish";
    case CallKind::kPut:
      return "put";
    case CallKind::kReplace:
      return "replace";
    case CallKind::kDelete:
      return "delete";
    case CallKind::kSync:
      return "sync";
    case CallKind::kAdopt:
      return "adopt";
    case CallKind::kRestore:
      return "restore";
  }
  return "unknown call";
}

FaultObjectStore::FaultObjectStore(std::shared_ptr<ObjectStore> inner, FaultPlan plan)
    : inner_(std::move(inner)), script_(std::make_shared<Script>(plan)) {}

std::string FaultObjectStore::url() const { return inner_->url(); }

std::string FaultObjectStore::Location(std::string_view key) const { return inner_->Location(key); }

std::optional<std::string> FaultObjectStore::LocalPath(std::string_view key) const { return inner_->LocalPath(key); }

Result<Listing> FaultObjectStore::List(const ListRequest& request) {
  return script_->Run(CallKind::kList, request.prefix, [&] { return inner_->List(request); });
}

Result<ObjectInfo> FaultObjectStore::Head(std::string_view key) {
  return script_->Run(CallKind::kHead, key, [&] { return inner_->Head(key); });
}

Result<std::unique_ptr<RandomReader>> FaultObjectStore::Open(const ObjectInfo& seen) {
  TG_ASSIGN_OR_RETURN(auto reader, script_->Run(CallKind::kOpen, seen.key, [&] { return inner_->Open(seen); }));
  return std::unique_ptr<RandomReader>(std::make_unique<Reader>(script_, std::move(reader)));
}

Result<FetchedObject> FaultObjectStore::Fetch(std::string_view key, uint64_t max_bytes) {
  return script_->Run(CallKind::kRead, key, [&] { return inner_->Fetch(key, max_bytes); });
}

Result<std::unique_ptr<ObjectWriter>> FaultObjectStore::NewWriter(std::string_view key, PutMode mode) {
  TG_ASSIGN_OR_RETURN(auto writer,
                      script_->Run(CallKind::kNewWriter, key, [&] { return inner_->NewWriter(key, mode); }));
  return std::unique_ptr<ObjectWriter>(std::make_unique<Writer>(script_, key, std::move(writer)));
}

Result<ObjectInfo> FaultObjectStore::Put(std::string_view key, std::string_view bytes, PutMode mode) {
  return script_->Run(CallKind::kPut, key, [&] { return inner_->Put(key, bytes, mode); });
}

Result<ObjectInfo> FaultObjectStore::Replace(std::string_view key, std::string_view bytes, const std::string& etag) {
  return script_->Run(CallKind::kReplace, key, [&] { return inner_->Replace(key, bytes, etag); });
}

Status FaultObjectStore::RequestRestore(std::string_view key, const RestoreRequest& request) {
  return script_->Run(CallKind::kRestore, key, [&] { return inner_->RequestRestore(key, request); });
}

Status FaultObjectStore::Delete(const std::vector<std::string>& keys) {
  return script_->Run(CallKind::kDelete, keys.empty() ? "" : keys.front(), [&] { return inner_->Delete(keys); });
}

Status FaultObjectStore::Sync() {
  return script_->Run(CallKind::kSync, "", [&] { return inner_->Sync(); });
}

Result<ObjectInfo> FaultObjectStore::Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                                           AdoptMethod* method) {
  return script_->Run(CallKind::kAdopt, key, [&] { return inner_->Adopt(from, source, key, method); });
}

void FaultObjectStore::SetPlan(FaultPlan plan) { script_->SetPlan(plan); }

bool FaultObjectStore::fault_happened() const { return script_->happened(); }

uint64_t FaultObjectStore::counted_calls() const { return script_->counted(); }

std::vector<StoreCall> FaultObjectStore::calls() const { return script_->calls(); }

}  // namespace tidegate::store
