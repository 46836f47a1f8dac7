#include "tidegate/publish/lease.h"

#include "tidegate/base/cancel.h"
#include "tidegate/base/hash.h"
#include "tidegate/base/json.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"

namespace tidegate::publish {
namespace {

constexpr int64_t kFormat = 1;
constexpr uint64_t kMaxBytes = 4096;

struct Seen {
  LeaseRecord record;
  std::string etag;
};

Result<Seen> See(store::ObjectStore& store, const std::string& key) {
  const std::string advice =
      "the lease " + Quoted(store.Location(key), 1200) + " cannot be read; remove it if nobody publishes";
  auto object = store.Fetch(key, kMaxBytes);
  if (object.status().code() == Code::kCorruption) return object.status().WithContext(advice);
  TG_RETURN_IF_ERROR(object.status());
  auto record = ReadLease(object->bytes);
  if (!record.ok()) return record.status().WithContext(advice);
  return Seen{*std::move(record), std::move(object->info.etag)};
}

Status Held(const store::ObjectStore& store, const std::string& key, const LeaseRecord& by) {
  return AlreadyExists("another publisher is at work here: " + Quoted(by.who) + " (lease " +
                       Quoted(store.Location(key), 1200) + ", until " + FormatRfc3339(by.until) +
                       " if it is not renewed): wait for it, then run again");
}

}  // namespace

bool IsConflict(const Status& status) {
  return status.code() == Code::kAlreadyExists || status.code() == Code::kPreconditionFailed;
}

std::string WriteLease(const LeaseRecord& record) {
  return DumpJson(OrderedJson{{"format", kFormat},
                              {"number", record.number},
                              {"holder", record.holder},
                              {"who", record.who},
                              {"until", FormatRfc3339(record.until)}}) +
         "\n";
}

Result<LeaseRecord> ReadLease(std::string_view text) {
  TG_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("not a JSON object");
  TG_ASSIGN_OR_RETURN(const int64_t format, RequireInteger(json, "format"));
  if (format != kFormat) return Unsupported("a newer tidegate wrote it (format " + std::to_string(format) + ")");
  LeaseRecord out;
  TG_ASSIGN_OR_RETURN(out.number, RequireInteger(json, "number"));
  TG_ASSIGN_OR_RETURN(out.holder, RequireText(json, "holder"));
  TG_ASSIGN_OR_RETURN(const std::string until, RequireText(json, "until"));
  TG_ASSIGN_OR_RETURN(out.until, ParseRfc3339(until));
  out.who = TextOr(json, "who");
  return out;
}

Result<LeaseRecord> LookAtLease(store::ObjectStore& store, const std::string& key) {
  TG_ASSIGN_OR_RETURN(const Seen seen, See(store, key));
  return seen.record;
}

Lease::Lease(store::ObjectStore& store, std::string key, const Clock& clock, LeaseRecord record)
    : store_(store), key_(std::move(key)), clock_(clock), record_(std::move(record)) {}

Result<std::unique_ptr<Lease>> Lease::Take(store::ObjectStore& store, const std::string& key, const Clock& clock,
                                           const std::string& who) {
  const auto seen = See(store, key);
  if (!seen.ok() && seen.status().code() != Code::kNotFound) return seen.status();
  if (seen.ok() && seen->record.until > clock.Now()) return Held(store, key, seen->record);
  const int64_t number = seen.ok() ? seen->record.number + 1 : 1;
  std::unique_ptr<Lease> lease(new Lease(
      store, key, clock, {.number = number, .holder = NewUuid(), .who = who, .until = clock.Now() + kLength}));
  if (const Status begun = lease->Begin(seen.ok() ? seen->etag : ""); !begun.ok()) {
    const auto winner = See(store, key);
    if (IsConflict(begun) && winner.ok()) return Held(store, key, winner->record);
    return begun;
  }
  lease->renewer_ = std::thread([raw = lease.get()] { raw->RenewInBackground(); });
  return lease;
}

Status Lease::Begin(const std::string& seen_etag) {
  const std::string text = WriteLease(record_);
  const auto written =
      seen_etag.empty() ? store_.Put(key_, text, store::PutMode::kCreateOnly) : store_.Replace(key_, text, seen_etag);
  if (written.ok()) {
    etag_ = written->etag;
    return {};
  }
  const auto now = See(store_, key_);  // a reply may have been lost
  if (!now.ok() || now->record.holder != record_.holder) return written.status();
  etag_ = now->etag;
  return {};
}

Status Lease::Write(LeaseRecord next) {
  Status failed;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto written = store_.Replace(key_, WriteLease(next), etag_);
    if (written.ok()) {
      record_ = std::move(next);
      etag_ = written->etag;
      return {};
    }
    failed = written.status();
    const auto now = See(store_, key_);
    if (!now.ok()) return failed;
    if (now->record.holder != record_.holder) {
      return PreconditionFailed("the lease ran out, and " + Quoted(now->record.who) +
                                " has it now: nothing was changed for readers; run again");
    }
    etag_ = now->etag;  // what is there is ours: of this write or an earlier one, whose reply was lost
    if (now->record.until != next.until || now->record.number != next.number) continue;
    record_ = std::move(next);
    return {};
  }
  return failed;
}

Status Lease::WriteUntil(UtcTime until) {
  LeaseRecord next = record_;
  next.until = until;
  return Write(std::move(next));
}

Status Lease::Renew() {
  const std::lock_guard lock(mutex_);
  return WriteUntil(clock_.Now() + kLength);
}

Status Lease::Outnumber(int64_t number) {
  const std::lock_guard lock(mutex_);
  if (record_.number > number) return {};
  LeaseRecord next = record_;
  next.number = number + 1;
  return Write(std::move(next));
}

void Lease::LetRunOut() {
  const std::lock_guard lock(mutex_);
  runs_out_ = true;
}

void Lease::RenewInBackground() {
  const StopGrace grace;  // a renewal that is cut off would leave an ETag that nobody knows
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kLength / 3, [this] { return ended_; })) {
    const Status renewed = WriteUntil(clock_.Now() + kLength);
    if (!renewed.ok()) Log(LogLevel::kWarning, "the lease was not renewed: " + renewed.message());
  }
}

Lease::~Lease() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_all();
  if (!renewer_.joinable()) return;  // it was never taken
  renewer_.join();
  if (runs_out_) return;
  const StopGrace grace;
  const Status ended = WriteUntil(clock_.Now());
  if (!ended.ok()) Log(LogLevel::kDebug, "the lease was not ended: " + ended.message());
}

}  // namespace tidegate::publish
