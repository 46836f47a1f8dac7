#include "tidegate/store/metered/metered_object_store.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::store {
namespace {

constexpr auto kOver = PutMode::kOverwrite;

TEST(MeteredObjectStoreTest, CountsEachKindOfRequestAndItsBytes) {
  MeteredObjectStore store(std::make_shared<MemoryObjectStore>());
  const ObjectInfo data = *store.Put("t/0.parquet", "0123456789", kOver);
  auto writer = *store.NewWriter("t/_SUCCESS", kOver);
  ASSERT_TRUE(writer->Append("abc").ok() && writer->Finish().ok());
  ASSERT_TRUE(store.List({}).ok());
  ASSERT_TRUE(store.Head("t/_SUCCESS").ok());
  ASSERT_TRUE(store.Read("t/_SUCCESS", 9).ok());
  std::string out(4, '\0');
  ASSERT_TRUE((*store.Open(data))->ReadAt(8, out).ok());
  AdoptMethod method;
  ASSERT_TRUE(store.Adopt(store, data, "lake/0.parquet", &method).ok());
  ASSERT_TRUE(store.Delete({"t/_SUCCESS", "t/0.parquet"}).ok());
  ASSERT_TRUE(store.Sync().ok());

  const StoreCounters counters = store.Snapshot();
  EXPECT_EQ(counters.lists, 1U);
  EXPECT_EQ(counters.requests(), 11U);
  EXPECT_EQ(counters.deletes, 1U);
  EXPECT_EQ(counters.syncs, 1U);
  const Traffic all{.heads = 1,
                    .opens = 2,
                    .reads = 3,
                    .puts = 2,
                    .adopts = 1,
                    .deleted_keys = 2,
                    .bytes_read = 15,
                    .bytes_written = 13,
                    .bytes_adopted = 10};
  EXPECT_EQ(counters.all, all);
  // The adoption read the source through this same store.
  const Traffic of_data{.heads = 0,
                        .opens = 2,
                        .reads = 2,
                        .puts = 1,
                        .adopts = 1,
                        .deleted_keys = 1,
                        .bytes_read = 12,
                        .bytes_written = 10,
                        .bytes_adopted = 10};
  EXPECT_EQ(counters.data, of_data);
}

TEST(MeteredObjectStoreTest, AFailedRequestCountsWithoutBytes) {
  MeteredObjectStore store(std::make_shared<MemoryObjectStore>());
  ASSERT_TRUE(store.Put("k", "12345", kOver).ok());
  EXPECT_FALSE(store.Read("k", 1).ok());
  EXPECT_FALSE(store.Read("none.parquet", 1).ok());
  EXPECT_FALSE(store.Put("k", "1", PutMode::kCreateOnly).ok());
  const StoreCounters counters = store.Snapshot();
  EXPECT_EQ(counters.all.reads, 2U);
  EXPECT_EQ(counters.all.bytes_read, 0U);
  EXPECT_EQ(counters.data.reads, 1U);
  EXPECT_EQ(counters.all.puts, 2U);
  EXPECT_EQ(counters.all.bytes_written, 5U);
}

TEST(MeteredObjectStoreTest, NoCountIsLostBetweenThreads) {
  MeteredObjectStore store(std::make_shared<MemoryObjectStore>());
  ASSERT_TRUE(store.Put("a.parquet", "xy", kOver).ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) (void)store.Read("a.parquet", 9);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.Snapshot().data.reads, 2000U);
  EXPECT_EQ(store.Snapshot().data.bytes_read, 4000U);
}

TEST(MeteredObjectStoreTest, AListingTakesARequestForEachThousandKeys) {
  const auto inner = std::make_shared<MemoryObjectStore>();
  MeteredObjectStore store(inner);
  for (int i = 0; i < 1'001; ++i) {
    ASSERT_TRUE(inner->Put("k" + std::to_string(i), "", PutMode::kOverwrite).ok());
    if (i != 999) continue;
    ASSERT_TRUE(store.List({}).ok());
  }
  EXPECT_EQ(store.Snapshot().lists, 1U);
  ASSERT_TRUE(store.List({}).ok());
  EXPECT_EQ(store.Snapshot().lists, 3U);
}

}  // namespace
}  // namespace tidegate::store
