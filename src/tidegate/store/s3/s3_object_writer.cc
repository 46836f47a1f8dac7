#include <algorithm>
#include <vector>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/store/s3/s3_object_store.h"
#include "tidegate/store/s3/s3_transfer.h"

namespace tidegate::store {
namespace {

constexpr int kMostParts = 10'000;

class S3Writer final : public ObjectWriter {
 public:
  S3Writer(S3Client& client, S3Transfers& transfers, std::string key, PutMode mode, std::string shown_key)
      : client_(client), transfers_(transfers), key_(std::move(key)), mode_(mode), shown_key_(std::move(shown_key)) {}

  ~S3Writer() override { GiveUp(); }

  Status Append(std::string_view bytes) override {
    if (finished_) return Finished();
    TG_RETURN_IF_ERROR(failed_);
    size_bytes_ += bytes.size();
    while (buffer_.size() + bytes.size() > kPartBytes) {
      const size_t room = kPartBytes - buffer_.size();
      buffer_.append(bytes.substr(0, room));
      bytes.remove_prefix(room);
      failed_ = SendPart();
      TG_RETURN_IF_ERROR(failed_);
    }
    buffer_.append(bytes);
    return {};
  }

  uint64_t size_bytes() const override { return size_bytes_; }

  Result<ObjectInfo> Finish() override {
    if (finished_) return Finished();
    finished_ = true;
    TG_RETURN_IF_ERROR(failed_);
    const S3Condition condition{.absent = mode_ == PutMode::kCreateOnly};
    auto info = upload_.empty() ? client_.Put(key_, buffer_, condition) : FinishUpload(condition);
    if (info.ok()) {
      upload_.clear();
      info->key = shown_key_;
    }
    GiveUp();
    return info;
  }

 private:
  Status Finished() const {
    return Internal("cannot write object: " + Quoted(shown_key_) + ": its writer was already finished");
  }

  Status SendPart() {
    if (static_cast<int>(parts_.size()) == kMostParts) {
      return Unsupported("cannot write object: " + Quoted(shown_key_, 1200) + ": it is larger than " +
                         HumanBytes(kMostParts * kPartBytes));
    }
    if (upload_.empty()) {
      put_id_ = NewUuid();
      TG_ASSIGN_OR_RETURN(upload_, client_.CreateUpload(key_, put_id_));
    }
    const int number = static_cast<int>(parts_.size()) + 1;
    parts_.push_back(std::make_unique<S3Part>());
    transfers_.part_slots.acquire();
    auto bytes = std::make_shared<std::string>(std::move(buffer_));
    buffer_ = {};
    sent_.push_back(transfers_.pool.Submit([this, number, part = parts_.back().get(), bytes]() mutable -> Status {
      auto done = client_.UploadPart(key_, upload_, number, *bytes);
      bytes.reset();
      transfers_.part_slots.release();
      if (!done.ok()) return done.status();
      *part = *std::move(done);
      return {};
    }));
    return {};
  }

  Status WaitForParts() {
    Status first = WaitForAll(sent_);
    sent_.clear();
    return first;
  }

  Result<ObjectInfo> FinishUpload(const S3Condition& condition) {
    if (!buffer_.empty()) TG_RETURN_IF_ERROR(SendPart());
    TG_RETURN_IF_ERROR(WaitForParts());
    std::vector<S3Part> parts;
    for (const auto& part : parts_) parts.push_back(*part);
    return client_.CompleteUpload(key_, upload_, parts, condition, put_id_, size_bytes_);
  }

  /// What was begun and not finished leaves nothing.
  void GiveUp() {
    static_cast<void>(WaitForParts());
    const StopGrace grace;
    if (!upload_.empty()) client_.AbortUpload(key_, upload_);
    upload_.clear();
  }

  S3Client& client_;
  S3Transfers& transfers_;
  const std::string key_;
  const PutMode mode_;
  const std::string shown_key_;
  std::string buffer_;
  std::string upload_;
  std::string put_id_;
  std::vector<std::unique_ptr<S3Part>> parts_;  // filled by the pool, each by its own task
  std::vector<std::future<Status>> sent_;
  Status failed_;
  uint64_t size_bytes_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ObjectWriter> NewS3Writer(S3Client& client, S3Transfers& transfers, std::string key, PutMode mode,
                                          std::string shown_key) {
  return std::make_unique<S3Writer>(client, transfers, std::move(key), mode, std::move(shown_key));
}

}  // namespace tidegate::store
