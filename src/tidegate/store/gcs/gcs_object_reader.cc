#include "tidegate/store/gcs/gcs_object_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidegate::store {
namespace {

constexpr uint64_t kWindowMin = 256 << 10, kWindowMax = 8 << 20;
constexpr uint64_t kDirectFrom = 1 << 20;  // bigger reads pass the window by

class GcsReader final : public RandomReader {
 public:
  GcsReader(GcsClient& client, GcsFile file, std::string shown_key)
      : client_(client), file_(std::move(file)), shown_(file_.info) {
    shown_.key = std::move(shown_key);
  }

  const ObjectInfo& info() const override { return shown_; }

  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
    const uint64_t size = shown_.size_bytes;
    if (offset >= size || out.empty()) return size_t{0};
    const std::span<char> wanted = out.first(std::min<uint64_t>(out.size(), size - offset));
    if (wanted.size() >= kDirectFrom) {
      TG_RETURN_IF_ERROR(client_.Read(file_, offset, wanted, stream_at_));
      return wanted.size();
    }
    if (!Holds(offset, wanted.size())) TG_RETURN_IF_ERROR(FillWindow(offset, wanted.size()));
    std::memcpy(wanted.data(), window_.data() + (offset - window_offset_), wanted.size());
    return wanted.size();
  }

 private:
  bool Holds(uint64_t offset, uint64_t bytes) const {
    return offset >= window_offset_ && offset + bytes <= window_offset_ + window_.size();
  }

  Status FillWindow(uint64_t offset, uint64_t bytes) {
    const uint64_t size = shown_.size_bytes, end = window_offset_ + window_.size();
    const bool follows = !window_.empty() && offset >= window_offset_ && offset <= end;
    window_bytes_ = follows ? std::min(window_bytes_ * 2, kWindowMax) : kWindowMin;
    const uint64_t wanted = std::max(window_bytes_, bytes);
    if (follows && end == stream_at_) return Refill(offset, window_.substr(offset - window_offset_), wanted);
    // Near the end: also what lies before, as footers want it.
    return Refill(offset == stream_at_ ? offset : std::min(offset, size - std::min(size, wanted)), "", wanted);
  }

  /// A window from `begin` on, of which `kept` is there already.
  Status Refill(uint64_t begin, std::string kept, uint64_t bytes) {
    const size_t there = kept.size();
    kept.resize(std::max<uint64_t>(there, std::min(shown_.size_bytes - begin, bytes)));
    TG_RETURN_IF_ERROR(client_.Read(file_, begin + there, std::span(kept).subspan(there), stream_at_));
    window_ = std::move(kept);
    window_offset_ = begin;
    return {};
  }

  GcsClient& client_;
  const GcsFile file_;
  ObjectInfo shown_;
  uint64_t stream_at_ = 0;
  std::string window_;
  uint64_t window_offset_ = 0;
  uint64_t window_bytes_ = kWindowMin;
};

}  // namespace

std::unique_ptr<RandomReader> NewGcsReader(GcsClient& client, GcsFile file, std::string shown_key) {
  return std::make_unique<GcsReader>(client, std::move(file), std::move(shown_key));
}

}  // namespace tidegate::store
