#include "tidegate/base/status.h"

namespace tidegate {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kNotFound:
      return "not found";
    case Code::kAlreadyExists:
      return "already exists";
    case Code::kPreconditionFailed:
      return "precondition failed";
    case Code::kUnauthenticated:
      return "unauthenticated";
    case Code::kPermissionDenied:
      return "permission denied";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kUnknownOutcome:
      return "outcome unknown";
    case Code::kCorruption:
      return "corruption";
    case Code::kFrozen:
      return "frozen";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kCancelled:
      return "cancelled";
    case Code::kInternal:
      return "internal error";
  }
  return "unknown code";
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  return std::string(CodeName(code_)) + ": " + message_;
}

Status Status::WithContext(std::string_view context) const {
  if (ok()) return *this;
  return {code_, std::string(context) + ": " + message_};
}

Status InvalidArgument(std::string message) { return {Code::kInvalidArgument, std::move(message)}; }
Status NotFound(std::string message) { return {Code::kNotFound, std::move(message)}; }
Status AlreadyExists(std::string message) { return {Code::kAlreadyExists, std::move(message)}; }
Status PreconditionFailed(std::string message) { return {Code::kPreconditionFailed, std::move(message)}; }
Status PermissionDenied(std::string message) { return {Code::kPermissionDenied, std::move(message)}; }
Status Unavailable(std::string message) { return {Code::kUnavailable, std::move(message)}; }
Status UnknownOutcome(std::string message) { return {Code::kUnknownOutcome, std::move(message)}; }
Status Corruption(std::string message) { return {Code::kCorruption, std::move(message)}; }
Status Frozen(std::string message) { return {Code::kFrozen, std::move(message)}; }
Status Unauthenticated(std::string message) { return {Code::kUnauthenticated, std::move(message)}; }
Status Unsupported(std::string message) { return {Code::kUnsupported, std::move(message)}; }
Status Cancelled(std::string message) { return {Code::kCancelled, std::move(message)}; }
Status Internal(std::string message) { return {Code::kInternal, std::move(message)}; }

}  // namespace tidegate
