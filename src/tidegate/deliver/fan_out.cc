#include "tidegate/deliver/fan_out.h"

#include <arrow/c/abi.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tidegate::deliver {
namespace {

constexpr size_t kQueuedBatches = 8;

/// An array that is released with its owner unless it was given away.
class Batch {
 public:
  Batch() { array_.release = nullptr; }
  Batch(Batch&& other) noexcept : array_(other.array_) { other.array_.release = nullptr; }
  Batch& operator=(Batch&& other) noexcept {
    std::swap(array_, other.array_);
    return *this;
  }
  ~Batch() {
    if (array_.release != nullptr) array_.release(&array_);
  }
  ArrowArray* get() { return &array_; }
  bool is_end() const { return array_.release == nullptr; }
  void MoveTo(ArrowArray* out) {
    *out = array_;
    array_.release = nullptr;
  }

 private:
  ArrowArray array_;
};

/// The source stream, read by one thread, asked for its schema by all.
class SharedSource {
 public:
  explicit SharedSource(ArrowArrayStream* stream) : stream_(stream) {}
  ~SharedSource() { stream_->release(stream_); }
  SharedSource(const SharedSource&) = delete;

  Status Schema(ArrowSchema* out) {
    const std::lock_guard lock(mutex_);
    return StatusOf(stream_->get_schema(stream_, out));
  }

  Status Next(Batch& out) {
    const std::lock_guard lock(mutex_);
    return StatusOf(stream_->get_next(stream_, out.get()));
  }

 private:
  Status StatusOf(int error) {
    if (error == 0) return Status::Ok();
    const char* said = stream_->get_last_error(stream_);
    const std::string message = said == nullptr ? "the query failed while its rows were read" : said;
    return error == ECANCELED ? Cancelled(message) : InvalidArgument(message);
  }

  std::mutex mutex_;
  ArrowArrayStream* stream_;
};

/// A bounded queue of batches with one writer and one reader.
class Channel {
 public:
  /// False where nobody reads any more.
  bool Push(Batch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return abandoned_ || batches_.size() < kQueuedBatches; });
    if (abandoned_) return false;
    batches_.push_back(std::move(batch));
    changed_.notify_all();
    return true;
  }

  /// No batch comes any more; an error drops those that wait.
  void End(Status status) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    end_ = std::move(status);
    if (!end_.ok()) batches_.clear();
    changed_.notify_all();
  }

  /// The next batch, or the end.
  Status Next(ArrowArray* out) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !batches_.empty(); });
    out->release = nullptr;
    if (batches_.empty()) {
      told_failure_ = !end_.ok();
      return end_;
    }
    batches_.front().MoveTo(out);
    batches_.pop_front();
    changed_.notify_all();
    return Status::Ok();
  }

  /// Did the reader learn of a failure from here? Then its own is the echo of that one.
  bool told_failure() const { return told_failure_; }

  void Abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    batches_.clear();
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  bool abandoned_ = false;
  bool ended_ = false;
  bool told_failure_ = false;
  Status end_;
};

/// What stands behind the stream of one slice.
struct SliceStream {
  SharedSource* source;
  Channel* channel;
  std::string last_error;

  int Report(const Status& status) {
    last_error = status.message();
    if (status.ok()) return 0;
    return status.code() == Code::kCancelled ? ECANCELED : EIO;
  }
};

SliceStream& Of(ArrowArrayStream* stream) { return *static_cast<SliceStream*>(stream->private_data); }

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) { return Of(stream).Report(Of(stream).source->Schema(out)); }

int GetNext(ArrowArrayStream* stream, ArrowArray* out) { return Of(stream).Report(Of(stream).channel->Next(out)); }

const char* GetLastError(ArrowArrayStream* stream) {
  const std::string& message = Of(stream).last_error;
  return message.empty() ? nullptr : message.c_str();
}

void Release(ArrowArrayStream* stream) {
  Of(stream).channel->Abandon();
  delete &Of(stream);
  stream->release = nullptr;
}

/// One consumer at work.
class Slice {
 public:
  Slice(SharedSource& source, const SliceConsumer& consume, int number) {
    thread_ = std::thread([this, &source, &consume, number] {
      ArrowArrayStream stream{GetSchema, GetNext, GetLastError, Release, new SliceStream{&source, &channel_, {}}};
      result_ = consume(number, &stream);
    });
  }
  ~Slice() {
    if (thread_.joinable()) thread_.join();
  }
  Slice(const Slice&) = delete;

  Channel& channel() { return channel_; }
  Status Join() {
    thread_.join();
    return result_;
  }

 private:
  Channel channel_;
  Status result_;
  std::thread thread_;
};

class Dealer {
 public:
  Dealer(ArrowArrayStream* source, const SliceConsumer& consume) : source_(source), consume_(consume) {}

  Status Run(size_t slices, const std::function<Status(int64_t)>& on_batch) {
    Status dealt = Deal(slices, on_batch);
    if (dealt.ok() && slices_.empty()) dealt = Start();
    const Status end = dealt.ok() && left_ ? Cancelled("another slice failed") : dealt;
    for (const auto& slice : slices_) slice->channel().End(end);
    const Status consumed = JoinAll();
    if (!dealt.ok()) return dealt;
    return consumed.ok() && left_ ? Internal("a slice stopped reading before its rows ended") : consumed;
  }

 private:
  Status Deal(size_t slices, const std::function<Status(int64_t)>& on_batch) {
    for (size_t number = 0; !left_; ++number) {
      Batch batch;
      TG_RETURN_IF_ERROR(source_.Next(batch));
      if (batch.is_end()) return Status::Ok();
      TG_RETURN_IF_ERROR(on_batch(batch.get()->length));
      const size_t slice = number % slices;
      if (slice == slices_.size()) TG_RETURN_IF_ERROR(Start());
      left_ = !slices_[slice]->channel().Push(std::move(batch));
    }
    return Status::Ok();
  }

  Status Start() {
    try {
      slices_.push_back(std::make_unique<Slice>(source_, consume_, static_cast<int>(slices_.size())));
      return Status::Ok();
    } catch (const std::system_error&) {
      return Unavailable("the system gives no further thread; use fewer slices");
    }
  }

  /// The first failure that is not the echo of another one.
  Status JoinAll() {
    Status echo;
    Status failure;
    for (const auto& slice : slices_) {
      Status status = slice->Join();
      Status& kept = slice->channel().told_failure() ? echo : failure;
      if (kept.ok()) kept = std::move(status);
    }
    return failure.ok() ? echo : failure;
  }

  SharedSource source_;
  const SliceConsumer& consume_;
  std::vector<std::unique_ptr<Slice>> slices_;
  bool left_ = false;  // a consumer went away
};

}  // namespace

Status FanOut(ArrowArrayStream* source, int slices, const SliceConsumer& consume,
              const std::function<Status(int64_t rows)>& on_batch) {
  return Dealer(source, consume).Run(static_cast<size_t>(slices), on_batch);
}

}  // namespace tidegate::deliver
