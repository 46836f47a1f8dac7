#include "tidegate/store/fault/fault_object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::store {
namespace {

constexpr auto kOver = PutMode::kOverwrite;

class FaultObjectStoreTest : public testing::Test {
 protected:
  bool Inside(std::string_view key) { return memory_->Head(key).ok(); }
  const std::shared_ptr<MemoryObjectStore> memory_ = std::make_shared<MemoryObjectStore>();
};

TEST_F(FaultObjectStoreTest, ErrorOnceLeavesTheCallUndoneAndLaterOnesFine) {
  FaultObjectStore store(memory_, {.fail_at = 2, .mode = FaultMode::kErrorOnce});
  EXPECT_TRUE(store.Put("1", "", kOver).ok());
  EXPECT_EQ(store.Put("2", "", kOver).status().code(), Code::kUnavailable);
  EXPECT_TRUE(store.fault_happened());
  EXPECT_TRUE(store.Put("3", "", kOver).ok());
  EXPECT_TRUE(Inside("1") && !Inside("2") && Inside("3"));
}

TEST_F(FaultObjectStoreTest, ErrorFromThenOnNeverRecovers) {
  FaultObjectStore store(memory_, {.fail_at = 2, .mode = FaultMode::kErrorFromThenOn});
  EXPECT_TRUE(store.Put("1", "", kOver).ok());
  EXPECT_FALSE(store.Put("2", "", kOver).ok());
  EXPECT_EQ(store.List({}).status().code(), Code::kUnavailable);
  EXPECT_FALSE(store.Sync().ok());
}

TEST_F(FaultObjectStoreTest, AReplyThatIsLostBelongsToACallThatWasDone) {
  FaultObjectStore store(memory_, {.fail_at = 1, .mode = FaultMode::kReplyLost});
  EXPECT_EQ(store.Put("1", "x", PutMode::kCreateOnly).status().code(), Code::kUnknownOutcome);
  EXPECT_TRUE(Inside("1"));
  EXPECT_EQ(*store.Read("1", 9), "x");
}

TEST_F(FaultObjectStoreTest, ALostReplyToAFailureStaysThatFailure) {
  FaultObjectStore store(memory_, {.fail_at = 1, .mode = FaultMode::kReplyLost});
  EXPECT_EQ(store.Head("none").status().code(), Code::kNotFound);
}

TEST_F(FaultObjectStoreTest, AfterACrashNothingReachesTheStoreAnyMore) {
  FaultObjectStore store(memory_, {.fail_at = 4, .mode = FaultMode::kCrash});
  EXPECT_TRUE(store.Put("1", "", kOver).ok());
  auto writer = *store.NewWriter("2", kOver);
  EXPECT_TRUE(writer->Append("x").ok());
  EXPECT_EQ(writer->Finish().status().code(), Code::kInternal);
  EXPECT_FALSE(store.Put("3", "", kOver).ok());
  EXPECT_FALSE(store.Delete({"1"}).ok());
  EXPECT_TRUE(Inside("1") && !Inside("2") && !Inside("3"));
}

TEST_F(FaultObjectStoreTest, ACrashOfOneKindStopsEveryKind) {
  FaultObjectStore store(memory_, {.fail_at = 1, .mode = FaultMode::kCrash, .only = CallKind::kSync});
  EXPECT_TRUE(store.Put("1", "", kOver).ok());
  EXPECT_FALSE(store.Sync().ok());
  EXPECT_FALSE(store.Put("2", "", kOver).ok());
  memory_->DropUnsynced();
  EXPECT_FALSE(Inside("1"));
}

TEST_F(FaultObjectStoreTest, OnlyTheChosenKindCounts) {
  FaultObjectStore store(memory_, {.fail_at = 2, .only = CallKind::kPut, .code = Code::kPermissionDenied});
  EXPECT_TRUE(store.Put("1", "", kOver).ok());
  EXPECT_TRUE(store.Sync().ok());
  EXPECT_TRUE(store.List({}).ok());
  EXPECT_EQ(store.Put("2", "", kOver).status().code(), Code::kPermissionDenied);
  EXPECT_EQ(store.counted_calls(), 2U);
}

TEST_F(FaultObjectStoreTest, CallsOfReadersAndWritersCountToo) {
  FaultObjectStore store(memory_);
  auto writer = *store.NewWriter("d/k", kOver);
  ASSERT_TRUE(writer->Append("abc").ok() && writer->Finish().ok());
  auto reader = *OpenCurrent(store, "d/k");
  store.SetPlan({.fail_at = 1, .only = CallKind::kReadAt});
  std::string out(3, '\0');
  EXPECT_EQ(reader->ReadAt(0, out).status().code(), Code::kUnavailable);
  EXPECT_TRUE(reader->ReadAt(0, out).ok());
  ASSERT_TRUE(store.Sync().ok());
  EXPECT_THAT(store.calls(),
              testing::ElementsAre(StoreCall{CallKind::kNewWriter, "d/k"}, StoreCall{CallKind::kAppend, "d/k"},
                                   StoreCall{CallKind::kFinish, "d/k"}, StoreCall{CallKind::kHead, "d/k"},
                                   StoreCall{CallKind::kOpen, "d/k"}, StoreCall{CallKind::kReadAt, "d/k"},
                                   StoreCall{CallKind::kReadAt, "d/k"}, StoreCall{CallKind::kSync, ""}));
}

TEST_F(FaultObjectStoreTest, AWriterThatLostBytesNeverFinishes) {
  FaultObjectStore store(memory_, {.fail_at = 1, .only = CallKind::kAppend});
  auto writer = *store.NewWriter("k", kOver);
  EXPECT_FALSE(writer->Append("lost").ok());
  EXPECT_FALSE(writer->Append("kept").ok());
  EXPECT_FALSE(writer->Finish().ok());
  EXPECT_FALSE(Inside("k"));
}

TEST_F(FaultObjectStoreTest, ASweepEndsWhenNoCallIsLeftToFail) {
  uint64_t n = 1;
  for (;; ++n) {
    FaultObjectStore store(memory_, {.fail_at = n, .mode = FaultMode::kCrash});
    const bool done = store.Put("a", "", kOver).ok() && store.Put("b", "", kOver).ok() && store.Sync().ok();
    EXPECT_EQ(done, !store.fault_happened());
    if (!store.fault_happened()) break;
  }
  EXPECT_EQ(n, 4U);
}

}  // namespace
}  // namespace tidegate::store
