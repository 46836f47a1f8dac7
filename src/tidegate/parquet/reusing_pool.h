// ReusingPool: memory that is kept when it is freed, and given out again.
//
// Decoding takes a few large blocks for each row group and frees them at its end. Memory that is new each time is
// zeroed by the system, page by page: that took 5 % of the time of reading text.
//
// Blocks below kSmallest are not kept, and at most kMostIdle bytes. Sizes are rounded up to an eighth, so that blocks
// of about the same size stand in for each other.
//
// Threads: any.
#pragma once

#include <arrow/memory_pool.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tidegate::parquet {

class ReusingPool final : public arrow::MemoryPool {
 public:
  static constexpr int64_t kSmallest = int64_t{256} << 10;
  static constexpr int64_t kMostIdle = int64_t{32} << 20;
  /// Not under the address sanitizer: it shall see each use of what was freed.
#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool kReuses = false;
#else
  static constexpr bool kReuses = true;
#endif

  /// Requires: `base` outlives it.
  explicit ReusingPool(arrow::MemoryPool* base) : base_(base) {}
  ~ReusingPool() override;

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** block) override;
  void Free(uint8_t* block, int64_t size, int64_t alignment) override;
  void ReleaseUnused() override;

  int64_t bytes_allocated() const override { return base_->bytes_allocated(); }
  int64_t max_memory() const override { return base_->max_memory(); }
  int64_t total_bytes_allocated() const override { return base_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return base_->num_allocations(); }
  std::string backend_name() const override { return base_->backend_name(); }

 private:
  arrow::MemoryPool* base_;
  std::mutex mutex_;
  std::map<int64_t, std::vector<uint8_t*>> idle_;  // by size
  int64_t idle_bytes_ = 0;
};

}  // namespace tidegate::parquet
