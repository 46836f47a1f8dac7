#include "tidegate/deliver/plan.h"

#include <algorithm>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/deliver/source_query.h"

namespace tidegate::deliver {
namespace {

using contract::Delivery;
using contract::TableEntry;
using contract::TableMode;
using contract::TableName;
using contract::Version;

constexpr std::string_view kDailyTime = "T07:00:00Z";  // C-40
constexpr std::string_view kNotYet = "not delivered yet";
constexpr std::string_view kStateLost = "the vendor's record of what was delivered is lost";

template <typename Map>
const typename Map::mapped_type& FactsOf(const Map& map, const TableName& name) {
  static const typename Map::mapped_type kNothing{};
  const auto found = map.find(name);
  return found == map.end() ? kNothing : found->second;
}

Status CheckEntry(const TableEntry& entry) {
  for (const std::string& name : {entry.name.schema, entry.name.table}) {
    if (contract::IsName(name)) continue;
    return InvalidArgument("the catalog names a table whose schema or table name readers refuse; a name is letters, " +
                           std::string("digits, '_' and '-', and begins with a letter or digit: ") + Quoted(name));
  }
  if (entry.mode == TableMode::kFull || ChangeColumn(entry)) return Status::Ok();
  return InvalidArgument(
      "the catalog does not say when a row of " + entry.name.ToString() + " changed, so its new rows " +
      "cannot be told from the old; add changed_at = \"COLUMN\" to its entry (for a table that sends " +
      "each row once, event_time will do)");
}

Status CheckTables(const DeliveryFacts& facts) {
  std::set<TableName> seen;
  for (const TableEntry& entry : facts.tables) {
    if (facts.left_out.count(entry.name) == 0) TG_RETURN_IF_ERROR(CheckEntry(entry));
    if (!seen.insert(entry.name).second)
      return InvalidArgument("the catalog names " + entry.name.ToString() + " twice");
  }
  for (const TableName& name : facts.reseed) {
    const auto is_parts = [&](const TableEntry& e) { return e.name == name && e.mode == TableMode::kParts; };
    if (facts.left_out.count(name) == 0 && std::any_of(facts.tables.begin(), facts.tables.end(), is_parts)) continue;
    return InvalidArgument("a reseed needs a table of this delivery that comes in parts: " + Quoted(name.ToString()));
  }
  return Status::Ok();
}

Status CheckInstant(const DeliveryFacts& facts, UtcTime instant) {
  if (instant <= facts.now) return Status::Ok();
  return InvalidArgument("delivery " + facts.delivery.ToString() + " holds the data as of " + FormatRfc3339(instant) +
                         ", which has not come yet: rows would be lost; it is " + FormatRfc3339(facts.now));
}

/// Where a parts table's next rows begin.
struct Continuation {
  Window window;
  bool keeps_state = false;  // a late delivery whose rows went out with a later one
  std::optional<Delivery> reseed_from;
};

std::optional<Delivery> ReseedToTell(const BucketTable& bucket, const Delivery& delivery) {
  const State& state = *bucket.state;
  if (!state.reseed_from) return std::nullopt;
  // Its rows were never sealed: this delivery sends the whole table again, and is the reseed.
  if (!bucket.state_sealed && *state.reseed_from == state.folder.delivery) return delivery;
  return bucket.reseed_announced ? std::nullopt : state.reseed_from;
}

/// The rule of docs/formats/deliver-state.md.
Continuation ContinueFrom(const BucketTable& bucket, const Delivery& delivery, UtcTime instant) {
  if (!bucket.state) return {{std::nullopt, instant}, false, std::nullopt};
  const State& state = *bucket.state;
  const auto begin = bucket.state_sealed ? std::optional<UtcTime>(state.window.through) : state.window.from;
  const bool late = delivery < state.folder.delivery;
  if (late && (bucket.state_sealed || (begin && *begin >= instant))) return {{instant, instant}, true, std::nullopt};
  return {{begin, begin ? std::max(*begin, instant) : instant}, false, ReseedToTell(bucket, delivery)};
}

class Planner {
 public:
  Planner(const DeliveryFacts& facts, UtcTime instant, std::vector<std::string>& notes)
      : facts_(facts), instant_(instant), notes_(notes) {}

  Result<TablePlan> Plan(const TableEntry& entry) {
    const BucketTable& bucket = FactsOf(facts_.bucket, entry.name);
    TablePlan plan;
    plan.folder = {entry.name, entry.mode, facts_.delivery};
    if (bucket.sealed) return Sealed(std::move(plan), bucket);
    if (facts_.left_out.count(entry.name) != 0) return LeftOut(std::move(plan));
    const SourceTable& source = FactsOf(facts_.source, entry.name);
    if (!SourceCan(source, plan)) return plan;
    plan.action = bucket.leftovers.empty() ? Action::kWrite : Action::kFinish;
    plan.leftovers = bucket.leftovers;
    plan.query = TableQuery(entry);
    NoteReservedColumns(plan.folder, source.columns);
    if (entry.mode == TableMode::kParts) TG_RETURN_IF_ERROR(PlanParts(entry, bucket, source, plan));
    return plan;
  }

 private:
  const contract::DeliveredTable* InManifest(const TableName& name) const {
    return facts_.manifest ? facts_.manifest->FindDelivered(name) : nullptr;
  }

  Result<TablePlan> Sealed(TablePlan plan, const BucketTable& bucket) const {
    plan.action = Action::kSealed;
    const auto* told = InManifest(plan.folder.table);
    const bool is_last = bucket.state && bucket.state->folder == plan.folder;
    if (told != nullptr && told->reseed) {
      plan.reseed_from = told->reseed_from.value_or(facts_.delivery);
    } else if (is_last) {
      plan.reseed_from = bucket.state->reseed_from;
    }
    if (facts_.reseed.count(plan.folder.table) == 0 || plan.reseed_from) return plan;
    return InvalidArgument("a sealed folder is never written again; reseed the table in the next delivery: " +
                           plan.folder.Path());
  }

  static TablePlan LeftOut(TablePlan plan) {
    plan.action = Action::kLeftOut;
    plan.reason = kNotYet;
    return plan;
  }

  static void Miss(TablePlan& plan, std::string_view reason, std::string detail) {
    plan.action = Action::kMissing;
    plan.leftovers.clear();
    plan.query.clear();
    plan.reason = reason;
    plan.detail = std::move(detail);
  }

  static bool SourceCan(const SourceTable& source, TablePlan& plan) {
    if (!source.exists) {
      Miss(plan, "not in the source", "the source has no table or view of this name");
    } else if (!source.problem.ok()) {
      Miss(plan, "its query fails in the source", source.problem.message());
    } else if (const auto twin = TwinColumn(source.columns)) {
      Miss(plan, "two of its columns have the same name",
           "readers do not tell upper from lower case: " + Quoted(*twin));
    } else {
      return true;
    }
    return false;
  }

  static std::optional<std::string> TwinColumn(const std::vector<SourceColumn>& columns) {
    std::set<std::string> seen;
    for (const SourceColumn& column : columns) {
      if (!seen.insert(ToLower(column.name)).second) return column.name;
    }
    return std::nullopt;
  }

  /// C-26: readers put the folder's values in their place.
  void NoteReservedColumns(const contract::Folder& folder, const std::vector<SourceColumn>& columns) {
    const std::string prefix = folder.mode == TableMode::kFull ? "snapshot_" : "etl_";
    for (const SourceColumn& column : columns) {
      const std::string name = ToLower(column.name);
      if (name != "contract_version" && name != prefix + "date" && name != prefix + "hour") continue;
      notes_.push_back("readers replace this column by the folder's own value; give it another name: column " +
                       Quoted(column.name) + " of " + folder.table.ToString());
    }
  }

  Status PlanParts(const TableEntry& entry, const BucketTable& bucket, const SourceTable& source,
                   TablePlan& plan) const {
    const auto filter = ChangeFilter::Make(entry, source.columns);
    if (!filter.ok()) {
      Miss(plan, "its change column cannot be used", filter.status().message());
      return Status::Ok();
    }
    const bool reseed = facts_.reseed.count(entry.name) != 0;
    if (reseed) TG_RETURN_IF_ERROR(CheckReseed(plan.folder, bucket));
    if (!reseed && !StateCanBeTrusted(bucket, plan)) return Status::Ok();
    const Continuation next = reseed ? Continuation{{std::nullopt, instant_}, false, facts_.delivery}
                                     : ContinueFrom(bucket, facts_.delivery, instant_);
    plan.window = next.window;
    plan.reseed_from = next.reseed_from;
    plan.query = filter->Rows(next.window);
    if (next.window.from) plan.undated_query = filter->CountUndated();
    if (!next.keeps_state) plan.state = State{plan.folder, next.window, next.reseed_from};
    return Status::Ok();
  }

  static bool StateCanBeTrusted(const BucketTable& bucket, TablePlan& plan) {
    const std::string mend = "; put it back as docs/formats/deliver-state.md says, or reseed the table: " +
                             contract::StateKey(plan.folder.delivery.version, plan.folder.table);
    if (!bucket.state_problem.ok()) {
      Miss(plan, kStateLost, "_STATE cannot be read: " + bucket.state_problem.message() + mend);
    } else if (bucket.sealed_after_state) {
      const std::string known = bucket.state ? "_STATE is older than" : "there is no _STATE, but";
      Miss(plan, kStateLost, known + " the sealed delivery " + bucket.sealed_after_state->ToString() + mend);
    } else {
      return true;
    }
    return false;
  }

  /// The new copy is this folder and all later ones (C-35): there must be none that holds rows.
  Status CheckReseed(const contract::Folder& folder, const BucketTable& bucket) const {
    const bool unknown_later = bucket.sealed_after_state && folder.delivery < *bucket.sealed_after_state;
    const bool known_later = bucket.state && ContinueFrom(bucket, folder.delivery, instant_).keeps_state;
    if (!unknown_later && !known_later) return Status::Ok();
    return InvalidArgument("a later delivery of the table exists; a reseed has to be the newest: " + folder.Path());
  }

  const DeliveryFacts& facts_;
  const UtcTime instant_;
  std::vector<std::string>& notes_;
};

/// Entries of the manifest as it stands whose tables have left the catalog: their folders are still there.
std::vector<contract::DeliveredTable> Carried(const DeliveryFacts& facts) {
  std::vector<contract::DeliveredTable> carried;
  if (!facts.manifest) return carried;
  for (const contract::DeliveredTable& table : facts.manifest->delivered) {
    const auto same = [&](const TableEntry& entry) { return entry.name == table.table; };
    if (std::none_of(facts.tables.begin(), facts.tables.end(), same)) carried.push_back(table);
  }
  return carried;
}

Status CheckSwitch(const DeliveryFacts& facts, const DeliveryPlan& plan) {
  if (facts.delivery.version == Version::kV2 || !facts.v2_begun || NothingToDo(plan)) return Status::Ok();
  return InvalidArgument("v1 receives nothing once v2 has begun (C-14), and the destination holds keys under v2/; " +
                         std::string("deliver the next hour instead: ") + facts.delivery.ToString());
}

contract::DeliveredTable Delivered(const DeliveryPlan& plan, const TablePlan& table) {
  contract::DeliveredTable delivered;
  delivered.table = table.folder.table;
  delivered.mode = table.folder.mode;
  delivered.reseed = table.reseed_from.has_value();
  delivered.reseed_from = table.reseed_from;
  const bool hourly_part = table.folder.mode == TableMode::kParts && plan.delivery.version == Version::kV2;
  if (hourly_part) delivered.delivered_through = plan.instant;
  return delivered;
}

std::string LineOf(const TablePlan& table) {
  std::string line = std::string(ActionName(table.action)) + "  " + table.folder.Path();
  if (table.window) {
    line += "  rows changed ";
    if (table.window->from) line += "from " + FormatRfc3339(*table.window->from) + " ";
    line += "to " + FormatRfc3339(table.window->through);
  }
  if (table.reseed_from) line += "  reseed from " + table.reseed_from->ToString();
  if (!table.leftovers.empty()) line += "  deletes " + std::to_string(table.leftovers.size()) + " left-over files";
  if (!table.reason.empty()) line += "  " + table.reason;
  if (!table.detail.empty()) line += ": " + table.detail;
  return line + "\n";
}

OrderedJson ToJson(const TablePlan& table) {
  OrderedJson json;
  json["table"] = table.folder.table.ToString();
  json["folder"] = table.folder.Path();
  json["action"] = ActionName(table.action);
  if (table.window) {
    json["from"] = table.window->from ? OrderedJson(FormatRfc3339(*table.window->from)) : OrderedJson(nullptr);
    json["through"] = FormatRfc3339(table.window->through);
  }
  if (table.reseed_from) json["reseed_from"] = table.reseed_from->ToString();
  if (!table.leftovers.empty()) json["deletes"] = table.leftovers;
  if (!table.reason.empty()) json["reason"] = table.reason;
  if (!table.detail.empty()) json["detail"] = table.detail;
  return json;
}

}  // namespace

std::string_view ActionName(Action action) {
  switch (action) {
    case Action::kSealed:
      return "sealed";
    case Action::kWrite:
      return "write";
    case Action::kFinish:
      return "finish";
    case Action::kMissing:
      return "missing";
    case Action::kLeftOut:
      return "left out";
  }
  return "unknown";
}

size_t DeliveryPlan::writes() const {
  return static_cast<size_t>(
      std::count_if(tables.begin(), tables.end(), [](const TablePlan& table) { return table.writes(); }));
}

Result<UtcTime> DeliveryInstant(const Delivery& delivery, const std::optional<UtcTime>& at) {
  if (delivery.version == Version::kV2) {
    if (at) return InvalidArgument("an hourly delivery ends with the start of its hour; leave out its instant");
    return ParseRfc3339(delivery.date + "T" + delivery.hour + ":00:00Z");
  }
  if (at) return *at;
  if (delivery.is_initial()) {
    return InvalidArgument("the initial delivery has no date: say up to which instant it goes, with --at");
  }
  return ParseRfc3339(delivery.date + std::string(kDailyTime));
}

Result<DeliveryPlan> PlanDelivery(const DeliveryFacts& facts) {
  DeliveryPlan plan;
  plan.delivery = facts.delivery;
  plan.manifest_text = facts.manifest_text;
  plan.notes = facts.notes;
  TG_ASSIGN_OR_RETURN(plan.instant, DeliveryInstant(facts.delivery, facts.at));
  TG_RETURN_IF_ERROR(CheckInstant(facts, plan.instant));
  TG_RETURN_IF_ERROR(CheckTables(facts));
  Planner planner(facts, plan.instant, plan.notes);
  for (const TableEntry& entry : facts.tables) {
    if (facts.delivery.is_initial() && entry.mode == TableMode::kFull) continue;
    TG_ASSIGN_OR_RETURN(TablePlan table, planner.Plan(entry));
    plan.tables.push_back(std::move(table));
  }
  std::sort(plan.tables.begin(), plan.tables.end(),
            [](const TablePlan& a, const TablePlan& b) { return a.folder.table < b.folder.table; });
  plan.carried = Carried(facts);
  TG_RETURN_IF_ERROR(CheckSwitch(facts, plan));
  return plan;
}

contract::Manifest ManifestOf(const DeliveryPlan& plan, const std::map<TableName, std::string>& failed) {
  contract::Manifest manifest;
  manifest.delivery = plan.delivery;
  manifest.delivered = plan.carried;
  for (const TablePlan& table : plan.tables) {
    const auto failure = failed.find(table.folder.table);
    if (failure != failed.end()) {
      manifest.missing.push_back({table.folder.table, failure->second});
    } else if (table.writes() || table.action == Action::kSealed) {
      manifest.delivered.push_back(Delivered(plan, table));
    } else {
      manifest.missing.push_back({table.folder.table, table.reason});
    }
  }
  manifest.complete = manifest.missing.empty();
  return manifest;
}

bool NothingToDo(const DeliveryPlan& plan) {
  if (plan.writes() != 0) return false;
  return !plan.has_manifest() || contract::WriteManifest(ManifestOf(plan, {})) == plan.manifest_text;
}

std::string PrintPlan(const DeliveryPlan& plan) {
  std::string text = "delivery " + plan.delivery.ToString() + ", the data as of " + FormatRfc3339(plan.instant) + "\n";
  for (const TablePlan& table : plan.tables) text += LineOf(table);
  for (const std::string& note : plan.notes) text += note + "\n";
  if (NothingToDo(plan)) text += "nothing to do\n";
  return text;
}

OrderedJson ToJson(const DeliveryPlan& plan) {
  OrderedJson json;
  json["delivery"] = plan.delivery.ToString();
  json["data_as_of"] = FormatRfc3339(plan.instant);
  json["nothing_to_do"] = NothingToDo(plan);
  json["tables"] = OrderedJson::array();
  for (const TablePlan& table : plan.tables) json["tables"].push_back(ToJson(table));
  json["notes"] = plan.notes;
  return json;
}

}  // namespace tidegate::deliver
