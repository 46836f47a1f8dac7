#include "tidegate/parquet/source.h"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/future.h>

#include <algorithm>
#include <string_view>

#include "tidegate/base/text.h"

namespace tidegate::parquet {
namespace {

/// No column chunk of a sane file comes near this; an object may be larger than memory.
constexpr int64_t kMaxReadBytes = int64_t{2} << 30;

}  // namespace

StoreSource::StoreSource(store::RandomReader& reader) : reader_(reader) {}

Status StoreSource::ReadExactly(uint64_t offset, std::span<char> out) {
  while (!out.empty()) {
    Result<size_t> got = reader_.ReadAt(offset, out);
    if (!got.ok()) {
      if (error_.ok()) error_ = got.status();
      return got.status();
    }
    if (*got == 0 || *got > out.size()) {
      Status early = Corruption("read object: " + Quoted(key()) + ": it ends before its size of " +
                                std::to_string(size_bytes()) + " bytes, at byte " + std::to_string(offset));
      if (error_.ok()) error_ = early;
      return early;
    }
    offset += *got;
    out = out.subspan(*got);
  }
  return {};
}

arrow::Status StoreSource::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Status StoreSource::Seek(int64_t position) {
  if (position < 0) return arrow::Status::Invalid("negative seek");
  position_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> StoreSource::Clamp(int64_t position, int64_t nbytes) const {
  if (position < 0 || nbytes < 0) return arrow::Status::Invalid("negative position or length");
  const auto size = static_cast<int64_t>(size_bytes());
  return std::min(nbytes, std::max<int64_t>(0, size - position));
}

arrow::Result<int64_t> StoreSource::Read(int64_t nbytes, void* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, nbytes, out));
  position_ += got;
  return got;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> StoreSource::Read(int64_t nbytes) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, nbytes));
  position_ += buffer->size();
  return buffer;
}

arrow::Result<int64_t> StoreSource::ReadAt(int64_t position, int64_t nbytes, void* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t wanted, Clamp(position, nbytes));
  const std::span<char> target(static_cast<char*>(out), static_cast<size_t>(wanted));
  if (!ReadExactly(static_cast<uint64_t>(position), target).ok()) {
    return arrow::Status::IOError("the store failed");  // error() says how
  }
  return wanted;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> StoreSource::ReadAt(int64_t position, int64_t nbytes) {
  ARROW_ASSIGN_OR_RAISE(const int64_t wanted, Clamp(position, nbytes));
  if (wanted > kMaxReadBytes) return arrow::Status::OutOfMemory("a column chunk is larger than the limit");
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(wanted));
  ARROW_RETURN_NOT_OK(ReadAt(position, wanted, buffer->mutable_data()).status());
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Future<std::shared_ptr<arrow::Buffer>> StoreSource::ReadAsync(const arrow::io::IOContext&, int64_t position,
                                                                     int64_t nbytes) {
  return arrow::Future<std::shared_ptr<arrow::Buffer>>::MakeFinished(ReadAt(position, nbytes));
}

arrow::Status StoreSink::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Status StoreSink::Write(const void* data, int64_t nbytes) {
  // After an error nothing more is written: Arrow's writers flush once more when they are destroyed.
  if (!error_.ok()) return arrow::Status::IOError("the store failed");
  if (nbytes <= 0) return arrow::Status::OK();
  error_ = writer_.Append(std::string_view(static_cast<const char*>(data), static_cast<size_t>(nbytes)));
  if (!error_.ok()) return arrow::Status::IOError("the store failed");  // error() says how
  position_ += nbytes;
  return arrow::Status::OK();
}

}  // namespace tidegate::parquet
