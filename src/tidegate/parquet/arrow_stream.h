// An Arrow C stream as batches, its errors as Status.
#pragma once

#include <arrow/c/abi.h>
#include <arrow/type_fwd.h>

#include <memory>

#include "tidegate/base/status.h"

namespace tidegate::parquet {

class ArrowStream {
 public:
  /// Releases the stream when destroyed. Requires: not null; what the stream depends on outlives this.
  explicit ArrowStream(ArrowArrayStream* stream) : stream_(stream) {}
  ~ArrowStream();
  ArrowStream(const ArrowStream&) = delete;
  ArrowStream& operator=(const ArrowStream&) = delete;

  /// Errors: the stream's own, its code from its errno (ECANCELED Cancelled, EINVAL InvalidArgument, ENOSYS
  /// Unsupported, ENOMEM Unavailable, others Internal), its message unchanged.
  Status Open();
  /// Requires: opened.
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// The next batch, or null at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> Next();

 private:
  Status LastError(int error) const;

  ArrowArrayStream* stream_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace tidegate::parquet
