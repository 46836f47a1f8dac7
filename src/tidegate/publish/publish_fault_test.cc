// Fault sweeps: the n-th call on the store or the catalog goes wrong, n = 1, 2, … until a run is clean. Whatever it
// was, readers see one of the two runs whole, the next publish ends the work, and a clean-up leaves no orphan and takes
// no file that the catalog points to (C-52, C-54, C-55, C-57).
#include "tidegate/publish/publish_fixture.h"
#include "tidegate/store/fault/fault_object_store.h"

namespace tidegate::publish {
namespace {

using std::chrono::hours;
using store::FaultMode;

constexpr int kBefore = 11, kAfter = 17;

class PublishFaultTest : public PublishTest {
 protected:
  /// Runs enough that something is there to clean up; then new rows in the source.
  void SetUp() override {
    PublishTest::SetUp();
    for (const int rows : {5, 8, kBefore}) {
      Source({{kDay, rows}});
      MustPublish(kDay);
      Pass(hours(30));
    }
    Source({{kDay, kAfter}});
    before_ = store_;
    partition_ = Partition();
  }

  /// As it was after SetUp().
  void Start() {
    store_ = std::make_shared<store::MemoryObjectStore>();
    const auto all = before_->List({});
    for (const store::ObjectInfo& object : all->objects) {
      ASSERT_TRUE(store_->Put(object.key, *before_->Read(object.key, 1 << 20), store::PutMode::kOverwrite).ok());
    }
    catalog::HivePartition now = Partition();
    now.location = partition_.location;
    now.parameters = partition_.parameters;
    ASSERT_TRUE(catalog_->UpdatePartitions(definition_.table, {now})->at(0).ok());
  }

  void CheckReaders(uint64_t n) {
    const int64_t rows = Rows();
    EXPECT_TRUE(rows == kBefore || rows == kAfter) << rows << " at call " << n;
    // The catalog's signature is that of what readers see (C-57).
    const auto parameters = Partition().parameters;
    const auto signature = parameters.find(kSignatureParameter);
    if (signature == parameters.end()) return;
    EXPECT_EQ(signature->second.find(":" + std::to_string(rows) + ":") != std::string::npos, true) << signature->second;
    // Beside a run there is one only where readers were moved to it.
    for (const publish::Run& run : Runs()) {
      const bool noted = store_->Head(run.folder + "/" + std::string(kSignatureFile)).ok();
      if (rows == kBefore && run.id == Runs().back().id && Runs().size() > 2) {
        EXPECT_FALSE(noted) << "at call " << n;
      }
    }
  }

  void CheckTheNextRunEndsTheWork(uint64_t n) {
    Pass(Lease::kLength);  // the dead publisher's lease runs out
    const PublishOutcome next = PublishDay(kDay);
    EXPECT_TRUE(next.end == PublishEnd::kPublished || next.end == PublishEnd::kUnchanged) << next.status.ToString();
    EXPECT_EQ(Rows(), kAfter) << "at call " << n;
    for (int round = 0; round < 2; ++round) {  // the first one marks what was never seen unused
      Pass(hours(1000));
      ASSERT_TRUE(CleanDayOn(PortsOn(*catalog_, *store_)).ok());
    }
    EXPECT_EQ(Rows(), kAfter) << "at call " << n;
    EXPECT_EQ(Runs().size(), 2U) << "at call " << n;
    const auto all = store_->List({});
    for (const store::ObjectInfo& object : all->objects) {
      EXPECT_TRUE(object.key.starts_with(Runs()[0].folder) || object.key.starts_with(Runs()[1].folder) ||
                  object.key.ends_with("_lease.json"))
          << object.key << " is an orphan, at call " << n;
    }
    ASSERT_TRUE(Back().ok());
    EXPECT_NE(Rows(), kAfter);
    EXPECT_GT(Rows(), 0);
  }

  std::shared_ptr<store::MemoryObjectStore> before_;
  catalog::HivePartition partition_;
};

class StoreFaultTest : public PublishFaultTest, public testing::WithParamInterface<FaultMode> {};

TEST_P(StoreFaultTest, WhereverTheStoreFailsReadersSeeARunAndTheNextPublishEndsTheWork) {
  uint64_t n = 1;
  for (bool happened = true; happened && !HasFailure(); ++n) {
    Start();
    store::FaultObjectStore faulty(store_, {n, GetParam(), {}, {}});
    const PublishOutcome outcome = PublishDayOn(PortsOn(*catalog_, faulty), kDay);
    if (outcome.end == PublishEnd::kPublished) {
      EXPECT_EQ(Rows(), kAfter);
    }
    happened = faulty.fault_happened();
    CheckReaders(n);
    CheckTheNextRunEndsTheWork(n);
  }
  EXPECT_GT(n, 20U);
}

INSTANTIATE_TEST_SUITE_P(Modes, StoreFaultTest,
                         testing::Values(FaultMode::kErrorOnce, FaultMode::kErrorFromThenOn, FaultMode::kReplyLost,
                                         FaultMode::kCrash));

class CatalogFaultTest : public PublishFaultTest, public testing::WithParamInterface<std::pair<bool, bool>> {};

TEST_P(CatalogFaultTest, WhereverTheCatalogFailsReadersSeeARunAndTheNextPublishEndsTheWork) {
  int n = 1;
  for (bool happened = true; happened && !HasFailure(); ++n) {
    Start();
    FaultyCatalog faulty(*catalog_);
    faulty.fail_at = n;
    std::tie(faulty.reply_lost, faulty.for_good) = GetParam();
    const PublishOutcome outcome = PublishDayOn(PortsOn(faulty, *store_), kDay);
    if (outcome.end == PublishEnd::kPublished) {
      EXPECT_EQ(Rows(), kAfter);
    }
    happened = faulty.happened();
    CheckReaders(static_cast<uint64_t>(n));
    CheckTheNextRunEndsTheWork(static_cast<uint64_t>(n));
  }
  EXPECT_GT(n, 5);
}

INSTANTIATE_TEST_SUITE_P(Modes, CatalogFaultTest,
                         testing::Values(std::pair(false, false), std::pair(false, true), std::pair(true, false),
                                         std::pair(true, true)));

class RollbackFaultTest : public PublishFaultTest, public testing::WithParamInterface<FaultMode> {};

TEST_P(RollbackFaultTest, WhereverTheStoreFailsReadersSeeARunAndItStays) {
  uint64_t n = 1;
  for (bool happened = true; happened && !HasFailure(); ++n) {
    Start();
    store::FaultObjectStore faulty(store_, {n, GetParam(), {}, {}});
    const auto back = Rollback(definition_, {kDay}, std::nullopt, PortsOn(*catalog_, faulty));
    happened = faulty.fault_happened();
    if (back.ok()) {
      EXPECT_EQ(Rows(), 8);
    }
    EXPECT_TRUE(Rows() == 8 || Rows() == kBefore) << Rows() << " at call " << n;
    const int64_t seen = Rows();
    Pass(hours(1000));
    ASSERT_TRUE(CleanDayOn(PortsOn(*catalog_, *store_)).ok());
    EXPECT_EQ(Rows(), seen) << "at call " << n;
  }
  EXPECT_GT(n, 8U);
}

INSTANTIATE_TEST_SUITE_P(Modes, RollbackFaultTest,
                         testing::Values(FaultMode::kErrorOnce, FaultMode::kReplyLost, FaultMode::kCrash));

}  // namespace
}  // namespace tidegate::publish
