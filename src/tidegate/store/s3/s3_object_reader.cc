#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tidegate/store/s3/s3_transfer.h"

namespace tidegate::store {
namespace {

constexpr uint64_t kWindowMin = 256 << 10, kWindowMax = 8 << 20;
constexpr uint64_t kDirectFrom = 1 << 20;  // bigger reads pass the window by
constexpr uint64_t kRangeBytes = 8 << 20;
constexpr size_t kRangesAhead = 4;

/// A range on its way, or one that has come.
struct Range {
  std::unique_ptr<char[]> buffer;
  std::span<char> bytes;
  std::future<Status> done;
};

class S3Reader final : public RandomReader {
 public:
  S3Reader(S3Client& client, S3Transfers& transfers, ObjectInfo object, std::string shown_key)
      : client_(client), transfers_(transfers), object_(std::move(object)), shown_(object_) {
    shown_.key = std::move(shown_key);
  }

  const ObjectInfo& info() const override { return shown_; }

  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
    const uint64_t size = object_.size_bytes;
    if (offset >= size || out.empty()) return size_t{0};
    const std::span<char> wanted = out.first(std::min<uint64_t>(out.size(), size - offset));
    if (wanted.size() >= kDirectFrom) {
      TG_RETURN_IF_ERROR(ReadRanges(offset, wanted));
      return wanted.size();
    }
    if (!Holds(offset, wanted.size())) TG_RETURN_IF_ERROR(FillWindow(offset, wanted.size()));
    std::memcpy(wanted.data(), window_.data() + (offset - window_offset_), wanted.size());
    return wanted.size();
  }

  /// Some ranges are always on their way; when one fails, those are waited for.
  Status ReadAll(const std::function<Status(std::string_view)>& take) override {
    uint64_t asked = 0;
    std::array<Range, kRangesAhead> ranges;
    for (Range& range : ranges) Ask(range, asked);
    Status status;
    for (size_t next = 0; ranges[next].done.valid(); next = (next + 1) % kRangesAhead) {
      const Status came = ranges[next].done.get();
      if (status.ok()) status = came;
      if (status.ok()) status = take({ranges[next].bytes.data(), ranges[next].bytes.size()});
      if (status.ok()) Ask(ranges[next], asked);
    }
    return status;
  }

 private:
  /// For what comes after the first `asked` bytes, if there is more.
  void Ask(Range& range, uint64_t& asked) {
    const uint64_t offset = asked, bytes = std::min(kRangeBytes, object_.size_bytes - asked);
    if (bytes == 0) return;
    if (!range.buffer) range.buffer = std::make_unique_for_overwrite<char[]>(bytes);
    range.bytes = {range.buffer.get(), bytes};
    asked += bytes;
    range.done =
        transfers_.pool.Submit([this, offset, out = range.bytes] { return client_.GetRange(object_, offset, out); });
  }

  bool Holds(uint64_t offset, uint64_t bytes) const {
    return offset >= window_offset_ && offset + bytes <= window_offset_ + window_.size();
  }

  Status FillWindow(uint64_t offset, uint64_t bytes) {
    const bool follows = !window_.empty() && offset >= window_offset_ && offset <= window_offset_ + window_.size();
    window_bytes_ = follows ? std::min(window_bytes_ * 2, kWindowMax) : kWindowMin;
    const uint64_t size = object_.size_bytes;
    const uint64_t length = std::min(size, std::max(window_bytes_, bytes));
    const uint64_t begin = std::min(offset, size - length);  // near the end: also what lies before, as footers want it
    std::string fresh(length, '\0');
    TG_RETURN_IF_ERROR(client_.GetRange(object_, begin, fresh));
    window_ = std::move(fresh);
    window_offset_ = begin;
    return {};
  }

  Status ReadRanges(uint64_t offset, std::span<char> out) {
    if (out.size() <= kRangeBytes) return client_.GetRange(object_, offset, out);
    std::vector<std::future<Status>> ranges;
    for (uint64_t at = 0; at < out.size(); at += kRangeBytes) {
      const std::span<char> range = out.subspan(at, std::min<uint64_t>(kRangeBytes, out.size() - at));
      ranges.push_back(
          transfers_.pool.Submit([this, offset, at, range] { return client_.GetRange(object_, offset + at, range); }));
    }
    return WaitForAll(ranges);
  }

  S3Client& client_;
  S3Transfers& transfers_;
  const ObjectInfo object_;
  ObjectInfo shown_;
  std::string window_;
  uint64_t window_offset_ = 0;
  uint64_t window_bytes_ = kWindowMin;
};

}  // namespace

std::unique_ptr<RandomReader> NewS3Reader(S3Client& client, S3Transfers& transfers, ObjectInfo object,
                                          std::string shown_key) {
  return std::make_unique<S3Reader>(client, transfers, std::move(object), std::move(shown_key));
}

}  // namespace tidegate::store
