#include "tidegate/parquet/reusing_pool.h"

#include <arrow/status.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tidegate::parquet {
namespace {

bool IsKept(int64_t size, int64_t alignment) {
  return ReusingPool::kReuses && size >= ReusingPool::kSmallest && size <= ReusingPool::kMostIdle &&
         alignment == arrow::kDefaultBufferAlignment;
}

/// Up to an eighth more.
int64_t Rounded(int64_t size) {
  const auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size)) / 8);
  return (size + step - 1) / step * step;
}

}  // namespace

ReusingPool::~ReusingPool() { ReusingPool::ReleaseUnused(); }

arrow::Status ReusingPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  if (!IsKept(size, alignment)) return base_->Allocate(size, alignment, out);
  const int64_t rounded = Rounded(size);
  {
    const std::lock_guard lock(mutex_);
    const auto found = idle_.find(rounded);
    if (found != idle_.end() && !found->second.empty()) {
      *out = found->second.back();
      found->second.pop_back();
      idle_bytes_ -= rounded;
      return arrow::Status::OK();
    }
  }
  return base_->Allocate(rounded, alignment, out);
}

arrow::Status ReusingPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** block) {
  if (!IsKept(old_size, alignment) && !IsKept(new_size, alignment))
    return base_->Reallocate(old_size, new_size, alignment, block);
  uint8_t* moved = nullptr;
  ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &moved));
  std::memcpy(moved, *block, static_cast<size_t>(std::min(old_size, new_size)));
  Free(*block, old_size, alignment);
  *block = moved;
  return arrow::Status::OK();
}

void ReusingPool::Free(uint8_t* block, int64_t size, int64_t alignment) {
  if (!IsKept(size, alignment)) return base_->Free(block, size, alignment);
  const int64_t rounded = Rounded(size);
  {
    const std::lock_guard lock(mutex_);
    if (idle_bytes_ + rounded <= kMostIdle) {
      idle_[rounded].push_back(block);
      idle_bytes_ += rounded;
      return;
    }
  }
  base_->Free(block, rounded, alignment);
}

void ReusingPool::ReleaseUnused() {
  const std::lock_guard lock(mutex_);
  for (const auto& [size, blocks] : idle_) {
    for (uint8_t* const block : blocks) base_->Free(block, size, arrow::kDefaultBufferAlignment);
  }
  idle_.clear();
  idle_bytes_ = 0;
}

}  // namespace tidegate::parquet
