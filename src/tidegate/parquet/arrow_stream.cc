#include "tidegate/parquet/arrow_stream.h"

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <cerrno>
#include <string>
#include <utility>

#include "tidegate/parquet/arrow_status.h"

namespace tidegate::parquet {
namespace {

Code CodeOfErrno(int error) {
  switch (error) {
    case ECANCELED:
    case EINTR:
      return Code::kCancelled;
    case EINVAL:
      return Code::kInvalidArgument;
    case ENOSYS:
      return Code::kUnsupported;
    case ENOMEM:
      return Code::kUnavailable;
    default:
      return Code::kInternal;
  }
}

Status BadStream(const arrow::Status& status) {
  return Internal("read the rows to write: " + PlainMessage(status.message()));
}

}  // namespace

ArrowStream::~ArrowStream() {
  if (stream_->release != nullptr) stream_->release(stream_);
}

Status ArrowStream::LastError(int error) const {
  const char* message = stream_->get_last_error(stream_);
  return Status(CodeOfErrno(error), message != nullptr ? message : "read the rows to write: the source failed");
}

Status ArrowStream::Open() {
  if (stream_->release == nullptr) return InvalidArgument("read the rows to write: the stream was released before");
  ArrowSchema schema{};
  if (const int error = stream_->get_schema(stream_, &schema); error != 0) return LastError(error);
  auto imported = arrow::ImportSchema(&schema);
  if (!imported.ok()) return BadStream(imported.status());
  schema_ = std::move(imported).ValueUnsafe();
  return {};
}

Result<std::shared_ptr<arrow::RecordBatch>> ArrowStream::Next() {
  ArrowArray array{};
  if (const int error = stream_->get_next(stream_, &array); error != 0) return LastError(error);
  if (array.release == nullptr) return std::shared_ptr<arrow::RecordBatch>();
  auto batch = arrow::ImportRecordBatch(&array, schema_);
  if (!batch.ok()) return BadStream(batch.status());
  return std::move(batch).ValueUnsafe();
}

}  // namespace tidegate::parquet
