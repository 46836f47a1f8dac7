#include "tidegate/thaw/restore_plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "tidegate/base/text.h"

namespace tidegate::thaw {
namespace {

using store::ArchiveState;

constexpr const char* kGlacier = "GLACIER";
constexpr const char* kDeepArchive = "DEEP_ARCHIVE";

/// List prices of us-east-1, in US dollars, and how long it usually takes.
struct Price {
  const char* storage_class;
  Tier tier;
  double a_gigabyte;
  double a_thousand_requests;
  const char* takes;
  int hours_at_most;  // to find the longest
};

constexpr std::array<Price, 5> kPrices = {{{kGlacier, Tier::kExpedited, 0.03, 10.0, "1 to 5 minutes", 1},
                                           {kGlacier, Tier::kStandard, 0.01, 0.05, "3 to 5 hours", 5},
                                           {kGlacier, Tier::kBulk, 0, 0, "5 to 12 hours", 12},
                                           {kDeepArchive, Tier::kStandard, 0.02, 0.10, "up to 12 hours", 12},
                                           {kDeepArchive, Tier::kBulk, 0.0025, 0.025, "up to 48 hours", 48}}};

constexpr double kStandardAGigabyteMonth = 0.023;
constexpr double kDaysAMonth = 30;
constexpr double kBytesAGigabyte = 1 << 30;

/// Null for a class that is not known here, such as INTELLIGENT_TIERING, whose archive costs nothing to leave.
const Price* PriceOf(const store::ObjectInfo& object, Tier wanted) {
  const Tier tier = TierOf(object, wanted);
  const auto* found = std::find_if(kPrices.begin(), kPrices.end(), [&](const Price& price) {
    return object.storage_class == price.storage_class && price.tier == tier;
  });
  return found == kPrices.end() ? nullptr : found;
}

void AddCost(const Price& price, const store::ObjectInfo& object, int days, Cost& to) {
  const double gigabytes = static_cast<double>(object.size_bytes) / kBytesAGigabyte;
  to.retrieval += gigabytes * price.a_gigabyte;
  to.requests += price.a_thousand_requests / 1000;
  to.temporary_copy += gigabytes * kStandardAGigabyteMonth * days / kDaysAMonth;
}

std::string Dollars(double amount) {
  if (amount > 0 && amount < 0.01) return "less than $0.01";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "$%.2f", amount);
  return text.data();
}

std::string LineOf(const TableRestore& table) {
  std::string out =
      "  " + table.table + ": " + Plural(table.objects, "object", "objects") + ", " + HumanBytes(table.bytes);
  if (table.thawing > 0) out += "; " + HumanCount(table.thawing) + " asked for already";
  if (table.thawed > 0) out += "; " + HumanCount(table.thawed) + " readable by now";
  return out + "\n";
}

}  // namespace

std::string_view TierName(Tier tier) {
  switch (tier) {
    case Tier::kBulk:
      return "Bulk";
    case Tier::kStandard:
      return "Standard";
    case Tier::kExpedited:
      return "Expedited";
  }
  return "Bulk";
}

Result<Tier> ParseTier(std::string_view text) {
  for (const Tier tier : {Tier::kBulk, Tier::kStandard, Tier::kExpedited}) {
    if (ToLower(text) == ToLower(TierName(tier))) return tier;
  }
  return InvalidArgument("a tier is bulk, standard or expedited, not " + Quoted(text));
}

Tier TierOf(const store::ObjectInfo& object, Tier wanted) {
  return object.storage_class == kDeepArchive && wanted == Tier::kExpedited ? Tier::kStandard : wanted;
}

uint64_t RestorePlan::bytes() const {
  uint64_t out = 0;
  for (const ColdObject& cold : ask) out += cold.object.size_bytes;
  return out;
}

RestorePlan PlanRestore(const std::vector<ColdObject>& objects, Tier tier, int days) {
  RestorePlan out{.tier = tier, .days = days};
  std::map<std::string, TableRestore> tables;
  int longest = 0;
  for (const ColdObject& cold : objects) {
    if (cold.object.archive == ArchiveState::kReadable) continue;
    TableRestore& table = tables[cold.table];
    if (cold.object.archive == ArchiveState::kThawing) {
      ++table.thawing;
      out.thawing.push_back(cold);
    } else if (cold.object.archive == ArchiveState::kThawed) {
      ++table.thawed;
    } else {
      ++table.objects;
      table.bytes += cold.object.size_bytes;
      out.ask.push_back(cold);
      if (TierOf(cold.object, tier) != tier) ++out.not_expedited;
      const Price* price = PriceOf(cold.object, tier);
      if (price == nullptr) continue;
      AddCost(*price, cold.object, days, out.cost);
      if (price->hours_at_most > longest) {
        longest = price->hours_at_most;
        out.usually_takes = price->takes;
      }
    }
  }
  for (auto& [name, table] : tables) {
    table.table = name;
    out.tables.push_back(std::move(table));
  }
  return out;
}

std::string Describe(const RestorePlan& plan) {
  std::string out;
  for (const TableRestore& table : plan.tables) out += LineOf(table);
  if (plan.ask.empty()) {
    if (plan.tables.empty()) return "nothing lies in cold storage that is needed\n";
    if (plan.thawing.empty()) return out + "nothing to ask for: all of it can be read by now\n";
    return out + "nothing to ask for: " + Plural(std::ssize(plan.thawing), "object is", "objects are") +
           " being restored\n";
  }
  out += "to ask for: " + Plural(std::ssize(plan.ask), "object", "objects") + ", " + HumanBytes(plan.bytes()) +
         ", readable for " + Plural(plan.days, "day", "days") + ", tier " + std::string(TierName(plan.tier)) + "\n";
  if (plan.not_expedited > 0) {
    out += "  " + HumanCount(plan.not_expedited) +
           " of them lie in DEEP_ARCHIVE, which has no tier Expedited: they are asked for as Standard\n";
  }
  out += "about " + Dollars(plan.cost.total()) + " by the list prices of us-east-1: retrieval " +
         Dollars(plan.cost.retrieval) + ", requests " + Dollars(plan.cost.requests) + ", the temporary copy " +
         Dollars(plan.cost.temporary_copy) + "\n";
  if (!plan.usually_takes.empty()) out += "usually takes " + plan.usually_takes + "\n";
  return out;
}

}  // namespace tidegate::thaw
