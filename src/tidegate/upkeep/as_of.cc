#include "tidegate/upkeep/as_of.h"

#include <string>

#include "tidegate/base/text.h"
#include "tidegate/base/time.h"
#include "tidegate/ingest/checkpoint.h"

namespace tidegate::upkeep {

using contract::Delivery;
using contract::Version;

Result<Delivery> ParseTypedDelivery(std::string_view text) {
  constexpr size_t kDateLength = 10;
  if (IsDate(text)) return Delivery{Version::kV1, std::string(text), ""};
  const std::string_view date = text.substr(0, kDateLength);
  const std::string_view rest = text.substr(date.size());
  if (IsDate(date) && rest.starts_with('T') && IsHour(rest.substr(1))) {
    return Delivery{Version::kV2, std::string(date), std::string(rest.substr(1))};
  }
  auto delivery = contract::ParseDelivery(text);
  if (delivery.ok()) return delivery;
  return InvalidArgument(
      "a delivery is written YYYY-MM-DDTHH or v2/YYYY-MM-DD/HH (an hour, v2), YYYY-MM-DD or v1/YYYY-MM-DD (a day, v1), "
      "with a day of the calendar and an hour from 00 to 23: " +
      Quoted(text));
}

Result<std::optional<int64_t>> SnapshotAsOf(const table::TableMetadata& metadata, const Delivery& at) {
  const auto ancestry = metadata.Ancestry();
  std::string oldest = "none";
  const table::Snapshot* newest_of_state = nullptr;  // a commit of another tool, or the one with the checkpoint
  for (const table::Snapshot* snapshot : ancestry) {
    if (newest_of_state == nullptr) newest_of_state = snapshot;
    TG_ASSIGN_OR_RETURN(const auto checkpoint, ingest::FromSummary(snapshot->summary));
    if (!checkpoint) continue;
    if (checkpoint->applied.empty() || checkpoint->applied.Max() <= at) {
      return std::optional<int64_t>(newest_of_state->snapshot_id);
    }
    oldest = checkpoint->applied.Max().ToString();
    newest_of_state = nullptr;
  }
  if (ancestry.empty() || !ancestry.back()->parent_id) return std::optional<int64_t>();
  return NotFound("its state as of " + at.ToString() + " was expired: the oldest state that is still there is as of " +
                  oldest);
}

}  // namespace tidegate::upkeep
