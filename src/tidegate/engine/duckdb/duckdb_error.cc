#include "tidegate/engine/duckdb/duckdb_error.h"

#include <fmt/format.h>

#include <string>

#include "tidegate/base/cancel.h"

namespace tidegate::engine {
namespace {

constexpr int kMaxLines = 8;  // the cause, candidates, and the "LINE 1: …" with its caret
constexpr size_t kMaxBytes = 2'000;

Code CodeOf(duckdb_error_type type) {
  switch (type) {
    case DUCKDB_ERROR_INTERRUPT:
      return Code::kCancelled;
    case DUCKDB_ERROR_PERMISSION:
      return Code::kPermissionDenied;
    case DUCKDB_ERROR_IO:
    case DUCKDB_ERROR_HTTP:
    case DUCKDB_ERROR_NETWORK:
    case DUCKDB_ERROR_CONNECTION:
    case DUCKDB_ERROR_OUT_OF_MEMORY:
    case DUCKDB_ERROR_TRANSACTION:
      return Code::kUnavailable;
    case DUCKDB_ERROR_NOT_IMPLEMENTED:
    case DUCKDB_ERROR_MISSING_EXTENSION:
    case DUCKDB_ERROR_AUTOLOAD:
      return Code::kUnsupported;
    case DUCKDB_ERROR_SERIALIZATION:
      return Code::kCorruption;
    case DUCKDB_ERROR_INVALID:
    case DUCKDB_ERROR_INTERNAL:
    case DUCKDB_ERROR_FATAL:
    case DUCKDB_ERROR_NULL_POINTER:
    case DUCKDB_ERROR_SCHEDULER:
    case DUCKDB_ERROR_EXECUTOR:
    case DUCKDB_ERROR_OPTIMIZER:
    case DUCKDB_ERROR_PLANNER:
    case DUCKDB_ERROR_STAT:
    case DUCKDB_ERROR_INDEX:
    case DUCKDB_ERROR_OBJECT_SIZE:
      return Code::kInternal;
    default:
      return Code::kInvalidArgument;  // what is left lies in the query or in the values that it meets
  }
}

/// The text up to kMaxLines lines (an internal error's first line alone: the rest is a stack trace).
std::string_view FirstLines(std::string_view text, int lines) {
  size_t end = 0;
  for (int i = 0; i < lines && end < text.size(); ++i) {
    const size_t at = text.find('\n', end);
    end = at == std::string_view::npos ? text.size() : at + 1;
  }
  text = text.substr(0, end);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text;
}

/// Messages repeat foreign values: none of them may steer a terminal.
std::string Printable(std::string_view text) {
  const bool cut = text.size() > kMaxBytes;
  text = text.substr(0, kMaxBytes);
  while (cut && !text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.remove_suffix(1);
  if (cut && !text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) {
      out += fmt::format("\\x{:02X}", byte);
    } else {
      out += c;
    }
  }
  return cut ? out + "…" : out;
}

}  // namespace

Status DuckDbError(duckdb_error_type type, std::string_view message) {
  const Code code = CodeOf(type);
  if (code == Code::kCancelled) return StoppedOnRequest();
  std::string text = Printable(FirstLines(message, code == Code::kInternal ? 1 : kMaxLines));
  if (text.empty()) text = "DuckDB failed without a message";
  return {code, std::move(text)};
}

Status ResultError(duckdb_result& result) {
  const char* message = duckdb_result_error(&result);
  if (message == nullptr) return Status::Ok();
  return DuckDbError(duckdb_result_error_type(&result), message);
}

Status DataError(duckdb_error_data error) {
  if (error == nullptr || !duckdb_error_data_has_error(error)) return Status::Ok();
  const char* message = duckdb_error_data_message(error);
  return DuckDbError(duckdb_error_data_error_type(error), message == nullptr ? "" : message);
}

}  // namespace tidegate::engine
