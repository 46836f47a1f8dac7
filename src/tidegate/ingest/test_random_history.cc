#include "tidegate/ingest/test_random_history.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

#include "tidegate/ingest/test_model.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::TableMode;
using contract::Version;
using Kind = HistoryStep::Kind;

const std::vector<std::string> kDays = {"2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"};
const std::vector<std::pair<std::string, std::string>> kHours = {
    {"2026-11-03", "03"}, {"2026-11-03", "09"}, {"2026-11-03", "10"}, {"2026-11-03", "23"}, {"2026-11-04", "00"}};

class Generator {
 public:
  explicit Generator(uint64_t seed) : engine_(seed) {}

  BucketHistory Make() {
    with_v2_ = Chance(60);
    rewrites_ = !with_v2_ && Chance(50);  // C-14: after the switch v1 no longer changes
    const size_t tables = 1 + Pick(2);
    for (size_t i = 0; i < tables; ++i) history_.tables.push_back(MakeTable(i));
    MakeManifests();
    MakeSteps();
    return std::move(history_);
  }

 private:
  size_t Pick(size_t below) { return static_cast<size_t>(engine_() % below); }
  bool Chance(unsigned percent) { return Pick(100) < percent; }
  template <typename T>
  const T& OneOf(const std::vector<T>& list) {
    return list[Pick(list.size())];
  }
  template <typename T>
  void Shuffle(std::vector<T>& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[Pick(i)]);
  }

  // ---- tables and folders

  HistoryTable MakeTable(size_t number) {
    HistoryTable table;
    table.entry.name = {"shop", "t" + std::to_string(number)};
    table.entry.mode = Chance(20) ? TableMode::kFull : TableMode::kParts;
    MakeColumns(table);
    if (table.entry.mode == TableMode::kParts) MakeEntry(table);
    MakeFolders(table);
    return table;
  }

  void MakeColumns(HistoryTable& table) {
    const std::vector<ValueKind> kinds = {ValueKind::kInt,    ValueKind::kInt,  ValueKind::kText, ValueKind::kDecimal,
                                          ValueKind::kBinary, ValueKind::kDate, ValueKind::kTime, ValueKind::kFloat};
    table.columns = {
        {"k1", OneOf(kinds)},    {"k2", OneOf(kinds)},       {"n", ValueKind::kInt},           {"f", ValueKind::kFloat},
        {"t", ValueKind::kTime}, {"d", ValueKind::kDecimal}, {"Added later", ValueKind::kText}};
    if (Chance(10)) {
      const std::vector<std::string> reserved = {"ETL_date", "snapshot_date", "contract_version"};
      table.columns.push_back({OneOf(reserved), ValueKind::kText});
    }
  }

  void MakeEntry(HistoryTable& table) {
    contract::TableEntry& entry = table.entry;
    if (Chance(30)) {
      entry.append_only = true;
      table.in_catalog = Chance(50);
      return;
    }
    entry.key = {"k1"};
    if (Chance(40)) entry.key.push_back("k2");
    if (Chance(50)) entry.version_column = OneOf<std::string>({"n", "f", "d"});
    if (Chance(50)) entry.event_time = "t";
  }

  void MakeFolders(HistoryTable& table) {
    const unsigned density = Chance(50) ? 50 : 80;
    const auto add = [&](const Delivery& delivery) {
      if (Chance(density)) table.folders.push_back(MakeFolder(table, delivery));
    };
    if (table.entry.mode == TableMode::kParts) add({Version::kV1, std::string(contract::kInitial), ""});
    for (const std::string& day : kDays) add({Version::kV1, day, ""});
    if (!with_v2_) return;
    for (const auto& [day, hour] : kHours) add({Version::kV2, day, hour});
  }

  HistoryFolder MakeFolder(const HistoryTable& table, const Delivery& delivery) {
    HistoryFolder folder;
    folder.id = next_id_++;
    folder.delivery = delivery;
    const std::string day = delivery.is_initial() ? OneOf(kDays) : delivery.date;
    folder.sealed_at = *ParseRfc3339((delivery.is_initial() && Chance(50) ? "2026-10-20" : day) +
                                     (Chance(50) ? "T00:00:00Z" : "T07:00:00Z"));
    folder.contents.push_back(MakeContent(table, delivery));
    if (rewrites_ && Chance(30)) folder.contents.push_back(MakeContent(table, delivery));
    return folder;
  }

  FolderContent MakeContent(const HistoryTable& table, const Delivery& delivery) {
    const std::vector<std::string> names = {"0000_part_00.parquet", "0000_part_01.parquet", "0001_part_00.parquet",
                                            "a b.parquet", "Z.parquet"};
    FolderContent content;
    const size_t files = Chance(12) ? 0 : 1 + Pick(2);
    std::vector<std::string> left = names;
    for (size_t i = 0; i < files; ++i) {
      const size_t at = Pick(left.size());
      content.files.push_back(MakeFile(table, left[at], delivery.version == Version::kV2));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return content;
  }

  HistoryFile MakeFile(const HistoryTable& table, const std::string& name, bool late) {
    HistoryFile file;
    file.name = name;
    const unsigned wide = Chance(50) ? 20 : 80;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const bool is_key = table.columns[i].name == "k1" || table.columns[i].name == "k2";
      const bool is_new = table.columns[i].name == "Added later";
      if (!is_key && !Chance(is_new && !late ? 10 : 75)) continue;
      file.columns.push_back({i, Chance(wide) ? Pick(WidthsOf(table.columns[i].kind)) : 0});
    }
    Shuffle(file.columns);
    const size_t rows = Pick(5);
    for (size_t i = 0; i < rows; ++i) file.rows.push_back(MakeRow(table, file));
    return file;
  }

  std::vector<Cell> MakeRow(const HistoryTable& table, const HistoryFile& file) {
    std::vector<Cell> row;
    for (const StoredColumn& stored : file.columns) {
      const std::string& name = table.columns[stored.column].name;
      const bool is_key = name == "k1" || name == "k2";
      if (Chance(is_key ? 8 : 20))
        row.emplace_back();
      else
        row.emplace_back(static_cast<int>(Pick(is_key ? 4 : name == "t" ? 3 : 10)));
    }
    return row;
  }

  // ---- manifests

  std::set<Delivery> Deliveries() const {
    std::set<Delivery> out;
    for (const HistoryTable& table : history_.tables) {
      for (const HistoryFolder& folder : table.folders) {
        if (!folder.delivery.is_initial()) out.insert(folder.delivery);
      }
    }
    for (const std::string& day : kDays) out.insert({Version::kV1, day, ""});
    return out;
  }

  void MakeManifests() {
    for (const Delivery& delivery : Deliveries()) {
      if (Chance(25)) continue;
      HistoryManifest manifest;
      manifest.id = next_id_++;
      manifest.contents.push_back({delivery, true, {}, {}, {}});
      for (const HistoryTable& table : history_.tables) Mention(table, manifest.contents[0]);
      if (!manifest.contents[0].delivered.empty() && Chance(10)) {  // C-33: written again when a late table lands
        manifest.contents.insert(manifest.contents.begin(), manifest.contents[0]);
        manifest.contents[0].delivered.pop_back();
      }
      history_.manifests.push_back(std::move(manifest));
    }
    for (const HistoryTable& table : history_.tables) {
      if (table.entry.mode == TableMode::kParts && Chance(40)) MakeReseeds(table);
    }
  }

  void Mention(const HistoryTable& table, contract::Manifest& manifest) {
    const bool delivered = std::any_of(table.folders.begin(), table.folders.end(), [&](const HistoryFolder& folder) {
      return folder.delivery == manifest.delivery;
    });
    if (!Chance(delivered ? 90 : 10)) return;
    contract::DeliveredTable mention;
    mention.table = table.entry.name;
    mention.mode = table.entry.mode;
    if (table.entry.mode == TableMode::kParts && manifest.delivery.version == Version::kV2 && Chance(80)) {
      mention.delivered_through = *ParseRfc3339(manifest.delivery.date + "T" + manifest.delivery.hour + ":00:00Z");
    }
    manifest.delivered.push_back(std::move(mention));
  }

  void MakeReseeds(const HistoryTable& table) {
    bool before = false;
    for (HistoryManifest& manifest : history_.manifests) {
      const bool flagged = Chance(before ? 40 : 20);
      const auto from = flagged && !before && Chance(20) ? From(manifest.contents[0].delivery) : std::nullopt;
      bool mentioned = false;
      for (contract::Manifest& content : manifest.contents) {
        for (contract::DeliveredTable& delivered : content.delivered) {
          if (delivered.table != table.entry.name) continue;
          mentioned = true;
          delivered.reseed = flagged;
          delivered.reseed_from = from;
        }
      }
      if (mentioned) before = flagged;
    }
  }

  /// The first folder of the new copy: some folder before R.
  std::optional<Delivery> From(const Delivery& at) {
    std::vector<Delivery> earlier;
    for (const Delivery& delivery : Deliveries()) {
      if (delivery < at) earlier.push_back(delivery);
    }
    if (earlier.empty()) return std::nullopt;
    return OneOf(earlier);
  }

  // ---- the order of things

  void MakeSteps() {
    std::vector<HistoryStep> shown;
    for (HistoryTable& table : history_.tables) {
      for (HistoryFolder& folder : table.folders) {
        if (!rewrites_ && Chance(6)) BreakAtFirst(folder);
        const bool sealed = !Chance(5);
        shown.push_back({Kind::kFiles, folder.id});
        if (sealed) shown.push_back({Kind::kSeal, folder.id});
        for (size_t i = 1; sealed && i < folder.contents.size(); ++i) shown.push_back({Kind::kReplace, folder.id});
      }
    }
    std::vector<HistoryStep> told;
    for (const HistoryManifest& manifest : history_.manifests) {
      told.insert(told.end(), manifest.contents.size(), {Kind::kManifest, manifest.id});
    }
    history_.steps = InSomeOrder(shown, told, /*told_first=*/false);
    if (!EndsTheSameInAnyOrder(history_)) history_.steps = InSomeOrder(shown, told, /*told_first=*/true);
    AddRuns();
  }

  void BreakAtFirst(HistoryFolder& folder) {
    FolderContent broken = folder.contents[0];
    broken.broken = true;
    if (broken.files.empty()) return;
    folder.contents.insert(folder.contents.begin(), std::move(broken));
    if (Chance(30)) folder.contents.pop_back();  // never mended
  }

  /// Any order in which the steps of one folder, and of one manifest, stay in theirs.
  std::vector<HistoryStep> InSomeOrder(const std::vector<HistoryStep>& shown, const std::vector<HistoryStep>& told,
                                       bool told_first) {
    std::vector<HistoryStep> all = told;
    all.insert(all.end(), shown.begin(), shown.end());
    const bool nearly_in_order = Chance(30);
    std::vector<std::pair<size_t, HistoryStep>> slots;
    for (size_t i = 0; i < all.size(); ++i) slots.emplace_back(nearly_in_order ? i + Pick(6) : Pick(1'000), all[i]);
    std::stable_sort(slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::map<int, std::vector<HistoryStep>> left;  // by id, the last first
    for (auto it = all.rbegin(); it != all.rend(); ++it) left[it->id].push_back(*it);
    std::vector<HistoryStep> out;
    for (const auto& [slot, step] : slots) {
      out.push_back(left[step.id].back());
      left[step.id].pop_back();
    }
    if (told_first) {
      std::stable_partition(out.begin(), out.end(), [](const auto& step) { return step.kind == Kind::kManifest; });
    }
    return out;
  }

  void AddRuns() {
    const unsigned often = OneOf<unsigned>({5, 15, 40});
    std::vector<HistoryStep> out;
    for (const HistoryStep& step : history_.steps) {
      out.push_back(step);
      while (Chance(often)) out.push_back({Kind::kRun, 0, Chance(50) ? std::optional(MakeFault()) : std::nullopt});
    }
    history_.steps = std::move(out);
  }

  RunFault MakeFault() {
    RunFault fault;
    fault.of_lake = Chance(80);
    fault.plan.fail_at = 1 + Pick(Chance(50) ? 30 : 120);
    fault.plan.mode = OneOf<store::FaultMode>({store::FaultMode::kErrorOnce, store::FaultMode::kErrorFromThenOn,
                                               store::FaultMode::kReplyLost, store::FaultMode::kCrash});
    fault.power_loss = Chance(40);
    return fault;
  }

  std::mt19937_64 engine_;
  BucketHistory history_;
  bool with_v2_ = false;
  bool rewrites_ = false;
  int next_id_ = 1;
};

}  // namespace

BucketHistory RandomHistory(uint64_t seed) {
  for (;; seed += uint64_t{1} << 32) {  // few are passed over
    BucketHistory history = Generator(seed).Make();
    if (EndsTheSameInAnyOrder(history)) return history;
  }
}

}  // namespace tidegate::ingest
