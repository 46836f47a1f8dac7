#include "tidegate/deliver/fan_out.h"

#include <arrow/c/abi.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace tidegate::deliver {
namespace {

/// A stream of empty-bodied batches of 1, 2, 3, … rows that counts what was released.
struct Numbers {
  int batches = 0;
  int fail_at = -1;  // this call of get_next fails
  int error = EIO;
  int next = 0;
  int released_batches = 0;
  bool released = false;

  ArrowArrayStream Stream() {
    ArrowArrayStream stream{};
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
      *out = ArrowSchema{};
      out->format = "+s";
      out->release = [](ArrowSchema* schema) { schema->release = nullptr; };
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      Numbers& numbers = *static_cast<Numbers*>(self->private_data);
      *out = ArrowArray{};
      if (numbers.next == numbers.fail_at) return numbers.error;
      if (numbers.next == numbers.batches) return 0;
      out->length = ++numbers.next;
      out->private_data = &numbers;
      out->release = [](ArrowArray* array) {
        static std::mutex mutex;
        const std::lock_guard lock(mutex);
        ++static_cast<Numbers*>(array->private_data)->released_batches;
        array->release = nullptr;
      };
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) { return "value 'x' is not a number"; };
    stream.release = [](ArrowArrayStream* self) {
      static_cast<Numbers*>(self->private_data)->released = true;
      self->release = nullptr;
    };
    return stream;
  }
};

/// Reads streams to their end and keeps the lengths of their batches.
struct Readers {
  explicit Readers(size_t slices) : lengths(slices), started(slices, 0) {}
  std::vector<std::vector<int64_t>> lengths;
  std::vector<int> started;
  std::string error;

  Status Read(int slice, ArrowArrayStream* stream) {
    ++started[static_cast<size_t>(slice)];
    ArrowSchema schema{};
    EXPECT_EQ(stream->get_schema(stream, &schema), 0);
    schema.release(&schema);
    Status status;
    for (;;) {
      ArrowArray array{};
      if (stream->get_next(stream, &array) != 0) {
        error = stream->get_last_error(stream);
        status = Internal("a slice's own words");
        break;
      }
      if (array.release == nullptr) break;
      lengths[static_cast<size_t>(slice)].push_back(array.length);
      array.release(&array);
    }
    stream->release(stream);
    return status;
  }
};

Status NoLimit(int64_t) { return Status::Ok(); }

Status Deal(Numbers& numbers, int slices, const SliceConsumer& consume,
            const std::function<Status(int64_t)>& on_batch = NoLimit) {
  ArrowArrayStream stream = numbers.Stream();
  const Status status = FanOut(&stream, slices, consume, on_batch);
  EXPECT_TRUE(numbers.released);
  EXPECT_EQ(numbers.released_batches, numbers.next);
  return status;
}

Status Deal(Numbers& numbers, Readers& readers) {
  return Deal(numbers, static_cast<int>(readers.lengths.size()),
              [&](int slice, ArrowArrayStream* stream) { return readers.Read(slice, stream); });
}

TEST(FanOutTest, BatchesGoRoundInOrder) {
  Numbers numbers{.batches = 7};
  Readers readers(3);
  ASSERT_TRUE(Deal(numbers, readers).ok());
  EXPECT_EQ(readers.lengths, (std::vector<std::vector<int64_t>>{{1, 4, 7}, {2, 5}, {3, 6}}));
}

TEST(FanOutTest, MoreBatchesThanTheQueueHoldsArriveInOrder) {
  Numbers numbers{.batches = 1000};
  Readers readers(1);
  ASSERT_TRUE(Deal(numbers, readers).ok());
  ASSERT_EQ(readers.lengths[0].size(), 1000u);
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(readers.lengths[0][static_cast<size_t>(i)], i + 1);
}

TEST(FanOutTest, WithoutRowsOnlyTheFirstSliceIsConsumed) {
  Numbers numbers;
  Readers readers(4);
  ASSERT_TRUE(Deal(numbers, readers).ok());
  EXPECT_EQ(readers.started, (std::vector<int>{1, 0, 0, 0}));
}

TEST(FanOutTest, ASliceWithoutABatchIsNotConsumed) {
  Numbers numbers{.batches = 2};
  Readers readers(4);
  ASSERT_TRUE(Deal(numbers, readers).ok());
  EXPECT_EQ(readers.started, (std::vector<int>{1, 1, 0, 0}));
}

TEST(FanOutTest, TheSourcesErrorReachesEverySliceAndTheCaller) {
  Numbers numbers{.batches = 9, .fail_at = 5};
  Readers readers(2);
  const Status status = Deal(numbers, readers);
  EXPECT_EQ(status, InvalidArgument("value 'x' is not a number"));
  EXPECT_EQ(readers.error, "value 'x' is not a number");
  Numbers interrupted{.batches = 9, .fail_at = 5, .error = ECANCELED};
  EXPECT_EQ(Deal(interrupted, readers).code(), Code::kCancelled);
}

TEST(FanOutTest, OneFailedSliceStopsAll) {
  Numbers numbers{.batches = 100'000};
  Readers readers(3);
  const Status status = Deal(numbers, 3, [&](int slice, ArrowArrayStream* stream) {
    if (slice != 1) return readers.Read(slice, stream);
    stream->release(stream);
    return Unavailable("disk full");
  });
  EXPECT_EQ(status, Unavailable("disk full"));
  EXPECT_LT(numbers.next, 100'000);
}

TEST(FanOutTest, ASliceThatStopsReadingWithoutAnErrorIsAnError) {
  Numbers numbers{.batches = 100};
  const Status status = Deal(numbers, 1, [&](int, ArrowArrayStream* stream) {
    stream->release(stream);
    return Status::Ok();
  });
  EXPECT_EQ(status.code(), Code::kInternal);
}

TEST(FanOutTest, TheCallerStopsItBetweenBatches) {
  Numbers numbers{.batches = 100};
  Readers readers(2);
  int64_t rows = 0;
  const Status status = Deal(
      numbers, 2, [&](int slice, ArrowArrayStream* stream) { return readers.Read(slice, stream); },
      [&](int64_t more) {
        rows += more;
        return rows > 10 ? Cancelled("asked to stop") : Status::Ok();
      });
  EXPECT_EQ(status, Cancelled("asked to stop"));
  EXPECT_EQ(numbers.next, 5);
}

}  // namespace
}  // namespace tidegate::deliver
