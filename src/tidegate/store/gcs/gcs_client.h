// GcsClient: the four questions that tidegate asks of a bucket of Google Cloud Storage, over Arrow's file system. Paths
// are "bucket/key". Every answer is a Status of ours, and every question is counted.
//
// Threads: safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/gcs/gcs_settings.h"
#include "tidegate/store/object_store.h"

namespace arrow {
class Status;
}

namespace arrow::fs {
class FileInfo;
class GcsFileSystem;
}  // namespace arrow::fs

namespace arrow::io {
class RandomAccessFile;
}

namespace tidegate::store {

/// As Arrow sends them, without those that its library repeats.
struct GcsRequestCount {
  uint64_t lists = 0;
  uint64_t heads = 0;
  uint64_t gets = 0;
};

/// An object, opened: what is read is of this generation, or nothing.
struct GcsFile {
  ObjectInfo info;
  std::shared_ptr<arrow::io::RandomAccessFile> file;
};

class GcsClient {
 public:
  /// Asks the server nothing. Errors: InvalidArgument.
  static Result<std::unique_ptr<GcsClient>> Make(GcsSettings settings);

  const GcsSettings& settings() const { return settings_; }
  std::string UrlOf(std::string_view key) const { return "gs://" + settings_.bucket + "/" + std::string(key); }

  /// All objects below a folder ("" is the bucket), without the marks that consoles make for empty folders. Errors:
  /// NotFound where there is no such bucket. Cost: a request for each 1,000 objects.
  Result<std::vector<ObjectInfo>> ListBelow(const std::string& folder);
  /// Errors: NotFound.
  Result<ObjectInfo> Head(std::string_view key);
  /// Errors: NotFound; PreconditionFailed where the object was replaced at this very moment.
  Result<GcsFile> Open(std::string_view key);
  /// Bytes of an opened object from `offset` on, all that are asked for. `stream_at` is where the file's stream stands:
  /// reading on from there asks for nothing new. Errors: PreconditionFailed where the object was replaced, NotFound
  /// where it was removed.
  Status Read(const GcsFile& file, uint64_t offset, std::span<char> out, uint64_t& stream_at);

  GcsRequestCount Sent() const { return {lists_, heads_, gets_}; }

 private:
  GcsClient(GcsSettings settings, std::shared_ptr<arrow::fs::GcsFileSystem> files);
  std::string PathOf(std::string_view key) const { return settings_.bucket + "/" + std::string(key); }
  Status CheckCancel() const { return settings_.cancel == nullptr ? Status() : settings_.cancel->Check(); }
  Status CheckBucket(const std::string& folder);
  Status WhyNotRead(const GcsFile& file, const arrow::Status& error);
  Result<size_t> ReadSome(const GcsFile& file, uint64_t offset, std::span<char> out, uint64_t& stream_at);
  ObjectInfo InfoOf(const arrow::fs::FileInfo& found) const;

  const GcsSettings settings_;
  const std::shared_ptr<arrow::fs::GcsFileSystem> files_;
  std::atomic<bool> bucket_is_there_{false};
  std::atomic<uint64_t> lists_{0}, heads_{0}, gets_{0};
};

}  // namespace tidegate::store
