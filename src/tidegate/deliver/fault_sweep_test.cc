// Fail every store call of a delivery in turn, in every way, and see that nothing is lost, doubled or half.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tidegate/deliver/deliver.h"
#include "tidegate/deliver/vendor_test.h"
#include "tidegate/store/fault/fault_object_store.h"

namespace tidegate::deliver {
namespace {

using contract::TableMode;
using contract::TableName;
using store::FaultMode;

const TableName kLog{"shop", "log"};  // each row once: a row delivered twice shows

using Rows = std::vector<std::string>;

DeliverOptions Hour(const std::string& hour, bool reseed = false) {
  contract::TableEntry log;
  log.name = kLog;
  log.mode = TableMode::kParts;
  log.append_only = true;
  log.event_time = "at";
  contract::TableEntry planes;
  planes.name = {"shop", "planes"};
  DeliverOptions options;
  options.delivery = *contract::ParseDelivery("v2/2026-11-03/" + hour);
  options.now = At("2026-12-01T00:00:00Z");
  options.catalog = contract::TableCatalog({log, planes});
  if (reseed) options.reseed = {kLog};
  return options;
}

std::string LogFolder(const std::string& hour) { return "v2/shop/log/etl_date=2026-11-03/etl_hour=" + hour; }
std::string PlanesFolder(const std::string& hour) {
  return "v2/shop/planes/snapshot_date=2026-11-03/snapshot_hour=" + hour;
}

/// What the source held before an hour.
Rows LogBefore(int hour) {
  Rows rows;
  for (int id = 0; id < hour; ++id) {
    rows.push_back(std::to_string(id) + "|2026-11-03 0" + std::to_string(id) + ":30:00");
  }
  return rows;
}

struct Scenario {
  const char* name;
  std::vector<std::string> before;      // hours delivered well
  std::string hit;                      // the hour that the fault strikes
  std::vector<std::string> afterwards;  // hours delivered then
  bool reseed = false;                  // at the hour that is hit, and when that hour itself is run again
  bool power_loss = false;              // what was not synced is lost, in part
};

std::ostream& operator<<(std::ostream& out, const Scenario& scenario) { return out << scenario.name; }

class FaultSweepTest : public testing::TestWithParam<std::tuple<Scenario, FaultMode>> {
 protected:
  /// One vendor for all: its rows never change, one came in each hour.
  static void SetUpTestSuite() {
    vendor_ = std::make_unique<Vendor>();
    vendor_->Change(
        "CREATE SCHEMA shop;"
        "CREATE TABLE shop.planes AS SELECT range AS id FROM range(3);"
        "CREATE TABLE shop.log AS SELECT range AS id, TIMESTAMP '2026-11-03 00:30:00' + INTERVAL (range) HOUR AS at"
        " FROM range(10);");
  }
  static void TearDownTestSuite() { vendor_.reset(); }

  /// One run with a fault at the n-th call. False once no call was left to fail.
  bool RunWithFaultAt(uint64_t n, uint64_t draw) {
    const auto& [scenario, mode] = GetParam();
    const auto bucket = std::make_shared<store::MemoryObjectStore>();
    for (const std::string& hour : scenario.before) Well(*bucket, hour, false);
    const auto before = bucket->List({})->objects;
    store::FaultObjectStore faulty(bucket, {.fail_at = n, .mode = mode});
    const auto report = Deliver(vendor_->source(), faulty, Hour(scenario.hit, scenario.reseed));
    if (!faulty.fault_happened()) {
      EXPECT_TRUE(report.ok());
      return false;
    }
    if (scenario.power_loss) LosePower(*bucket, 100 * n + draw);
    if (bucket->List({})->objects == before) return !HasFailure();  // as if it had not run
    WhatIsSealedIsWhole(*bucket, scenario.reseed);
    for (const std::string& hour : scenario.afterwards) Well(*bucket, hour, scenario.reseed && hour == scenario.hit);
    EveryRowOnce(*bucket, scenario.afterwards);
    return !HasFailure();
  }

  static void LosePower(store::MemoryObjectStore& bucket, uint64_t seed) {
    std::mt19937_64 random(seed);
    bucket.DropUnsynced([&](const std::string&) { return random() % 2 == 0; });
  }

  static void Well(store::ObjectStore& bucket, const std::string& hour, bool reseed) {
    const auto report = Deliver(vendor_->source(), bucket, Hour(hour, reseed));
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_FALSE(report->failed()) << PrintReport(*report);
  }

  /// Of the hours 03 and 04, the latter hit by the fault or not yet there.
  static void WhatIsSealedIsWhole(store::ObjectStore& bucket, bool reseed) {
    Consumer consumer(bucket);
    const Rows fourth = LogBefore(4);
    for (const std::string hour : {"03", "04"}) {
      const Rows alone = hour == "03" ? LogBefore(3) : Rows{fourth.back()};
      const Rows expected = hour == "04" && reseed ? fourth : alone;
      if (consumer.Sealed(LogFolder(hour))) {
        EXPECT_EQ(consumer.Rows(LogFolder(hour)), expected);
      }
      if (consumer.Sealed(PlanesFolder(hour))) {
        EXPECT_EQ(consumer.Rows(PlanesFolder(hour)), (Rows{"0", "1", "2"}));
      }
    }
  }

  static void EveryRowOnce(store::ObjectStore& bucket, const std::vector<std::string>& hours) {
    Consumer consumer(bucket);
    EXPECT_EQ(consumer.Union(kLog), LogBefore(std::stoi(hours.back())));
    for (const std::string& hour : hours) {
      EXPECT_TRUE(consumer.Sealed(LogFolder(hour)));
      EXPECT_EQ(consumer.Rows(PlanesFolder(hour)), (Rows{"0", "1", "2"}));
      EXPECT_TRUE(consumer.Manifest("v2/2026-11-03/" + hour).complete);
    }
  }

  static inline std::unique_ptr<Vendor> vendor_;
};

TEST_P(FaultSweepTest, NoRowIsLostOrDoubledWhereverItFails) {
  // What a power loss takes is drawn: several draws for each call.
  const uint64_t draws = std::get<0>(GetParam()).power_loss ? 6 : 1;
  uint64_t n = 0;
  for (bool more = true; more;) {
    ++n;
    for (uint64_t draw = 0; draw < draws && more; ++draw) more = RunWithFaultAt(n, draw);
  }
  ASSERT_FALSE(HasFailure()) << "at call " << n;
  EXPECT_GT(n, 20u);  // the sweep swept something
}

const Scenario kScenarios[] = {
    {.name = "FirstDeliveryRunAgain", .before = {}, .hit = "03", .afterwards = {"03", "04"}},
    {.name = "FirstDeliverySkipped", .before = {}, .hit = "03", .afterwards = {"04", "05"}},
    {.name = "NextDeliveryRunAgain", .before = {"03"}, .hit = "04", .afterwards = {"04", "05"}},
    {.name = "NextDeliverySkippedAndFinishedLate", .before = {"03"}, .hit = "04", .afterwards = {"06", "04", "07"}},
    {.name = "ReseedSkipped", .before = {"03"}, .hit = "04", .afterwards = {"05", "06"}, .reseed = true},
    {.name = "ReseedRunAgain", .before = {"03"}, .hit = "04", .afterwards = {"04", "05"}, .reseed = true},
};

const Scenario kPowerLoss[] = {
    {.name = "PowerLossRunAgain", .before = {"03"}, .hit = "04", .afterwards = {"04", "05"}, .power_loss = true},
    {.name = "PowerLossSkipped", .before = {"03"}, .hit = "04", .afterwards = {"05", "06"}, .power_loss = true},
};

std::string NameOf(const testing::TestParamInfo<std::tuple<Scenario, FaultMode>>& info) {
  const char* modes[] = {"ErrorOnce", "ErrorFromThenOn", "ReplyLost", "Crash"};
  return std::string(std::get<0>(info.param).name) + modes[static_cast<size_t>(std::get<1>(info.param))];
}

// A call that fails ends the run as a crash does, but for the deleting of what a failed table left: two scenarios do.
INSTANTIATE_TEST_SUITE_P(Error, FaultSweepTest,
                         testing::Combine(testing::Values(kScenarios[0], kScenarios[3]),
                                          testing::Values(FaultMode::kErrorOnce, FaultMode::kErrorFromThenOn)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Process, FaultSweepTest,
                         testing::Combine(testing::ValuesIn(kScenarios),
                                          testing::Values(FaultMode::kReplyLost, FaultMode::kCrash)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Machine, FaultSweepTest,
                         testing::Combine(testing::ValuesIn(kPowerLoss), testing::Values(FaultMode::kCrash)), NameOf);

}  // namespace
}  // namespace tidegate::deliver
