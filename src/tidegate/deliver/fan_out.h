// Deal the batches of one Arrow C stream to several consumers, each in a thread of its own: how one query of one
// snapshot is written by several writers.
//
// Guarantees
// - Batch n goes to slice n modulo the number of slices: the same rows in the same order give the same slices.
// - Bounded memory: a reader that is ahead of its writers waits.
// - The first failure stops all; every thread has ended and the source is released when FanOut returns.
#pragma once

#include <cstdint>
#include <functional>

#include "tidegate/base/status.h"

struct ArrowArrayStream;  // Arrow C stream interface

namespace tidegate::deliver {

/// Read its stream to the end and release it in every case.
using SliceConsumer = std::function<Status(int slice, ArrowArrayStream* stream)>;

/// Read `source` in this thread and hand its batches out. Slice 0 is always consumed, another one only once there is a
/// batch for it. `on_batch` sees the rows of each batch before it is handed out; an error from it stops everything.
/// Errors: the source's (its message, as InvalidArgument; Cancelled), on_batch's, else the first consumer's.
Status FanOut(ArrowArrayStream* source, int slices, const SliceConsumer& consume,
              const std::function<Status(int64_t rows)>& on_batch);

}  // namespace tidegate::deliver
