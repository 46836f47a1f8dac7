// Result<T> and Status: how every function of tidegate says that it failed.
//
// A Code names the caller's next action, not the layer that failed. A message reads
// "what failed: subject: cause", with run-time values last. No exception crosses a folder's border.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tidegate {

enum class Code {
  kOk,
  kInvalidArgument,     // the caller's input is wrong: change it
  kNotFound,            // there is no such thing
  kAlreadyExists,       // create-if-absent found something
  kPreconditionFailed,  // the object is not the one that was seen (ETag differs): plan again
  kUnauthenticated,     // no or bad identity
  kPermissionDenied,    // the identity may not do this
  kUnavailable,         // passing fault: retry
  kUnknownOutcome,      // may have happened: find out by reading
  kCorruption,          // the bytes are not what they claim to be: quarantine
  kFrozen,              // in cold storage: ask for its restore, then wait
  kUnsupported,         // valid, but outside what this version can do
  kCancelled,           // the user asked to stop
  kInternal,            // a bug of ours
};

std::string_view CodeName(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  /// "<code name>: <message>", or "ok".
  std::string ToString() const;
  /// The same code with "<context>: " before the message. Ok stays ok.
  Status WithContext(std::string_view context) const;

  friend bool operator==(const Status&, const Status&) = default;

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status PreconditionFailed(std::string message);
Status PermissionDenied(std::string message);
Status Unavailable(std::string message);
Status UnknownOutcome(std::string message);
Status Corruption(std::string message);
Status Frozen(std::string message);
Status Unauthenticated(std::string message);
Status Unsupported(std::string message);
Status Cancelled(std::string message);
Status Internal(std::string message);

/// A T, or the Status that says why there is none. Never holds an ok Status.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) {  // NOLINT: implicit by design
    assert(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace tidegate

#define TG_CONCAT_INNER(a, b) a##b
#define TG_CONCAT(a, b) TG_CONCAT_INNER(a, b)

#define TG_RETURN_IF_ERROR(expr)                                                  \
  do {                                                                            \
    if (::tidegate::Status tg_status = (expr); !tg_status.ok()) return tg_status; \
  } while (false)

/// TG_ASSIGN_OR_RETURN(auto x, MayFail()): declares or assigns, or returns the error.
#define TG_ASSIGN_OR_RETURN(lhs, expr) TG_ASSIGN_OR_RETURN_IMPL(TG_CONCAT(tg_result_, __LINE__), lhs, expr)
#define TG_ASSIGN_OR_RETURN_IMPL(result, lhs, expr) \
  auto result = (expr);                             \
  if (!result.ok()) return result.status();         \
  lhs = std::move(result).value()
