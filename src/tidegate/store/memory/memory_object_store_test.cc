#include "tidegate/store/memory/memory_object_store.h"

#include <gtest/gtest.h>

namespace tidegate::store {
namespace {

constexpr auto kOver = PutMode::kOverwrite;

TEST(MemoryObjectStoreTest, APowerLossTakesEverythingSinceTheLastSync) {
  MemoryObjectStore store;
  ASSERT_TRUE(store.Put("kept", "1", kOver).ok());
  ASSERT_TRUE(store.Put("changed", "old", kOver).ok());
  ASSERT_TRUE(store.Put("deleted", "old", kOver).ok());
  ASSERT_TRUE(store.Sync().ok());
  const ObjectInfo changed = *store.Head("changed");
  ASSERT_TRUE(store.Put("changed", "new", kOver).ok());
  ASSERT_TRUE(store.Put("changed", "newer", kOver).ok());
  ASSERT_TRUE(store.Put("made", "new", kOver).ok());
  ASSERT_TRUE(store.Delete({"deleted", "never there"}).ok());
  store.DropUnsynced();
  EXPECT_EQ(*store.Read("kept", 9), "1");
  EXPECT_EQ(*store.Read("changed", 9), "old");
  EXPECT_EQ(*store.Head("changed"), changed);
  EXPECT_EQ(*store.Read("deleted", 9), "old");
  EXPECT_EQ(store.Head("made").status().code(), Code::kNotFound);
  EXPECT_EQ(store.List({})->objects.size(), 3U);
}

TEST(MemoryObjectStoreTest, APowerLossMayTakeOnlyAPart) {
  MemoryObjectStore store;
  ASSERT_TRUE(store.Put("data", "1", kOver).ok());
  ASSERT_TRUE(store.Put("pointer", "1", kOver).ok());
  store.DropUnsynced([](const std::string& key) { return key == "data"; });
  EXPECT_FALSE(store.Head("data").ok());
  store.DropUnsynced();  // what the first power loss left is durable
  EXPECT_TRUE(store.Head("pointer").ok());
}

TEST(MemoryObjectStoreTest, EtagsNeverRepeatEvenAfterAPowerLoss) {
  MemoryObjectStore store;
  const std::string lost = store.Put("k", "1", kOver)->etag;
  store.DropUnsynced();
  EXPECT_NE(store.Put("k", "1", kOver)->etag, lost);
}

TEST(MemoryObjectStoreTest, TimesComeFromTheClock) {
  const auto clock = std::make_shared<FixedClock>(*ParseRfc3339("2026-11-03T03:00:00Z"));
  MemoryObjectStore store(clock);
  EXPECT_EQ(store.Put("k", "", kOver)->modified, clock->Now());
}

}  // namespace
}  // namespace tidegate::store
