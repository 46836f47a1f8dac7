#include "tidegate/ingest/checkpoint.h"

#include <algorithm>
#include <cstdint>

#include "tidegate/base/text.h"
#include "tidegate/contract/schedule.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::Version;

constexpr std::string_view kFormat = "1";
constexpr const char* kFormatKey = "tidegate.checkpoint";
constexpr const char* kVersionKey = "tidegate.contract-version";
constexpr const char* kModeKey = "tidegate.mode";
constexpr const char* kAppliedKey = "tidegate.applied";
constexpr const char* kFingerprintsKey = "tidegate.fingerprints";
constexpr const char* kThroughKey = "tidegate.delivered-through";
constexpr const char* kReseedKey = "tidegate.reseed";
constexpr const char* kFencedKey = "tidegate.fenced";
constexpr const char* kSkippedKey = "tidegate.skipped";
constexpr const char* kGapsKey = "tidegate.gaps";
constexpr const char* kColumnsKey = "tidegate.columns";
constexpr std::string_view kColumnsKept = "kept";
constexpr const char* kSwitchedKey = "tidegate.switched-at";

std::string FingerprintsToText(const std::map<Delivery, std::string>& fingerprints) {
  std::string out;
  for (const auto& [delivery, print] : fingerprints) {
    if (!out.empty()) out += ' ';
    out += delivery.ToString() + "=" + print;
  }
  return out;
}

Status ReadFingerprints(std::string_view text, std::map<Delivery, std::string>& out) {
  if (text.empty()) return {};
  for (const std::string_view part : Split(text, ' ')) {
    const size_t at = part.rfind('=');
    if (at == std::string_view::npos) return Corruption("no '=' in " + Quoted(part));
    TG_ASSIGN_OR_RETURN(const Delivery delivery, contract::ParseDelivery(part.substr(0, at)));
    out[delivery] = std::string(part.substr(at + 1));
  }
  return {};
}

Result<Checkpoint> ReadFields(const std::map<std::string, std::string>& summary) {
  const auto field = [&](const char* key) {
    const auto it = summary.find(key);
    return it == summary.end() ? std::string_view() : std::string_view(it->second);
  };
  Checkpoint out;
  out.version = field(kVersionKey) == "v2" ? Version::kV2 : Version::kV1;
  out.mode = field(kModeKey) == "parts" ? contract::TableMode::kParts : contract::TableMode::kFull;
  TG_ASSIGN_OR_RETURN(out.applied, DeliverySet::Parse(field(kAppliedKey)));
  TG_RETURN_IF_ERROR(ReadFingerprints(field(kFingerprintsKey), out.fingerprints));
  if (!field(kThroughKey).empty()) {
    TG_ASSIGN_OR_RETURN(out.delivered_through, ParseRfc3339(field(kThroughKey)));
  }
  if (!field(kReseedKey).empty()) {
    TG_ASSIGN_OR_RETURN(out.reseed, Reseed::Parse(field(kReseedKey)));
  }
  TG_ASSIGN_OR_RETURN(out.fenced, DeliverySet::Parse(field(kFencedKey)));
  TG_ASSIGN_OR_RETURN(out.skipped, DeliverySet::Parse(field(kSkippedKey)));
  TG_ASSIGN_OR_RETURN(out.gaps, DeliverySet::Parse(field(kGapsKey)));
  out.columns_kept = field(kColumnsKey) == kColumnsKept;
  if (!field(kSwitchedKey).empty()) {
    TG_ASSIGN_OR_RETURN(out.switched_at, ParseRfc3339(field(kSwitchedKey)));
  }
  return out;
}

}  // namespace

void DeliverySet::Insert(const Delivery& delivery) {
  if (Contains(delivery)) return;
  const bool lone = delivery.is_initial();
  Delivery first = delivery;
  Delivery last = delivery;
  auto after = ranges_.upper_bound(delivery);
  if (!lone && after != ranges_.begin()) {
    const auto before = std::prev(after);
    if (!before->second.is_initial() && before->second.version == delivery.version &&
        Next(before->second) == delivery) {
      first = before->first;
      ranges_.erase(before);
    }
  }
  if (!lone && after != ranges_.end() && Next(delivery) == after->first) {
    last = after->second;
    ranges_.erase(after);
  }
  ranges_.emplace(std::move(first), std::move(last));
}

bool DeliverySet::Contains(const Delivery& delivery) const {
  const auto after = ranges_.upper_bound(delivery);
  return after != ranges_.begin() && delivery <= std::prev(after)->second;
}

std::vector<Delivery> DeliverySet::FirstWhere(const std::function<bool(const Delivery&)>& wanted, size_t most) const {
  std::vector<Delivery> out;
  for (const auto& [first, last] : ranges_) {
    for (Delivery delivery = first; out.size() < most; delivery = Next(delivery)) {
      if (wanted(delivery)) out.push_back(delivery);
      if (delivery == last) break;
    }
  }
  return out;
}

DeliverySet DeliverySet::Where(const std::function<bool(const Delivery&)>& wanted) const {
  DeliverySet out;
  for (const Delivery& delivery : FirstWhere(wanted, SIZE_MAX)) out.Insert(delivery);
  return out;
}

std::string DeliverySet::ToString() const {
  std::string out;
  for (const auto& [first, last] : ranges_) {
    if (!out.empty()) out += ' ';
    out += first.ToString();
    if (first != last) out += ".." + last.ToString();
  }
  return out;
}

Result<DeliverySet> DeliverySet::Parse(std::string_view text) {
  DeliverySet out;
  if (text.empty()) return out;
  for (const std::string_view part : Split(text, ' ')) {
    const size_t dots = part.find("..");
    TG_ASSIGN_OR_RETURN(const Delivery first, contract::ParseDelivery(part.substr(0, dots)));
    Delivery last = first;
    if (dots != std::string_view::npos) {
      TG_ASSIGN_OR_RETURN(last, contract::ParseDelivery(part.substr(dots + 2)));
    }
    const bool ordered = first <= last && first.version == last.version && (first == last || !first.is_initial());
    const bool apart = out.ranges_.empty() || out.Max() < first;
    if (!ordered || !apart) return Corruption("ranges of deliveries out of order at " + Quoted(part));
    out.ranges_.emplace(first, last);
  }
  return out;
}

std::map<std::string, std::string> ToSummary(const Checkpoint& checkpoint) {
  std::map<std::string, std::string> out;
  out[kFormatKey] = kFormat;
  out[kVersionKey] = contract::VersionName(checkpoint.version);
  out[kModeKey] = contract::ModeName(checkpoint.mode);
  out[kAppliedKey] = checkpoint.applied.ToString();
  if (!checkpoint.fingerprints.empty()) out[kFingerprintsKey] = FingerprintsToText(checkpoint.fingerprints);
  if (checkpoint.delivered_through) out[kThroughKey] = FormatRfc3339(*checkpoint.delivered_through);
  if (checkpoint.reseed) out[kReseedKey] = checkpoint.reseed->ToString();
  if (!checkpoint.fenced.empty()) out[kFencedKey] = checkpoint.fenced.ToString();
  if (!checkpoint.skipped.empty()) out[kSkippedKey] = checkpoint.skipped.ToString();
  if (!checkpoint.gaps.empty()) out[kGapsKey] = checkpoint.gaps.ToString();
  if (checkpoint.columns_kept) out[kColumnsKey] = kColumnsKept;
  if (checkpoint.switched_at) out[kSwitchedKey] = FormatRfc3339(*checkpoint.switched_at);
  return out;
}

Result<std::optional<Checkpoint>> FromSummary(const std::map<std::string, std::string>& summary) {
  const auto format = summary.find(kFormatKey);
  if (format == summary.end()) return std::optional<Checkpoint>();
  if (format->second != kFormat) {
    return Unsupported("the lake was written by a newer tidegate (checkpoint format " + Quoted(format->second) +
                       ", this one reads " + std::string(kFormat) + "): install that version");
  }
  auto fields = ReadFields(summary);
  if (!fields.ok()) return Corruption("the checkpoint of the table cannot be read: " + fields.status().message());
  return std::optional<Checkpoint>(*std::move(fields));
}

void TrimFingerprints(Checkpoint& checkpoint, size_t keep, bool of_v1) {
  const auto is_v2 = [](const auto& entry) { return entry.first.version == Version::kV2; };
  auto& prints = checkpoint.fingerprints;
  if (!of_v1) std::erase_if(prints, [&](const auto& entry) { return !is_v2(entry); });
  size_t count = static_cast<size_t>(std::count_if(prints.begin(), prints.end(), is_v2));
  for (auto it = prints.begin(); it != prints.end() && count > keep;) {
    if (!is_v2(*it)) {
      ++it;
      continue;
    }
    it = prints.erase(it);
    --count;
  }
}

}  // namespace tidegate::ingest
