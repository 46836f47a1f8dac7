// Arrow's view of one stored object: bytes in (StoreSource), bytes out (StoreSink).
//
// Arrow has error codes of its own; to lose none of ours, both remember the first error of the store, and the
// translation in arrow_status.h prefers it to whatever Arrow made of it.
//
// Threads: one at a time, as the store's readers and writers.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <memory>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::parquet {

class StoreSource final : public arrow::io::RandomAccessFile {
 public:
  /// Requires: `reader` outlives the source.
  explicit StoreSource(store::RandomReader& reader);
  ~StoreSource() override = default;

  /// The first error of the store, or ok.
  const Status& error() const { return error_; }
  const std::string& key() const { return reader_.info().key; }
  uint64_t size_bytes() const { return reader_.info().size_bytes; }
  /// Fill `out` completely. Errors: the store's; Corruption where the object ends early.
  Status ReadExactly(uint64_t offset, std::span<char> out);

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> GetSize() override { return static_cast<int64_t>(size_bytes()); }
  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t nbytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t nbytes) override;
  // Read here and now: the default would use Arrow's threads, and a store reader serves one thread.
  arrow::Future<std::shared_ptr<arrow::Buffer>> ReadAsync(const arrow::io::IOContext& context, int64_t position,
                                                          int64_t nbytes) override;

 private:
  arrow::Result<int64_t> Clamp(int64_t position, int64_t nbytes) const;

  store::RandomReader& reader_;
  Status error_;
  int64_t position_ = 0;
  bool closed_ = false;
};

class StoreSink final : public arrow::io::OutputStream {
 public:
  /// Requires: `writer` outlives the sink. The sink never finishes the object.
  explicit StoreSink(store::ObjectWriter& writer) : writer_(writer) {}
  ~StoreSink() override = default;

  /// The first error of the store, or ok.
  const Status& error() const { return error_; }

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Write(const void* data, int64_t nbytes) override;

 private:
  store::ObjectWriter& writer_;
  Status error_;
  int64_t position_ = 0;  // of the Parquet file, which starts where the writer stood
  bool closed_ = false;
};

}  // namespace tidegate::parquet
