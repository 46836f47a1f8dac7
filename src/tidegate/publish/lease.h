// The lease of a partition: who publishes, rolls back or cleans it now (docs/formats/partition-runs.md).
//
// An object in the store, taken by create-if-absent or by a compare-and-swap over an expired one. Its number grows with
// each holder. It is a fence, not a promise: a holder that was stopped for longer than its lease finds out at Renew().
//
// Threads: a holder renews itself in the background; the functions may be called from one thread at a time.
// Clocks: those of holders may differ by less than the lease is long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tidegate/base/time.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

struct LeaseRecord {
  int64_t number = 0;
  std::string holder;  // a UUID
  std::string who;     // for people: "host:pid"
  UtcTime until;
};

std::string WriteLease(const LeaseRecord& record);
/// Errors: Corruption; Unsupported (a newer format).
Result<LeaseRecord> ReadLease(std::string_view text);

/// The record that is there. Errors: NotFound; those of ReadLease.
Result<LeaseRecord> LookAtLease(store::ObjectStore& store, const std::string& key);

/// Was another publisher, or another program, first?
bool IsConflict(const Status& status);

class Lease {
 public:
  static constexpr std::chrono::seconds kLength{120};

  /// Errors: AlreadyExists (another holds it: who, and until when); those of the store.
  static Result<std::unique_ptr<Lease>> Take(store::ObjectStore& store, const std::string& key, const Clock& clock,
                                             const std::string& who);
  /// Ends it, so that the next one need not wait.
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  int64_t number() const { return record_.number; }

  /// Makes it last kLength from now. Errors: PreconditionFailed (it ran out, and another has it now).
  Status Renew();

  /// Makes its number greater than `number`, which an earlier holder left elsewhere: numbers begin anew where somebody
  /// removed the lease. Errors: those of Renew.
  Status Outnumber(int64_t number);

  /// It stays until it runs out by itself, also when this goes: what was begun under it may still happen.
  void LetRunOut();

 private:
  Lease(store::ObjectStore& store, std::string key, const Clock& clock, LeaseRecord record);
  Status Begin(const std::string& seen_etag);
  Status Write(LeaseRecord next);
  Status WriteUntil(UtcTime until);
  void RenewInBackground();

  store::ObjectStore& store_;
  const std::string key_;
  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  LeaseRecord record_;
  std::string etag_;
  std::condition_variable ending_;
  bool ended_ = false;
  bool runs_out_ = false;
  std::thread renewer_;
};

}  // namespace tidegate::publish
