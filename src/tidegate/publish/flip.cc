#include "tidegate/publish/flip.h"

#include <cstdlib>

#include "tidegate/base/text.h"
#include "tidegate/catalog/location.h"
#include "tidegate/publish/layout.h"

namespace tidegate::publish {
namespace {

catalog::HivePartition ChangeOf(const FlipRequest& request) {
  catalog::HivePartition out;
  if (request.seen) out = *request.seen;
  out.values = request.run.partition;
  out.location = request.location;
  out.columns = request.run.columns;
  const auto set = [&](const char* name, const std::string& value) {
    if (value.empty()) out.parameters.erase(name);
    if (!value.empty()) out.parameters[name] = value;
  };
  set(kRunParameter, request.run.run);
  set(kSignatureParameter, request.signature);
  set(kRejectedParameter, request.rejected);
  set(kLeaseParameter, std::to_string(request.lease->number()));
  return out;
}

Status Conflict(const std::string& where) {
  return PreconditionFailed("another program was first: the partition points to " + Quoted(where, 1200) +
                            "; nothing was changed, run again");
}

/// What the catalog says counts, whatever it answered to the change.
Status ReadBack(const catalog::HiveName& table, const FlipRequest& request, const Status& answer, const Ports& ports) {
  const auto now = ports.catalog.GetPartition(table, request.run.partition);
  if (now.ok() && catalog::FolderOf(request.location, now->location) == "") return {};  // s3a://, too
  const bool silent = !now.ok() && now.status().code() != Code::kNotFound;
  if (!answer.ok() && answer.code() != Code::kAlreadyExists) {
    if (!silent) return answer;
    request.lease->LetRunOut();
    return UnknownOutcome("cannot tell whether the partition was moved to " + Quoted(request.location, 1200) + ": " +
                          answer.message() + "; `tidegate runs` shows it, and another publish ends the work");
  }
  if (!now.ok()) return now.status();
  return Conflict(now->location);
}

using Change = Result<std::vector<Status>> (catalog::HiveCatalog::*)(const catalog::HiveName&,
                                                                     const std::vector<catalog::HivePartition>&);

/// The requests of `which`, in one call.
void ChangeTogether(Change change, const catalog::HiveName& table, const std::vector<FlipRequest>& requests,
                    const std::vector<size_t>& which, const Ports& ports, std::vector<Status>& out) {
  if (which.empty()) return;
  std::vector<catalog::HivePartition> changes;
  changes.reserve(which.size());
  for (const size_t i : which) changes.push_back(ChangeOf(requests[i]));
  const auto answers = (ports.catalog.*change)(table, changes);
  for (size_t n = 0; n < which.size(); ++n) {
    const Status answer = answers.ok() ? answers->at(n) : answers.status();
    out[which[n]] = ReadBack(table, requests[which[n]], answer, ports);
  }
}

}  // namespace

int64_t LeaseNumberOf(const catalog::HivePartition& partition) {
  constexpr int64_t kMost = 1'000'000'000'000'000;  // what is greater is not ours
  const std::string text = ParameterOf(partition, kLeaseParameter);
  const int64_t number = std::strtoll(text.c_str(), nullptr, 10);
  return number > 0 && number < kMost ? number : 0;
}

std::vector<Status> Flip(const catalog::HiveName& table, const std::vector<FlipRequest>& requests, Lease* guard,
                         const Ports& ports) {
  const Status guarded = guard == nullptr || requests.empty() ? Status() : guard->Renew();
  std::vector<Status> out(requests.size());
  std::vector<size_t> adds, updates;
  for (size_t i = 0; i < requests.size(); ++i) {
    out[i] = guarded.ok() ? requests[i].lease->Renew() : guarded;
    if (out[i].ok()) (requests[i].seen ? updates : adds).push_back(i);
  }
  ChangeTogether(&catalog::HiveCatalog::AddPartitions, table, requests, adds, ports, out);
  ChangeTogether(&catalog::HiveCatalog::UpdatePartitions, table, requests, updates, ports, out);
  return out;
}

}  // namespace tidegate::publish
