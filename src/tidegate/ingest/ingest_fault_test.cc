// Fault sweep over a run: the n-th store call goes wrong, n = 1, 2, … until a run is clean, in every way. After each:
// readers see a whole table that holds just what its checkpoint says, and a rerun ends with every row once (C-27).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <map>
#include <tuple>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/store/fault/fault_object_store.h"

namespace tidegate::ingest {
namespace {

using store::FaultMode;

constexpr const char* kModes[] = {"ErrorOnce", "ErrorFromThenOn", "ReplyLost", "Crash"};

/// How many faults struck, by kind and call, and what they cost; printed once all tests of the process are done.
class Tally : public ::testing::Environment {
 public:
  static Tally& Of() {
    static auto* tally = static_cast<Tally*>(::testing::AddGlobalTestEnvironment(new Tally));
    return *tally;
  }

  void Count(const store::FaultObjectStore& faulty, uint64_t n, FaultMode mode) {
    if (!faulty.fault_happened()) return;
    ++faults_[std::string(store::CallKindName(faulty.calls().at(n - 1).kind))][static_cast<size_t>(mode)];
    ++all_;
  }

  /// After the run that followed the fault.
  void Compare(Rows wanted, Rows found) {
    Rows lost;
    Rows doubled;
    std::sort(wanted.begin(), wanted.end());
    std::sort(found.begin(), found.end());
    std::set_difference(wanted.begin(), wanted.end(), found.begin(), found.end(), std::back_inserter(lost));
    std::set_difference(found.begin(), found.end(), wanted.begin(), wanted.end(), std::back_inserter(doubled));
    lost_ += lost.size();
    doubled_ += doubled.size();
  }

  void TearDown() override {
    if (all_ == 0) return;
    std::cout << "faults by call: " << kModes[0] << ", " << kModes[1] << ", " << kModes[2] << ", " << kModes[3] << "\n";
    for (auto& [call, counts] : faults_) {
      std::cout << "  " << call << ": " << counts[0] << ", " << counts[1] << ", " << counts[2] << ", " << counts[3]
                << "\n";
    }
    std::cout << all_ << " faults in all; lost rows " << lost_ << ", doubled or wrong rows " << doubled_ << std::endl;
  }

 private:
  std::map<std::string, std::array<size_t, 4>> faults_;
  size_t all_ = 0;
  size_t lost_ = 0;
  size_t doubled_ = 0;
};

[[maybe_unused]] const Tally& kRegistered = Tally::Of();  // before the tests run

/// Folders with their rows by id; the same rows again as the contract's rules make a table of them.
class History {
 public:
  explicit History(std::string table) : table_(std::move(table)) {}

  void Deliver(TestBucket& bucket, const std::string& folder, const std::map<int, std::string>& rows) {
    std::string json;
    for (const auto& [id, value] : rows) {
      json += (json.empty() ? "[" : ", [") + std::to_string(id) + ", \"" + value + "\", 0]";
    }
    bucket.Deliver(folder, "[" + json + "]");
    folders_[contract::ParseFolder(folder)->delivery] = rows;
  }

  const std::string& table() const { return table_; }

  bool AllApplied(const DeliverySet& applied) const {
    if (table_ == "customers") return !applied.empty() && applied.Max() == folders_.rbegin()->first;
    return std::all_of(folders_.begin(), folders_.end(), [&](const auto& f) { return applied.Contains(f.first); });
  }

  Rows TableOf(const DeliverySet& applied) const {
    std::map<int, Rows> by_id;
    for (const auto& [delivery, rows] : folders_) {
      if (!applied.Contains(delivery)) continue;
      if (table_ == "customers") by_id.clear();
      for (const auto& [id, value] : rows) {
        if (table_ != "log") by_id[id].clear();
        by_id[id].push_back(std::to_string(id) + "|" + value + "|0");
      }
    }
    Rows out;
    for (const auto& [id, rows] : by_id) out.insert(out.end(), rows.begin(), rows.end());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::string table_;
  std::map<contract::Delivery, std::map<int, std::string>> folders_;
};

/// A bucket, the lake as it was before the run that is hit, and what the run is to make of it.
struct Scenario {
  TestBucket bucket;
  TestLake before;
  History history;
  explicit Scenario(const std::string& table) : history(table) {}

  void Deliver(const std::string& folder, const std::map<int, std::string>& rows) {
    history.Deliver(bucket, folder, rows);
  }
  void Ingest() { IngestWell(bucket.store(), before.store()); }
};

std::unique_ptr<Scenario> FirstBuild() {
  auto out = std::make_unique<Scenario>("orders");
  out->Deliver(Initial("orders"), {{1, "i"}, {2, "i"}, {3, "i"}});
  out->Deliver(Day("orders", "2026-11-02"), {{2, "d"}, {4, "d"}});
  return out;
}

std::unique_ptr<Scenario> AppendWithDeletes() {
  auto out = FirstBuild();
  out->Ingest();  // the first file has deleted rows now
  out->bucket.SwitchToV2();
  out->Deliver(Hour("orders", "03"), {{1, "3"}, {4, "3"}, {5, "3"}});
  return out;
}

std::unique_ptr<Scenario> TwoHoursAtOnce() {
  auto out = std::make_unique<Scenario>("log");
  out->bucket.SwitchToV2();
  out->Deliver(Hour("log", "03"), {{1, "3"}});
  out->Ingest();
  out->Deliver(Hour("log", "04"), {{1, "4"}});
  out->Deliver(Hour("log", "05"), {{1, "5"}, {2, "5"}});
  return out;
}

std::unique_ptr<Scenario> FullReplace() {
  auto out = std::make_unique<Scenario>("customers");
  out->bucket.SwitchToV2();
  out->Deliver(Copy("customers", "03"), {{1, "3"}, {2, "3"}});
  out->Ingest();
  out->Deliver(Copy("customers", "04"), {{1, "4"}, {3, "4"}});
  return out;
}

std::unique_ptr<Scenario> Rebuild() {  // C-14
  auto out = FirstBuild();
  out->Ingest();
  out->Deliver(Initial("orders"), {{1, "changed"}, {3, "i"}, {6, "i"}});
  return out;
}

struct Named {
  const char* name;
  std::unique_ptr<Scenario> (*make)();
};

std::ostream& operator<<(std::ostream& out, const Named& named) { return out << named.name; }

/// A copy of a lake, to be spoilt.
TestLake Clone(TestLake& lake) {
  TestLake out;
  for (const store::ObjectInfo& object : ObjectsIn(lake.store())) {
    const auto bytes = lake.store().Read(object.key, 100'000'000);
    EXPECT_TRUE(out.store().Put(object.key, *bytes, store::PutMode::kOverwrite).ok());
  }
  EXPECT_TRUE(out.store().Sync().ok());
  return out;
}

class IngestFaultTest : public ::testing::TestWithParam<std::tuple<Named, FaultMode>> {
 protected:
  void SetUp() override { scenario_ = std::get<Named>(GetParam()).make(); }

  const History& history() const { return scenario_->history; }

  /// The table is as before, or holds exactly the folders that its checkpoint names.
  void CheckWhole(TestLake& lake, uint64_t n) {
    const std::string& table = history().table();
    const bool existed = scenario_->before.Has(table);
    if (!existed && lake.store().List({"shop/" + table + "/metadata/v", "", false, 1})->objects.empty()) return;
    const Rows rows = lake.Table(table);
    const DeliverySet applied = lake.CheckpointIn(table).applied;
    if (existed && rows == scenario_->before.Table(table)) return;
    EXPECT_EQ(rows, history().TableOf(applied)) << "at call " << n << ", applied " << applied.ToString();
  }

  void CheckDone(TestLake& lake, uint64_t n) {
    const DeliverySet applied = lake.CheckpointIn(history().table()).applied;
    EXPECT_TRUE(history().AllApplied(applied)) << "at call " << n << ": " << applied.ToString();
    const Rows rows = lake.Table(history().table());
    const Rows wanted = history().TableOf(applied);
    EXPECT_EQ(rows, wanted) << "at call " << n;
    Tally::Of().Compare(wanted, rows);
  }

  /// What the failed run had staged was taken up again: each data file in the lake is live, or of an earlier state.
  void CheckNothingLeftBehind(TestLake& lake, uint64_t n) {
    auto objects = lake.DataObjects();
    for (const auto& [key, etag] : scenario_->before.DataObjects()) objects.erase(key);
    for (const table::LiveFile& file : lake.Live(history().table()).data) {
      objects.erase(TestLake::KeyOf(file.file.location));
    }
    EXPECT_TRUE(objects.empty()) << "at call " << n << ": " << objects.begin()->first;
  }

  /// One run with a fault at the n-th call of the lake or of the bucket. False once no call was left to fail.
  bool RunWithFaultAt(uint64_t n, bool of_lake, bool power_loss = false) {
    TestLake lake = Clone(scenario_->before);
    const store::FaultPlan plan{n, std::get<FaultMode>(GetParam()), {}, {}};
    store::FaultObjectStore faulty_lake(lake.shared(), of_lake ? plan : store::FaultPlan());
    store::FaultObjectStore faulty_bucket(scenario_->bucket.shared(), of_lake ? store::FaultPlan() : plan);
    const auto report = RunIngest(faulty_bucket, faulty_lake, TestOptions());
    Tally::Of().Count(of_lake ? faulty_lake : faulty_bucket, n, plan.mode);
    if (report.ok() && !report->failed()) CheckDone(lake, n);
    if (power_loss) {
      lake.store().DropUnsynced([&, i = n](const std::string&) mutable { return ++i % 2 == 0; });
      if (report.ok() && !report->failed()) CheckDone(lake, n);
    }
    CheckWhole(lake, n);
    IngestWell(scenario_->bucket.store(), lake.store());
    CheckDone(lake, n);
    CheckNothingLeftBehind(lake, n);
    return (of_lake ? faulty_lake : faulty_bucket).fault_happened() && !HasFailure();
  }

  void Sweep(bool of_lake, bool power_loss = false) {
    uint64_t n = 1;
    while (RunWithFaultAt(n, of_lake, power_loss)) ++n;
    ASSERT_FALSE(HasFailure()) << "at call " << n;
    EXPECT_GT(n, 5u);  // the sweep swept something
    EXPECT_FALSE(IngestWell(scenario_->bucket.store(), scenario_->before.store()).failed());
    EXPECT_FALSE(IngestWell(scenario_->bucket.store(), scenario_->before.store()).applied_anything());
  }

  std::unique_ptr<Scenario> scenario_;
};

TEST_P(IngestFaultTest, WhereverTheLakeFailsNoRowIsLostOrDoubled) { Sweep(/*of_lake=*/true); }

class BucketFaultTest : public IngestFaultTest {};

TEST_P(BucketFaultTest, WhereverTheBucketFailsNoRowIsLostOrDoubled) { Sweep(/*of_lake=*/false); }

class PowerLossTest : public IngestFaultTest {};

TEST_P(PowerLossTest, APowerLossTakesNothingThatWasReportedAsDone) { Sweep(/*of_lake=*/true, /*power_loss=*/true); }

constexpr Named kScenarios[] = {{"FirstBuild", FirstBuild},
                                {"AppendWithDeletes", AppendWithDeletes},
                                {"TwoHoursAtOnce", TwoHoursAtOnce},
                                {"FullReplace", FullReplace},
                                {"Rebuild", Rebuild}};

std::string NameOf(const testing::TestParamInfo<std::tuple<Named, FaultMode>>& info) {
  return std::string(std::get<0>(info.param).name) + kModes[static_cast<size_t>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(Lake, IngestFaultTest,
                         testing::Combine(testing::ValuesIn(kScenarios),
                                          testing::Values(FaultMode::kErrorOnce, FaultMode::kErrorFromThenOn,
                                                          FaultMode::kReplyLost, FaultMode::kCrash)),
                         NameOf);
// The bucket is only read: a lost reply or a crash is to a reader what an error is.
INSTANTIATE_TEST_SUITE_P(Bucket, BucketFaultTest,
                         testing::Combine(testing::ValuesIn(kScenarios),
                                          testing::Values(FaultMode::kErrorOnce, FaultMode::kErrorFromThenOn)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Machine, PowerLossTest,
                         testing::Combine(testing::Values(kScenarios[1], kScenarios[3]),
                                          testing::Values(FaultMode::kCrash)),
                         NameOf);

}  // namespace
}  // namespace tidegate::ingest
