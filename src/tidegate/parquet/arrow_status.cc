#include "tidegate/parquet/arrow_status.h"

#include <arrow/status.h>
#include <parquet/exception.h>

#include <new>

#include "tidegate/base/text.h"

namespace tidegate::parquet {
namespace {

constexpr size_t kMaxMessageBytes = 300;

Status UnreadableFile(const StoreSource& source, Code code, std::string_view message) {
  return Status(code, "read Parquet file: " + Quoted(source.key()) + ": " + PlainMessage(message));
}

Status OutOfMemory(const StoreSource& source) {
  return Unsupported("read Parquet file: " + Quoted(source.key()) +
                     ": decoding it needs more memory than the limit; its pages are too large or lie about their size");
}

}  // namespace

std::string PlainMessage(std::string_view message) {
  std::string plain;
  for (const char c : message.substr(0, kMaxMessageBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    plain += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  if (message.size() > kMaxMessageBytes) plain += "...";
  return plain;
}

Status ReadError(const arrow::Status& status, const StoreSource& source) {
  if (!source.error().ok()) return source.error();
  if (status.IsOutOfMemory() || status.IsCapacityError()) return OutOfMemory(source);
  if (status.IsNotImplemented()) return UnreadableFile(source, Code::kUnsupported, status.message());
  return UnreadableFile(source, Code::kCorruption, status.message());
}

Status CaughtWhileReading(const StoreSource& source) {
  try {
    throw;
  } catch (const ::parquet::ParquetStatusException& error) {
    return ReadError(error.status(), source);
  } catch (const std::bad_alloc&) {
    return source.error().ok() ? OutOfMemory(source) : source.error();
  } catch (const std::exception& error) {
    if (!source.error().ok()) return source.error();
    return UnreadableFile(source, Code::kCorruption, error.what());
  }
}

Status WriteError(const arrow::Status& status, const Status& store_error) {
  if (!store_error.ok()) return store_error;
  const Code code = status.IsNotImplemented() ? Code::kUnsupported : Code::kInternal;
  return Status(code, "write Parquet file: " + PlainMessage(status.message()));
}

Status CaughtWhileWriting(const Status& store_error) {
  try {
    throw;
  } catch (const ::parquet::ParquetStatusException& error) {
    return WriteError(error.status(), store_error);
  } catch (const std::exception& error) {
    if (!store_error.ok()) return store_error;
    return Internal("write Parquet file: " + PlainMessage(error.what()));
  }
}

}  // namespace tidegate::parquet
