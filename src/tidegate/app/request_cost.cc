#include "tidegate/app/request_cost.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "tidegate/base/text.h"
#include "tidegate/store/gcs/gcs_object_store.h"
#include "tidegate/store/s3/s3_object_store.h"

namespace tidegate::app {
namespace {

struct Kind {
  std::string_view name;
  uint64_t count;
  double usd_a_thousand;
};

// List prices of S3 Standard in us-east-1. Other regions, storage classes and stores have other prices.
constexpr double kWriteOrList = 0.005;  // LIST, PUT, COPY, POST
constexpr double kRead = 0.0004;        // GET, HEAD
constexpr double kFree = 0;             // DELETE

std::array<Kind, 7> KindsOf(const store::StoreCounters& counters) {
  return {{{"list", counters.lists, kWriteOrList},
           {"head", counters.all.heads, kRead},
           {"open", counters.all.opens, kRead},
           {"read", counters.all.reads, kRead},
           {"put", counters.all.puts, kWriteOrList},
           {"copy", counters.all.adopts, kWriteOrList},
           {"delete", counters.deletes, kFree}}};
}

void Take(const store::S3RequestCount& sent, store::StoreCounters& out) {
  out.lists = sent.lists;
  out.deletes = sent.deletes;
  out.all.heads = sent.heads;
  out.all.opens = 0;
  out.all.reads = sent.gets;
  out.all.puts = sent.puts;
  out.all.adopts = sent.copies;
}

/// Nothing is written there.
void Take(const store::GcsRequestCount& sent, store::StoreCounters& out) {
  out.lists = sent.lists;
  out.all.heads = sent.heads;
  out.all.opens = 0;
  out.all.reads = sent.gets;
}

}  // namespace

store::StoreCounters RequestsOf(const store::MeteredObjectStore& metered) {
  store::StoreCounters out = metered.Snapshot();
  if (const auto* s3 = dynamic_cast<const store::S3ObjectStore*>(&metered.Backend())) Take(s3->client().Sent(), out);
  if (const auto* gcs = dynamic_cast<const store::GcsObjectStore*>(&metered.Backend())) Take(gcs->Sent(), out);
  return out;
}

double RequestCostUsd(const store::StoreCounters& counters) {
  double out = 0;
  for (const Kind& kind : KindsOf(counters)) out += static_cast<double>(kind.count) * kind.usd_a_thousand / 1000;
  return out;
}

OrderedJson RequestsByKind(const store::StoreCounters& counters) {
  OrderedJson out = OrderedJson::object();
  for (const Kind& kind : KindsOf(counters)) {
    if (kind.count > 0) out[std::string(kind.name)] = kind.count;
  }
  return out;
}

std::string DescribeRequests(const store::StoreCounters& counters) {
  std::string kinds;
  for (const Kind& kind : KindsOf(counters)) {
    if (kind.count == 0) continue;
    if (!kinds.empty()) kinds += ", ";
    kinds += HumanCount(static_cast<int64_t>(kind.count)) + " " + std::string(kind.name);
  }
  std::array<char, 32> cost{};
  std::snprintf(cost.data(), cost.size(), "%.6f", RequestCostUsd(counters));
  if (!kinds.empty()) kinds = " (" + kinds + ")";
  return Plural(static_cast<int64_t>(counters.requests()), "request", "requests") + kinds + ", about $" + cost.data();
}

}  // namespace tidegate::app
