// Random histories of a bucket, shown to the lake piece by piece, with runs, faults, crashes and power losses in
// between: whatever happened, the lake ends as the contract says for what is visible (C-21, C-27, C-41). The same seeds
// in every run; TIDEGATE_HISTORIES=N plays N of them, TIDEGATE_HISTORY_SEED=S begins with seed S.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/test_history.h"
#include "tidegate/ingest/test_model.h"
#include "tidegate/ingest/test_random_history.h"
#include "tidegate/parquet/test_rows.h"

namespace tidegate::ingest {
namespace {

using Kind = HistoryStep::Kind;

/// Plays one history. The first thing that is wrong ends it.
class Playback {
 public:
  explicit Playback(const BucketHistory& history) : history_(history) {
    options_ = TestOptions();
    options_.catalog = history.Catalog();
    constexpr int64_t kRoomForThreeKeys = 500;
    if (history.steps.size() % 2 == 0) options_.memory_bytes = kRoomForThreeKeys;
    options_.recent_days = {std::chrono::days(1), std::chrono::days(0)};  // so that most runs do not look at everything
  }

  /// What went wrong; empty: nothing.
  std::string Play() {
    testing::TestPartResultArray failures;  // of the reader of the lake: they count here, not as the test's
    const testing::ScopedFakeTestPartResultReporter catcher(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
    PlaySteps();
    if (wrong_.empty()) PlayEnd();
    for (int i = 0; i < failures.size() && wrong_.empty(); ++i) wrong_ = failures.GetTestPartResult(i).message();
    return wrong_;
  }

 private:
  void PlaySteps() {
    for (size_t i = 0; i < history_.steps.size() && wrong_.empty(); ++i) {
      const HistoryStep& step = history_.steps[i];
      at_ = "at step " + std::to_string(i + 1) + ": ";
      if (step.kind == Kind::kRun)
        Run(step.fault);
      else
        ApplyStep(history_, step, visible_, bucket_.get(), clock_.get());
    }
  }

  /// One clean run makes everything right, one more finds nothing to do, and a new lake ends the same.
  void PlayEnd() {
    options_.list_all = true;
    at_ = "at the end: ";
    RunCleanly(lake_);
    CheckLake(lake_, /*at_end=*/true);
    at_ = "once more: ";
    if (const IngestReport again = RunCleanly(lake_); again.applied_anything()) Wrong("there was something left to do");
    at_ = "in a new lake: ";
    TestLake fresh;
    RunCleanly(fresh);
    CheckLake(fresh, /*at_end=*/true);
  }

  void Run(const std::optional<RunFault>& fault) {
    if (!fault) return CheckRun(RunCleanly(lake_));
    store::FaultObjectStore bucket(bucket_, fault->of_lake ? store::FaultPlan() : fault->plan);
    store::FaultObjectStore lake(lake_.shared(), fault->of_lake ? fault->plan : store::FaultPlan());
    const auto report = RunIngest(bucket, lake, options_);
    const bool done = report.ok() && !report->failed();
    if (done) CheckRun(*report);  // a run that says it did everything did so
    if (!fault->power_loss) {
      durable_ = durable_ && done;
      return;
    }
    size_t n = fault->plan.fail_at;
    lake_.store().DropUnsynced([&](const std::string&) { return ++n % 2 == 0; });
    if (done && durable_) CheckRun(*report);
    durable_ = true;
  }

  IngestReport RunCleanly(TestLake& lake) {
    auto report = RunIngest(*bucket_, lake.store(), options_);
    if (!report.ok()) {
      Wrong("the run failed: " + report.status().ToString());
      return {};
    }
    report_ = *report;
    return *std::move(report);
  }

  /// A run that looked at the recent days alone may lack what was sealed late, until all is listed again.
  void CheckRun(const IngestReport& report) {
    if (report.listed_all) CheckLake(lake_, /*at_end=*/false);
  }

  void CheckLake(TestLake& lake, bool at_end) {
    bool gap = false;
    bool settled = true;
    for (const HistoryTable& table : history_.tables) {
      const ExpectedTable expected = ExpectTable(history_, table, visible_);
      gap = gap || expected.gap;
      const bool certain = at_end || !(expected.waits || expected.open);
      settled = settled && certain;
      if (certain && wrong_.empty()) CheckTable(lake, table, expected, at_end);
    }
    if (at_end && report_.failed() != gap) Wrong(gap ? "a gap is not told" : "a problem: " + ProblemsOf(report_));
  }

  void CheckTable(TestLake& lake, const HistoryTable& table, const ExpectedTable& expected, bool at_end) {
    const std::string& name = table.entry.name.table;
    const auto loaded = table::LakeTable::Load(lake.store(), "shop/" + name);
    if (loaded.status().code() == Code::kNotFound) {
      if (expected.columns) Wrong(name + " is not in the lake");
      return;
    }
    if (!loaded.ok()) return Wrong(loaded.status().ToString());
    const auto columns = ColumnsOf(loaded->metadata(), table.entry.mode);
    if (expected.columns && columns != *expected.columns) {
      return Wrong(name + " has columns " + testing::PrintToString(columns) + ", not " +
                   testing::PrintToString(*expected.columns));
    }
    Rows names;
    for (const auto& [column, type] : columns) names.push_back(column);
    const Rows rows = lake.Deliveries(name, names);
    if (rows != expected.rows) {
      return Wrong(name + " holds " + testing::PrintToString(rows) + ", not " + testing::PrintToString(expected.rows));
    }
    CheckRejects(lake, name, expected);
    if (!at_end || table.entry.mode != contract::TableMode::kParts) return;
    if (const auto through = ResultOf(report_, "shop." + name).delivered_through;
        through != expected.delivered_through) {
      Wrong(name + " is delivered through " + (through ? FormatRfc3339(*through) : "?") + ", not " +
            (expected.delivered_through ? FormatRfc3339(*expected.delivered_through) : "?"));
    }
  }

  /// Every row with a null key is told (C-23).
  void CheckRejects(TestLake& lake, const std::string& name, const ExpectedTable& expected) {
    for (const auto& [delivery, rows] : expected.rejects) {
      const auto bytes = lake.store().Read("shop/" + name + "/rejects/" + delivery + ".parquet", 1'000'000);
      if (!bytes.ok()) return Wrong(name + ": no rejects of " + delivery);
      Rows found = parquet::RowsAsText(*bytes, {"file", "row"});
      Rows wanted = rows;
      std::sort(found.begin(), found.end());
      std::sort(wanted.begin(), wanted.end());
      if (found != wanted) {
        return Wrong(name + ": rejects of " + delivery + " are " + testing::PrintToString(found) + ", not " +
                     testing::PrintToString(wanted));
      }
    }
  }

  /// The columns of a table that were delivered; each must have its id in the mapping by which readers find it.
  std::map<std::string, std::string> ColumnsOf(const table::TableMetadata& metadata, contract::TableMode mode) {
    std::map<std::string, std::string> out;
    std::map<std::string, int> mapped;
    const auto text = metadata.properties.find("schema.name-mapping.default");
    const auto mapping = table::ParseNameMapping(text == metadata.properties.end() ? "[]" : text->second);
    for (const table::NameMapping& entry : *mapping) {
      for (const std::string& name : entry.names) mapped[name] = entry.field_id;
    }
    for (const schema::Field& field : metadata.current_schema().fields) {
      if (mapped[field.name] != field.id) Wrong("the name mapping does not lead to column " + field.name);
      out[field.name] = schema::TypeName(field.type);
    }
    for (const char* ours : mode == contract::TableMode::kFull ? kOfFull : kOfParts) {
      if (out.erase(ours) == 0) Wrong(std::string("there is no column ") + ours);  // C-26
    }
    return out;
  }

  void Wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = at_ + what;
  }

  static constexpr std::array<const char*, 3> kOfFull = {"contract_version", "snapshot_date", "snapshot_hour"};
  static constexpr std::array<const char*, 3> kOfParts = {"contract_version", "etl_date", "etl_hour"};

  const BucketHistory& history_;
  IngestOptions options_;
  const std::shared_ptr<FixedClock> clock_ = std::make_shared<FixedClock>(*ParseRfc3339("2026-11-03T12:00:00Z"));
  const std::shared_ptr<store::MemoryObjectStore> bucket_ = std::make_shared<store::MemoryObjectStore>(clock_);
  TestLake lake_;
  VisibleBucket visible_;
  IngestReport report_;  // of the last clean run
  // Could a run that failed have left a commit that is not synced? A run that finds it has nothing to do, and a power
  // loss may still take it: the next run does it again.
  bool durable_ = true;
  std::string at_;
  std::string wrong_;
};

std::string WhatIsWrong(const BucketHistory& history) { return Playback(history).Play(); }

/// Cut away what the failure does not need.
BucketHistory Shrink(BucketHistory history) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t n = 0; n < CutCount(history);) {
      BucketHistory less = Cut(history, n);
      if (EndsTheSameInAnyOrder(less) && !WhatIsWrong(less).empty()) {
        history = std::move(less);
        smaller = true;
      } else {
        ++n;
      }
    }
  }
  return history;
}

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(HistoryPropertyTest, WhateverHappensOnTheWayTheLakeEndsAsTheBucketSays) {  // C-21, C-25, C-27, C-35, C-41
#ifdef NDEBUG
  constexpr uint64_t kHistories = 500;
#else
  constexpr uint64_t kHistories = 50;  // builds that look for faults or count lines are many times slower
#endif
  const uint64_t first = FromEnvironment("TIDEGATE_HISTORY_SEED", 1);
  const uint64_t count = FromEnvironment("TIDEGATE_HISTORIES", kHistories);
  const uint64_t patience = FromEnvironment("TIDEGATE_HISTORY_FAILURES", 1);  // so many are shrunk and shown
  uint64_t failures = 0;
  std::cout << "histories " << first << " to " << first + count - 1 << std::endl;
  for (uint64_t seed = first; seed < first + count && failures < patience; ++seed) {
    const BucketHistory history = RandomHistory(seed);
    const std::string wrong = WhatIsWrong(history);
    if (wrong.empty()) continue;
    ++failures;
    const BucketHistory small = Shrink(history);
    ADD_FAILURE() << "history " << seed << ": " << wrong << "\ncut down to:\n"
                  << small.ToString() << WhatIsWrong(small);
  }
}

}  // namespace
}  // namespace tidegate::ingest
