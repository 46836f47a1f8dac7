// Fault sweep over a commit: the n-th call on the store goes wrong, n = 1, 2, … until a run is clean. After each: the
// table is as before or as after, whole; and a retry ends in the new state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/table/test_table.h"

namespace tidegate::table {
namespace {

using store::FaultMode;
using testing::ElementsAre;

class CommitFaultTest : public testing::TestWithParam<FaultMode> {
 protected:
  static constexpr char kFolder[] = "shop/orders";

  static std::shared_ptr<store::MemoryObjectStore> Prepared() {
    auto store = std::make_shared<store::MemoryObjectStore>();
    LakeTable table = NewTestTable(*store);
    EXPECT_TRUE(table.Commit(Adding({TestFile("a"), TestFile("b")}), kTestNow).ok());
    EXPECT_TRUE(table.Commit(Adding({TestDeletes("del1", "a")}), kTestNow).ok());
    return store;
  }

  static Change Step() {
    Change change = Removing({"b", "del1"});
    change.add = {TestFile("c"), TestDeletes("del2", "a")};
    return change;
  }

  static bool IsOld(const std::vector<std::string>& names) {
    return names == std::vector<std::string>{"a", "b", "del1"};
  }
  static bool IsNew(const std::vector<std::string>& names) {
    return names == std::vector<std::string>{"a", "c", "del2"};
  }

  /// Load and commit unless it is done already, as a next run would.
  static void Retry(store::ObjectStore& lake) {
    Result<LakeTable> table = LakeTable::Load(lake, kFolder);
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    if (IsNew(LiveNames(*table))) return;
    const Status status = table->Commit(Step(), kTestNow);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  static void CheckWhole(store::ObjectStore& lake, bool committed, uint64_t n) {
    const Result<LakeTable> table = LakeTable::Load(lake, kFolder);
    ASSERT_TRUE(table.ok()) << n << ": " << table.status().ToString();
    const std::vector<std::string> names = LiveNames(*table);
    EXPECT_TRUE(IsNew(names) || (!committed && IsOld(names))) << n << ": " << testing::PrintToString(names);
  }
};

TEST_P(CommitFaultTest, EveryFaultLeavesTheOldOrTheNewTableAndARetryEndsRight) {
  bool struck = true;
  for (uint64_t n = 1; struck; ++n) {
    ASSERT_LT(n, 100u);
    const auto inner = Prepared();
    store::FaultObjectStore lake(inner, {n, GetParam()});
    const Result<LakeTable> loaded = LakeTable::Load(lake, kFolder);
    bool committed = false;
    if (loaded.ok()) {
      LakeTable table = *loaded;
      committed = table.Commit(Step(), kTestNow).ok();
      EXPECT_TRUE(!committed || IsNew(LiveNames(*LakeTable::Load(*inner, kFolder))));
    }
    struck = lake.fault_happened();
    CheckWhole(*inner, committed, n);
    Retry(*inner);
    EXPECT_TRUE(IsNew(LiveNames(*LakeTable::Load(*inner, kFolder)))) << n;
  }
}

TEST_P(CommitFaultTest, APowerLossAfterwardsTakesNothingThatWasAcknowledged) {
  bool struck = true;
  std::mt19937_64 random(7);
  for (uint64_t n = 1; struck; ++n) {
    ASSERT_LT(n, 100u);
    const auto inner = Prepared();
    ASSERT_TRUE(inner->Sync().ok());
    store::FaultObjectStore lake(inner, {n, GetParam()});
    const Result<LakeTable> loaded = LakeTable::Load(lake, kFolder);
    bool committed = false;
    if (loaded.ok()) {
      LakeTable table = *loaded;
      committed = table.Commit(Step(), kTestNow).ok();
    }
    struck = lake.fault_happened();
    inner->DropUnsynced([&](const std::string&) { return random() % 2 == 0; });
    CheckWhole(*inner, committed, n);
    Retry(*inner);
    EXPECT_TRUE(IsNew(LiveNames(*LakeTable::Load(*inner, kFolder)))) << n;
  }
}

TEST_P(CommitFaultTest, TheFirstCommitOfATableIsAllOrNothing) {
  bool struck = true;
  for (uint64_t n = 1; struck; ++n) {
    ASSERT_LT(n, 100u);
    const auto inner = std::make_shared<store::MemoryObjectStore>();
    store::FaultObjectStore lake(inner, {n, GetParam()});
    LakeTable table = NewTestTable(lake);
    const bool committed = table.Commit(Adding({TestFile("a")}), kTestNow).ok();
    struck = lake.fault_happened();
    const Result<LakeTable> loaded = LakeTable::Load(*inner, kFolder);
    if (loaded.ok())
      EXPECT_THAT(LiveNames(*loaded), ElementsAre("a")) << n;
    else
      EXPECT_TRUE(!committed && loaded.status().code() == Code::kNotFound) << n << loaded.status().ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, CommitFaultTest,
                         testing::Values(FaultMode::kErrorOnce, FaultMode::kErrorFromThenOn, FaultMode::kReplyLost,
                                         FaultMode::kCrash));

class PointerFaultTest : public testing::Test {
 protected:
  /// Commit on a store whose puts fail from the n-th on, or once, with a code.
  Status CommitWith(store::FaultPlan plan) {
    inner_ = std::make_shared<store::MemoryObjectStore>();
    LakeTable first = NewTestTable(*inner_);
    EXPECT_TRUE(first.Commit(Adding({TestFile("a")}), kTestNow).ok());
    lake_ = std::make_unique<store::FaultObjectStore>(inner_);
    LakeTable table = *LakeTable::Load(*lake_, "shop/orders");
    lake_->SetPlan(plan);
    return table.Commit(Adding({TestFile("b")}), kTestNow);
  }
  size_t Objects() { return inner_->List({})->objects.size(); }

  // Puts of a commit: 1 manifest, 2 manifest list, 3 the version, 4 the hint.
  std::shared_ptr<store::MemoryObjectStore> inner_;
  std::unique_ptr<store::FaultObjectStore> lake_;
};

TEST_F(PointerFaultTest, ALostReplyOfThePointerIsSuccess) {
  for (const Code code : {Code::kUnknownOutcome, Code::kUnavailable, Code::kInternal, Code::kAlreadyExists}) {
    EXPECT_TRUE(CommitWith({3, FaultMode::kReplyLost, store::CallKind::kPut, code}).ok()) << CodeName(code);
  }
}

TEST_F(PointerFaultTest, ARefusedPointerLeavesNothingBehind) {
  for (const Code code : {Code::kPermissionDenied, Code::kInvalidArgument, Code::kUnauthenticated}) {
    EXPECT_EQ(CommitWith({3, FaultMode::kErrorOnce, store::CallKind::kPut, code}).code(), code);
    EXPECT_EQ(Objects(), 4u) << CodeName(code);  // manifest, list, version and hint of the first commit
  }
}

TEST_F(PointerFaultTest, WhileTheOutcomeIsOpenTheManifestsStay) {
  EXPECT_EQ(CommitWith({3, FaultMode::kErrorFromThenOn, store::CallKind::kPut, Code::kUnknownOutcome}).code(),
            Code::kUnknownOutcome);
  EXPECT_EQ(Objects(), 6u);
  EXPECT_EQ(CommitWith({3, FaultMode::kErrorFromThenOn, store::CallKind::kPut, Code::kUnavailable}).code(),
            Code::kUnavailable);
  EXPECT_EQ(Objects(), 6u);
  EXPECT_EQ(CommitWith({3, FaultMode::kErrorOnce, store::CallKind::kPut, Code::kCancelled}).code(), Code::kCancelled);
  EXPECT_EQ(Objects(), 6u);
}

TEST_F(PointerFaultTest, AFailedManifestTakesTheOthersWithIt) {
  for (const uint64_t n : {1, 2}) {
    EXPECT_EQ(CommitWith({n, FaultMode::kReplyLost, store::CallKind::kPut}).code(), Code::kUnknownOutcome);
    EXPECT_EQ(Objects(), 4u) << n;
  }
}

TEST_F(PointerFaultTest, AMissingHintIsNoFailure) {
  EXPECT_TRUE(CommitWith({4, FaultMode::kErrorOnce, store::CallKind::kPut}).ok());
  EXPECT_EQ(LakeTable::Load(*inner_, "shop/orders")->version(), 2);
}

TEST_F(PointerFaultTest, AFailedSyncAfterThePointerIsUnknownOutcome) {
  EXPECT_EQ(CommitWith({2, FaultMode::kErrorOnce, store::CallKind::kSync}).code(), Code::kUnknownOutcome);
  EXPECT_EQ(LakeTable::Load(*inner_, "shop/orders")->version(), 2);
}

}  // namespace
}  // namespace tidegate::table
