// Fault sweep over an expiry: the n-th call on the store goes wrong, n = 1, 2, … until a run is clean. After each every
// snapshot that the table names is whole, and a run once the left-over files are old finishes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/upkeep/expire.h"
#include "tidegate/upkeep/upkeep_fixture.h"

namespace tidegate::upkeep {
namespace {

using store::FaultMode;
using ::testing::IsEmpty;

class ExpireFaultTest : public testing::TestWithParam<std::tuple<std::string, FaultMode>> {
 protected:
  void SetUp() override {
    MakeHistory(bucket_, before_);
    for (const std::string& name : {std::string("orders"), std::string("customers")}) {
      for (const char* key : {"data/v2/2026-11-03/03/left.parquet", "metadata/left-m0.avro"}) {
        ASSERT_TRUE(before_.store().Put("shop/" + name + "/" + key, "left", store::PutMode::kOverwrite).ok());
      }
    }
    rows_ = before_.Table(table_);
    policy_.keep_versions = 1;
  }

  void CheckWhole(TestLake& lake, uint64_t n) {
    EXPECT_EQ(lake.Table(table_), rows_) << "at call " << n;
    FilesOfSnapshots(lake, table_);
  }

  void CheckDone(TestLake& lake, uint64_t n) {
    CheckWhole(lake, n);
    EXPECT_EQ(LoadTable(lake, table_).metadata().snapshots.size(), 1u) << "at call " << n;
    EXPECT_THAT(Unneeded(lake, table_), IsEmpty()) << "at call " << n;
    EXPECT_FALSE(lake.store().Head("shop/" + table_ + "/metadata/v1.metadata.json").ok()) << "at call " << n;
    EXPECT_FALSE(ingest::IngestWell(bucket_.store(), lake.store()).applied_anything()) << "at call " << n;
  }

  /// False once no call was left to fail.
  bool RunWithFaultAt(uint64_t n, bool power_loss) {
    TestLake lake = Clone(before_);
    store::FaultObjectStore faulty(lake.shared(), {n, std::get<FaultMode>(GetParam()), {}, {}});
    const contract::TableName name{"shop", table_};
    const auto done = ExpireTable(faulty, name, policy_, Later(30));
    if (power_loss) lake.store().DropUnsynced([i = n](const std::string&) mutable { return ++i % 2 == 0; });
    CheckWhole(lake, n);
    if (done.ok()) CheckDone(lake, n);
    const auto again = ExpireTable(lake.store(), name, policy_, Later(60));
    EXPECT_TRUE(again.ok()) << again.status().ToString();
    CheckDone(lake, n);
    return faulty.fault_happened() && !HasFailure();
  }

  void Sweep(bool power_loss) {
    uint64_t n = 1;
    while (RunWithFaultAt(n, power_loss)) ++n;
    ASSERT_FALSE(HasFailure()) << "at call " << n;
    EXPECT_GT(n, 15u);  // the sweep swept something
  }

  const std::string table_ = std::get<std::string>(GetParam());
  TestBucket bucket_;
  TestLake before_;
  ingest::Rows rows_;
  ExpirePolicy policy_;
};

TEST_P(ExpireFaultTest, WhereverTheLakeFailsEverySnapshotIsWholeAndTheNextRunFinishes) { Sweep(false); }

TEST_P(ExpireFaultTest, APowerLossTakesNoFileOfASnapshotThatComesBack) { Sweep(true); }

INSTANTIATE_TEST_SUITE_P(Lake, ExpireFaultTest,
                         testing::Combine(testing::Values(std::string("orders"), std::string("customers")),
                                          testing::Values(FaultMode::kErrorOnce, FaultMode::kErrorFromThenOn,
                                                          FaultMode::kReplyLost, FaultMode::kCrash)));

}  // namespace
}  // namespace tidegate::upkeep
