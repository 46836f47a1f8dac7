#include "tidegate/ingest/supersede.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "tidegate/parquet/test_rows.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::Version;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const Delivery kInitial{Version::kV1, std::string(contract::kInitial), ""};
const Delivery kDay{Version::kV1, "2026-11-02", ""};
const Delivery kHour3{Version::kV2, "2026-11-03", "03"};
const Delivery kHour9{Version::kV2, "2026-11-03", "09"};
const Delivery kHour10{Version::kV2, "2026-11-03", "10"};

/// A table under test: folders arrive in runs, deleted rows are kept between them. A row is named "file:row".
class Table {
 public:
  explicit Table(std::vector<std::string> key = {"a"}, std::vector<std::string> order = {"v", "t"})
      : key_(std::move(key)), order_(std::move(order)) {}

  struct NewFile {
    std::string name;
    std::string rows;  // JSON rows of a, b, v, t
  };
  struct NewFolder {
    Delivery delivery;
    std::vector<NewFile> files;
  };

  /// One run over some new folders.
  void Apply(std::vector<NewFolder> folders) {
    std::sort(folders.begin(), folders.end(), [](const auto& a, const auto& b) { return b.delivery < a.delivery; });
    Supersede supersede(key_, order_);
    const size_t existing = files_.size();
    last_ = {};
    for (const NewFolder& folder : folders) {
      auto keys = supersede.Prepare(folder.delivery, AddFiles(folder));
      ASSERT_TRUE(keys.ok()) << keys.status().ToString();
      last_.repeats += keys->repeats.size();
      last_.null_keys += keys->null_keys.size();
      last_.rows_in += keys->rows_in;
      supersede.AddFolder(*std::move(keys));
    }
    for (size_t i = 0; i < existing; ++i) ScanExisting(supersede, i);
    for (const auto& [number, rows] : supersede.DeadRows()) files_[number].dead.insert(rows.begin(), rows.end());
  }

  std::set<std::string> Live() const {
    std::set<std::string> out;
    for (const File& file : files_) {
      for (int64_t row = 0; row < file.row_count; ++row) {
        if (!file.dead.contains(row)) out.insert(file.name + ":" + std::to_string(row));
      }
    }
    return out;
  }

  struct Counts {
    size_t repeats = 0, null_keys = 0;
    int64_t rows_in = 0;
  };
  const Counts& last() const { return last_; }
  /// How often the rows deleted so far were asked for.
  int dead_asked() const { return dead_asked_; }

 private:
  struct File {
    std::string name;
    Delivery delivery;
    int64_t row_count = 0;
    std::set<int64_t> dead;
  };

  std::vector<KeyFile> AddFiles(const NewFolder& folder) {
    std::vector<KeyFile> out;
    for (const NewFile& file : folder.files) {
      const auto number = static_cast<uint32_t>(files_.size());
      const std::string bytes = parquet::MakeRows(
          {{"a", arrow::utf8()}, {"b", arrow::utf8()}, {"v", arrow::int64()}, {"t", arrow::float64()}}, file.rows);
      EXPECT_TRUE(store_.Put(file.name, bytes, store::PutMode::kCreateOnly).ok());
      const auto rows = static_cast<int64_t>(parquet::RowsAsText(bytes, {"a"}).size());
      files_.push_back({file.name, folder.delivery, rows, {}});
      out.push_back({number, file.name, [this, name = file.name] { return store::OpenCurrent(store_, name); }});
    }
    return out;
  }

  void ScanExisting(Supersede& supersede, size_t i) {
    const File& file = files_[i];
    const KeyFile key_file{static_cast<uint32_t>(i), file.name,
                           [this, name = file.name] { return store::OpenCurrent(store_, name); }};
    const Status status = supersede.ScanExisting(file.delivery, key_file, [&]() -> Result<std::vector<int64_t>> {
      ++dead_asked_;
      return std::vector<int64_t>(file.dead.begin(), file.dead.end());
    });
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  std::vector<std::string> key_, order_;
  store::MemoryObjectStore store_;
  std::vector<File> files_;
  Counts last_;
  int dead_asked_ = 0;
};

TEST(SupersedeTest, TheNewestFolderWinsWhateverTheOrderOfArrival) {  // C-20, C-21
  // The older the folder, the greater its version column: between folders that counts for nothing.
  const std::vector<Table::NewFolder> folders = {{kInitial, {{"i", R"([["k", null, 4, 4.0]])"}}},
                                                 {kDay, {{"d", R"([["k", null, 3, 3.0]])"}}},
                                                 {kHour3, {{"3", R"([["k", null, 2, 2.0]])"}}},
                                                 {kHour9, {{"9", R"([["k", null, 1, 1.0]])"}}}};
  std::vector<size_t> order = {0, 1, 2, 3};
  do {
    Table table;
    for (const size_t i : order) table.Apply({folders[i]});
    EXPECT_THAT(table.Live(), ElementsAre("9:0")) << testing::PrintToString(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SupersedeTest, FoldersOfOneRunComeInTheOrderOfTheContract) {  // C-20
  Table table;
  table.Apply({{kHour10, {{"10", R"([["k", null, 1, 1.0]])"}}},
               {kInitial, {{"i", R"([["k", null, 9, 9.0], ["only here", null, 0, 0.0]])"}}},
               {kHour9, {{"9", R"([["k", null, 2, 2.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("10:0", "i:1"));
}

TEST(SupersedeTest, ALateFolderLosesForTheKeysThatAreNewerAndWinsForTheOthers) {  // C-21
  Table table;
  table.Apply({{kDay, {{"d", R"([["x", null, 1, 1.0], ["y", null, 1, 1.0]])"}}}});
  table.Apply({{kHour9, {{"9", R"([["x", null, 1, 1.0]])"}}}});
  table.Apply({{kHour3, {{"3", R"([["x", null, 5, 5.0], ["y", null, 0, 0.0], ["z", null, 0, 0.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("3:1", "3:2", "9:0"));
}

TEST(SupersedeTest, RepeatsInAFolderGoByVersionColumnFirst) {  // C-22
  Table table;
  table.Apply({{kDay, {{"d", R"([["k", null, 2, 1.0], ["k", null, 10, 0.5], ["k", null, 9, 9.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("d:1"));
  EXPECT_EQ(table.last().repeats, 2u);
  EXPECT_EQ(table.last().rows_in, 3);
}

TEST(SupersedeTest, ThenByEventTimeThenFileNameThenTheLastRow) {  // C-22
  Table by_time;
  by_time.Apply({{kDay, {{"a", R"([["k", null, 1, 2.5]])"}, {"b", R"([["k", null, 1, 2.25]])"}}}});
  EXPECT_THAT(by_time.Live(), ElementsAre("a:0"));
  Table by_name;  // files come in any order
  by_name.Apply({{kDay, {{"b", R"([["k", null, 1, 1.0]])"}, {"a", R"([["k", null, 1, 1.0]])"}}}});
  EXPECT_THAT(by_name.Live(), ElementsAre("b:0"));
  Table by_row;
  by_row.Apply({{kDay, {{"a", R"([["k", null, 1, 1.0], ["k", null, 1, 1.0], ["other", null, 1, 1.0]])"}}}});
  EXPECT_THAT(by_row.Live(), ElementsAre("a:1", "a:2"));
}

TEST(SupersedeTest, NullsAreTheLowestInBothOrderColumns) {  // C-22
  Table version;
  version.Apply({{kDay, {{"a", R"([["k", null, -9223372036854775808, 1.0], ["k", null, null, 9.0]])"}}}});
  EXPECT_THAT(version.Live(), ElementsAre("a:0"));
  Table time;
  time.Apply({{kDay, {{"a", R"([["k", null, 1, -1e300], ["k", null, 1, null]])"}}}});
  EXPECT_THAT(time.Live(), ElementsAre("a:0"));
  Table both;
  both.Apply({{kDay, {{"a", R"([["k", null, null, null], ["k", null, null, null]])"}}}});
  EXPECT_THAT(both.Live(), ElementsAre("a:1"));
}

TEST(SupersedeTest, RowsWithANullKeyAreSetAsideAndNeverMeet) {  // C-23
  Table table({"a", "b"});
  table.Apply(
      {{kDay, {{"d", R"([[null, "x", 1, 1.0], [null, "x", 1, 1.0], ["k", null, 1, 1.0], ["k", "x", 1, 1.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("d:3"));
  EXPECT_EQ(table.last().null_keys, 3u);
  EXPECT_EQ(table.last().repeats, 0u);
  table.Apply({{kHour3, {{"3", R"([[null, "x", 2, 2.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("d:3"));
}

TEST(SupersedeTest, PartsOfACompositeKeyStayApart) {  // C-22
  Table table({"a", "b"});
  table.Apply({{kDay, {{"d", R"([["ab", "c", 1, 1.0], ["a", "bc", 1, 1.0], ["", "abc", 1, 1.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("d:0", "d:1", "d:2"));
}

TEST(SupersedeTest, ADeadRowOfTheTableDoesNotSpeakForItsKey) {  // C-21
  Table table;
  // "9:1" lost to "9:0" in its own folder: it must not kill "9:0" when a late folder brings the key up again.
  table.Apply({{kHour9, {{"9", R"([["k", null, 2, 2.0], ["k", null, 1, 1.0]])"}}}});
  table.Apply({{kHour3, {{"3", R"([["k", null, 7, 7.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("9:0"));
  table.Apply({{kHour10, {{"10", R"([["k", null, 0, 0.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("10:0"));
  table.Apply({{kDay, {{"d", R"([["k", null, 0, 0.0]])"}}}});
  EXPECT_THAT(table.Live(), ElementsAre("10:0"));
}

TEST(SupersedeTest, DeletedRowsAreReadOnlyOfFilesThatHoldAKeyOfTheNewFolders) {
  Table table;
  table.Apply({{kDay, {{"d", R"([["x", null, 1, 1.0]])"}, {"e", R"([["y", null, 1, 1.0]])"}}}});
  table.Apply({{kHour3, {{"3", R"([["z", null, 1, 1.0]])"}}}});
  EXPECT_EQ(table.dead_asked(), 0);
  table.Apply({{kHour9, {{"9", R"([["x", null, 1, 1.0]])"}}}});
  EXPECT_EQ(table.dead_asked(), 1);
}

TEST(SupersedeTest, AFolderWithoutRowsOrFilesChangesNothing) {  // C-29
  Table table;
  table.Apply({{kDay, {{"d", R"([["x", null, 1, 1.0]])"}}}});
  table.Apply({{kHour3, {{"3", "[]"}}}, {kHour9, {}}});
  EXPECT_THAT(table.Live(), ElementsAre("d:0"));
}

TEST(SupersedeTest, AMissingKeyColumnIsNamedAndLeavesTheRestAlone) {  // C-15
  store::MemoryObjectStore store;
  ASSERT_TRUE(store.Put("f", parquet::MakeRows({{"a", arrow::utf8()}}, R"([["k"]])"), store::PutMode::kOverwrite).ok());
  const auto open = [&] { return store::OpenCurrent(store, "f"); };
  Supersede supersede({"a", "gone"}, {});
  const auto keys = supersede.Prepare(kDay, {{0, "f", open}});
  EXPECT_EQ(keys.status().code(), Code::kNotFound);
  EXPECT_THAT(keys.status().message(), ::testing::HasSubstr("gone"));
  EXPECT_THAT(supersede.DeadRows(), IsEmpty());
}

TEST(SupersedeTest, AnOrderColumnThatAFileLacksReadsAsNull) {  // C-22, C-25
  store::MemoryObjectStore store;
  ASSERT_TRUE(store
                  .Put("a", parquet::MakeRows({{"a", arrow::utf8()}, {"v", arrow::int64()}}, R"([["k", -5]])"),
                       store::PutMode::kOverwrite)
                  .ok());
  ASSERT_TRUE(store.Put("b", parquet::MakeRows({{"a", arrow::utf8()}}, R"([["k"]])"), store::PutMode::kOverwrite).ok());
  Supersede supersede({"a"}, {"v"});
  auto keys = supersede.Prepare(kDay, {{0, "a", [&] { return store::OpenCurrent(store, "a"); }},
                                       {1, "b", [&] { return store::OpenCurrent(store, "b"); }}});
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  supersede.AddFolder(*std::move(keys));
  EXPECT_THAT(supersede.DeadRows(), UnorderedElementsAre(testing::Pair(1u, ElementsAre(0))));
}

/// The rule in its plainest form: all rows of the folders that arrived, the best of each key.
class Model {
 public:
  struct Row {
    std::string file;
    int64_t position;
    std::optional<std::string> a, b;
    std::optional<int64_t> v, t;
  };

  void Arrive(const Delivery& delivery, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      if (!row.a || !row.b) continue;
      const Rank rank{delivery, row.v, row.t, row.file, row.position};
      const auto [it, fresh] = best_.try_emplace({*row.a, *row.b}, rank);
      if (!fresh && it->second < rank) it->second = rank;
    }
  }

  std::set<std::string> Live() const {
    std::set<std::string> out;
    for (const auto& [key, rank] : best_) out.insert(std::get<3>(rank) + ":" + std::to_string(std::get<4>(rank)));
    return out;
  }

 private:
  // nullopt is less than any value, as the rule has it.
  using Rank = std::tuple<Delivery, std::optional<int64_t>, std::optional<int64_t>, std::string, int64_t>;
  std::map<std::pair<std::string, std::string>, Rank> best_;
};

/// Deliveries with few keys, so that all kinds of meetings happen.
class RandomDeliveries {
 public:
  explicit RandomDeliveries(uint64_t seed) : random_(seed) {
    for (const Delivery& delivery : {kInitial, kDay, kHour3, kHour9, kHour10}) {
      std::vector<Model::Row> rows;
      Table::NewFolder folder{delivery, {}};
      for (uint64_t file = Below(3); file > 0; --file) {  // names against the order of the files
        const std::string name = "f" + std::to_string(folders_.size()) + std::to_string(file);
        folder.files.push_back({name, FillFile(name, rows)});
      }
      folders_.emplace_back(std::move(folder), std::move(rows));
    }
    std::shuffle(folders_.begin(), folders_.end(), random_);
  }

  uint64_t Below(uint64_t end) { return random_() % end; }
  std::vector<std::pair<Table::NewFolder, std::vector<Model::Row>>>& folders() { return folders_; }

 private:
  std::string FillFile(const std::string& name, std::vector<Model::Row>& rows) {
    std::string json;
    const auto text = [](const auto& cell) { return cell ? std::to_string(*cell) : "null"; };
    for (auto [row, count] = std::pair{int64_t{0}, static_cast<int64_t>(Below(12))}; row < count; ++row) {
      Model::Row made{name, row, Key(), Key(), Order(), Order()};
      json += (row == 0 ? "[" : ", [") + Quote(made.a) + ", " + Quote(made.b) + ", " + text(made.v) + ", " +
              text(made.t) + "]";
      rows.push_back(std::move(made));
    }
    return "[" + json + "]";
  }
  std::optional<std::string> Key() {
    if (Below(10) == 0) return std::nullopt;
    return std::string(1, static_cast<char>('p' + Below(4)));
  }
  std::optional<int64_t> Order() {
    if (Below(4) == 0) return std::nullopt;
    return static_cast<int64_t>(Below(5)) - 2;
  }
  static std::string Quote(const std::optional<std::string>& cell) { return cell ? '"' + *cell + '"' : "null"; }

  std::mt19937_64 random_;
  std::vector<std::pair<Table::NewFolder, std::vector<Model::Row>>> folders_;
};

TEST(SupersedeTest, AnyDeliveriesInAnyOrderOfArrivalEndAsThePlainRuleSays) {  // C-20 … C-23
  const uint64_t first = std::random_device()();
  for (uint64_t seed = first; seed < first + 80; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomDeliveries deliveries(seed);
    Table table({"a", "b"});
    Model model;
    for (size_t next = 0; next < deliveries.folders().size();) {
      std::vector<Table::NewFolder> run;
      for (uint64_t count = 1 + deliveries.Below(3); count > 0 && next < deliveries.folders().size(); --count) {
        const auto& [folder, rows] = deliveries.folders()[next++];
        model.Arrive(folder.delivery, rows);
        run.push_back(folder);
      }
      table.Apply(std::move(run));
      ASSERT_EQ(table.Live(), model.Live());
    }
  }
}

}  // namespace
}  // namespace tidegate::ingest
