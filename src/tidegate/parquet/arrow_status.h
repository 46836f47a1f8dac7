// What Arrow's and Parquet's errors and exceptions mean as our Status: the only place that translates them.
//
// Reading: bytes that Arrow cannot make sense of are Corruption of the object, which is named. An error of the store
// underneath wins over what Arrow made of it. Writing: what Arrow refuses is a bug of ours, so Internal.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/parquet/source.h"

namespace arrow {
class Status;
}

namespace tidegate::parquet {

/// Arrow's message as one printable line of bounded length: it may hold names and bytes of a hostile file.
std::string PlainMessage(std::string_view message);

/// Errors: Corruption, but Unsupported for what Arrow cannot do and for needing more memory than the limit.
Status ReadError(const arrow::Status& status, const StoreSource& source);
/// The same for the exception being handled. Requires: called inside a catch block.
Status CaughtWhileReading(const StoreSource& source);

Status WriteError(const arrow::Status& status, const Status& store_error);
Status CaughtWhileWriting(const Status& store_error);

/// Run `body` (which returns a Status or a Result), turning exceptions into errors of reading `source`.
template <typename Body>
auto CatchWhileReading(const StoreSource& source, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return CaughtWhileReading(source);
  }
}

/// The same for writing; `store_error` is looked at after the exception.
template <typename Body>
auto CatchWhileWriting(const Status& store_error, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return CaughtWhileWriting(store_error);
  }
}

}  // namespace tidegate::parquet
