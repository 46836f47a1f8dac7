#include "tidegate/store/gcs/gcs_client.h"

#include <arrow/filesystem/gcsfs.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/key_value_metadata.h>

#include <algorithm>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/store/gcs/gcs_error.h"

namespace tidegate::store {
namespace {

constexpr uint64_t kObjectsAPage = 1'000;
constexpr size_t kMostAtOnce = 4 << 20;  // between two looks at the cancel flag

arrow::fs::GcsOptions OptionsOf(const GcsSettings& settings) {
  auto options = AsksAnonymously(settings) ? arrow::fs::GcsOptions::Anonymous() : arrow::fs::GcsOptions::Defaults();
  options.scheme = settings.endpoint.starts_with("http://") ? "http" : "https";
  if (const size_t scheme = settings.endpoint.find("://"); scheme != std::string::npos)
    options.endpoint_override = settings.endpoint.substr(scheme + 3);
  options.retry_limit_seconds = settings.retry_limit_seconds;
  return options;
}

arrow::fs::FileSelector SelectorOf(const std::string& bucket, const std::string& folder) {
  arrow::fs::FileSelector selector;
  selector.base_dir = folder.empty() ? bucket : bucket + "/" + folder;
  selector.recursive = true;
  return selector;
}

/// When it was made and its size: all that Arrow tells of an object in a listing.
std::string EtagOf(UtcTime made, uint64_t size_bytes) {
  return std::to_string(made.time_since_epoch().count()) + "-" + std::to_string(size_bytes);
}

/// "2026-11-03T03:00:00.123456789+00:00", to the microsecond.
Result<UtcTime> TimeOf(std::string text) {
  constexpr size_t kDigits = 6;
  if (const size_t dot = text.find('.'); dot != std::string::npos) {
    const size_t end = std::min(text.find_first_not_of("0123456789", dot + 1), text.size());
    if (end - dot - 1 > kDigits) text.erase(dot + 1 + kDigits, end - dot - 1 - kDigits);
  }
  return ParseRfc3339(text);
}

Result<ObjectInfo> InfoOfMetadata(const arrow::KeyValueMetadata& metadata, std::string_view key, int64_t size) {
  const auto made = metadata.Get("timeCreated");
  const auto time = TimeOf(made.ok() ? *made : "");
  if (!time.ok()) return Unavailable("the server does not say when the object was made");
  const auto size_bytes = static_cast<uint64_t>(size);
  return ObjectInfo{
      .key = std::string(key), .size_bytes = size_bytes, .etag = EtagOf(*time, size_bytes), .modified = *time};
}

}  // namespace

GcsClient::GcsClient(GcsSettings settings, std::shared_ptr<arrow::fs::GcsFileSystem> files)
    : settings_(std::move(settings)), files_(std::move(files)) {}

Result<std::unique_ptr<GcsClient>> GcsClient::Make(GcsSettings settings) {
  auto files = arrow::fs::GcsFileSystem::Make(OptionsOf(settings));
  if (!files.ok()) return StatusOfGcsError(files.status(), "cannot open", "gs://" + settings.bucket);
  return std::unique_ptr<GcsClient>(new GcsClient(std::move(settings), *std::move(files)));
}

ObjectInfo GcsClient::InfoOf(const arrow::fs::FileInfo& found) const {
  const auto made = std::chrono::floor<std::chrono::microseconds>(found.mtime());
  const auto size_bytes = static_cast<uint64_t>(std::max<int64_t>(found.size(), 0));
  return {.key = found.path().substr(settings_.bucket.size() + 1),
          .size_bytes = size_bytes,
          .etag = EtagOf(made, size_bytes),
          .modified = made};
}

/// Arrow lists a bucket that is not there like one that is empty. Where nothing was found yet, this asks again, so that
/// a missing one is an error.
Status GcsClient::CheckBucket(const std::string& folder) {
  if (bucket_is_there_) return {};
  ++lists_;
  const auto again = files_->GetFileInfo(SelectorOf(settings_.bucket, folder));
  if (!again.ok() && ServerSaysNotFound(again.status())) return NoSuchGcsBucket(settings_.bucket);
  ++heads_;  // Arrow looked for the folder itself
  if (!folder.empty()) ++lists_;
  // Arrow's own "no such folder"; or the listing was allowed, and looking at the bucket is not.
  if (!again.ok() && IsOfServer(again.status()) && !ServerSaysForbidden(again.status()))
    return StatusOfGcsError(again.status(), "cannot list", UrlOf(folder));
  bucket_is_there_ = true;
  return {};
}

Result<std::vector<ObjectInfo>> GcsClient::ListBelow(const std::string& folder) {
  TG_RETURN_IF_ERROR(CheckCancel());
  auto selector = SelectorOf(settings_.bucket, folder);
  selector.allow_not_found = true;
  const auto found = files_->GetFileInfo(selector);
  lists_ += found.ok() ? std::max<uint64_t>(1, (found->size() + kObjectsAPage - 1) / kObjectsAPage) : 1;
  if (!found.ok()) return StatusOfGcsError(found.status(), "cannot list", UrlOf(folder));
  if (found->empty()) TG_RETURN_IF_ERROR(CheckBucket(folder));
  bucket_is_there_ = true;
  std::vector<ObjectInfo> out;
  for (const arrow::fs::FileInfo& info : *found) {
    if (info.IsFile()) out.push_back(InfoOf(info));
  }
  return out;
}

Result<ObjectInfo> GcsClient::Head(std::string_view key) {
  TG_RETURN_IF_ERROR(CheckCancel());
  ++heads_;
  const auto found = files_->GetFileInfo(PathOf(key));
  if (!found.ok()) return StatusOfGcsError(found.status(), "cannot look at object", UrlOf(key));
  if (found->IsFile()) return InfoOf(*found);
  ++lists_;  // Arrow looked whether it is a folder
  return NoSuchGcsObject(UrlOf(key));
}

Result<GcsFile> GcsClient::Open(std::string_view key) {
  TG_RETURN_IF_ERROR(CheckCancel());
  ++heads_;
  const auto opened = files_->OpenInputFile(PathOf(key));
  if (!opened.ok() && ServerSaysNotFound(opened.status())) {  // it, or the generation that it had a moment ago
    TG_RETURN_IF_ERROR(Head(key).status());
    return ReplacedInGcs(UrlOf(key));
  }
  if (!opened.ok()) return StatusOfGcsError(opened.status(), "cannot open object", UrlOf(key));
  ++gets_;  // Arrow begins to read at once
  const auto size = (*opened)->GetSize();
  const auto metadata = (*opened)->ReadMetadata();  // of the generation that was opened; asks nothing
  if (!size.ok() || !metadata.ok()) return Unavailable("cannot open object: " + Quoted(UrlOf(key), 1200));
  TG_ASSIGN_OR_RETURN(ObjectInfo info, InfoOfMetadata(**metadata, key, *size));
  return GcsFile{std::move(info), *opened};
}

Result<size_t> GcsClient::ReadSome(const GcsFile& file, uint64_t offset, std::span<char> out, uint64_t& stream_at) {
  const auto bytes = static_cast<int64_t>(out.size());
  const bool reads_on = offset == stream_at;
  if (!reads_on) ++gets_;
  const auto read = reads_on ? file.file->Read(bytes, out.data())
                             : file.file->ReadAt(static_cast<int64_t>(offset), bytes, out.data());
  if (read.ok()) {
    if (reads_on) stream_at += static_cast<uint64_t>(*read);
    return static_cast<size_t>(*read);
  }
  return WhyNotRead(file, read.status());
}

/// Where the object went away before the stream was answered, Arrow says that the file is closed; so this looks.
Status GcsClient::WhyNotRead(const GcsFile& file, const arrow::Status& error) {
  const std::string& key = file.info.key;
  if (!IsOfServer(error) || ServerSaysNotFound(error)) {
    TG_ASSIGN_OR_RETURN(const ObjectInfo now, Head(key));
    if (now.etag != file.info.etag) return ReplacedInGcs(UrlOf(key));
  }
  return StatusOfGcsError(error, "cannot read object", UrlOf(key));
}

Status GcsClient::Read(const GcsFile& file, uint64_t offset, std::span<char> out, uint64_t& stream_at) {
  while (!out.empty()) {
    TG_RETURN_IF_ERROR(CheckCancel());
    TG_ASSIGN_OR_RETURN(const size_t read,
                        ReadSome(file, offset, out.first(std::min(out.size(), kMostAtOnce)), stream_at));
    if (read == 0) {
      return Corruption("cannot read object: " + Quoted(UrlOf(file.info.key), 1200) + ": it ended early, after " +
                        std::to_string(offset) + " of " + std::to_string(file.info.size_bytes) + " bytes");
    }
    offset += read;
    out = out.subspan(read);
  }
  return {};
}

}  // namespace tidegate::store
