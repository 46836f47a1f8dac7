#include "tidegate/parquet/reusing_pool.h"

#include <arrow/status.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tidegate::parquet {
namespace {

constexpr int64_t kAlignment = arrow::kDefaultBufferAlignment;

uint8_t* Take(arrow::MemoryPool& pool, int64_t size) {
  uint8_t* block = nullptr;
  EXPECT_TRUE(pool.Allocate(size, kAlignment, &block).ok());
  return block;
}

TEST(ReusingPool, WhatWasFreedIsGivenOutAgainUpToAnEighthLarger) {
  if (!ReusingPool::kReuses) GTEST_SKIP() << "nothing is kept under the address sanitizer";
  arrow::ProxyMemoryPool base(arrow::default_memory_pool());
  {
    ReusingPool pool(&base);
    uint8_t* const first = Take(pool, 1'000'000);
    pool.Free(first, 1'000'000, kAlignment);
    const int64_t held = base.bytes_allocated();
    uint8_t* const second = Take(pool, 1'010'000);
    EXPECT_EQ(base.bytes_allocated(), held);
    std::fill_n(second, 1'010'000, uint8_t{7});
    uint8_t* const third = Take(pool, 2'000'000);
    EXPECT_GT(base.bytes_allocated(), held);
    pool.Free(second, 1'010'000, kAlignment);
    pool.Free(third, 2'000'000, kAlignment);
  }
  EXPECT_EQ(base.bytes_allocated(), 0);
}

TEST(ReusingPool, SmallBlocksAndMoreThanItsShareAreNotKept) {
  arrow::ProxyMemoryPool base(arrow::default_memory_pool());
  ReusingPool pool(&base);
  pool.Free(Take(pool, 1'000), 1'000, kAlignment);
  EXPECT_EQ(base.bytes_allocated(), 0);
  constexpr int64_t kSize = ReusingPool::kMostIdle / 2;
  std::vector<uint8_t*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(Take(pool, kSize));
  for (uint8_t* const block : blocks) pool.Free(block, kSize, kAlignment);
  EXPECT_LE(base.bytes_allocated(), ReusingPool::kMostIdle);
  pool.ReleaseUnused();
  EXPECT_EQ(base.bytes_allocated(), 0);
}

TEST(ReusingPool, BlocksKeepTheirBytesWhenTheyGrowAndShrink) {
  arrow::ProxyMemoryPool base(arrow::default_memory_pool());
  {
    ReusingPool pool(&base);
    std::mt19937 random(1);
    int64_t size = 100;
    uint8_t* block = Take(pool, size);
    std::fill_n(block, size, uint8_t{42});
    for (int i = 0; i < 200; ++i) {
      const int64_t next = 100 + static_cast<int64_t>(random() % 3'000'000);
      ASSERT_TRUE(pool.Reallocate(size, next, kAlignment, &block).ok());
      size = next;
      ASSERT_TRUE(std::all_of(block, block + 100, [](uint8_t byte) { return byte == 42; }));
    }
    pool.Free(block, size, kAlignment);
  }
  EXPECT_EQ(base.bytes_allocated(), 0);
}

}  // namespace
}  // namespace tidegate::parquet
