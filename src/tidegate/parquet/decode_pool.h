// Memory for decoding one foreign file, with a limit of its own: pages may lie about their size.
#pragma once

#include <arrow/memory_pool.h>

#include <cstdint>

#include "tidegate/parquet/reusing_pool.h"

namespace tidegate::parquet {

/// Decoding one file may hold no more than this at a time; a page that claims more is refused.
inline constexpr int64_t kMaxDecodeBytes = int64_t{4} << 30;

class DecodePool {
 public:
  arrow::MemoryPool* get() { return &capped_; }

 private:
  ReusingPool reusing_{arrow::default_memory_pool()};
  arrow::ProxyMemoryPool counted_{&reusing_};  // counts this file alone, not the whole process
  arrow::CappedMemoryPool capped_{&counted_, kMaxDecodeBytes};
};

}  // namespace tidegate::parquet
