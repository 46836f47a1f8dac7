#include "tidegate/store/gcs/gcs_error.h"

#include <arrow/status.h>

#include <array>

#include "tidegate/base/text.h"

namespace tidegate::store {
namespace {

constexpr std::string_view kLogIn =
    "log in with `gcloud auth application-default login`, or name a key file in GOOGLE_APPLICATION_CREDENTIALS; for a "
    "public bucket give --no-sign-request";
constexpr std::string_view kAgain =
    "the server cannot be reached or does not answer as it should: run the command again";

struct Meaning {
  std::string_view name;  // of Google's code
  Code code;
  std::string_view advice;
};

constexpr std::array<Meaning, 7> kMeanings = {{
    {"NOT_FOUND", Code::kNotFound, "there is no such object or bucket: check the name"},
    {"PERMISSION_DENIED", Code::kPermissionDenied,
     "this identity may not do that: it needs the role Storage Object Viewer on the bucket"},
    {"UNAUTHENTICATED", Code::kUnauthenticated, kLogIn},
    {"FAILED_PRECONDITION", Code::kPreconditionFailed, "the object is not the one that was seen before; plan again"},
    {"INVALID_ARGUMENT", Code::kInvalidArgument, "the server does not take the request: check the URL"},
    {"UNIMPLEMENTED", Code::kUnsupported, "this server cannot do that: another store is needed"},
    {"CANCELLED", Code::kCancelled, "stopped on request; run the command again to go on"},
}};

/// "NOT_FOUND" of "google::cloud::Status(NOT_FOUND: …)"; "" where it is no error of Google's library.
std::string_view GoogleCode(std::string_view message) {
  constexpr std::string_view kBegin = "google::cloud::Status(";
  if (!message.starts_with(kBegin)) return "";
  message.remove_prefix(kBegin.size());
  return message.substr(0, message.find(':'));
}

/// What the server or the library says, without what is said of each error and without the list of details.
std::string_view Said(std::string_view message) {
  for (const std::string_view head : {"google::cloud::Status(", "with a last message of ", "error message was: "}) {
    if (const size_t at = message.find(head); at != std::string_view::npos) message.remove_prefix(at + head.size());
  }
  message = message.substr(0, message.find("error_info="));
  while (!message.empty() && (message.back() == ' ' || message.back() == '\n')) message.remove_suffix(1);
  return message;
}

Meaning MeaningOf(std::string_view message) {
  const auto says = [&](std::string_view text) { return message.find(text) != std::string_view::npos; };
  // Whatever the code is: the request was not even sent.
  if (says("Could not create a OAuth2 access token")) return {"", Code::kUnauthenticated, kLogIn};
  if (says("CURL error [60]")) {
    return {"", Code::kUnauthenticated,
            "the server's certificate is not trusted: name the certificates of a private CA in SSL_CERT_FILE"};
  }
  const std::string_view code = GoogleCode(message);
  for (const Meaning& meaning : kMeanings) {
    if (meaning.name == code) return meaning;
  }
  return {"", Code::kUnavailable, kAgain};
}

}  // namespace

Status StatusOfGcsError(const arrow::Status& error, std::string_view what, const std::string& url) {
  const Meaning meaning = MeaningOf(error.message());
  return {meaning.code, std::string(what) + ": " + Quoted(url, 1200) + ": " + std::string(meaning.advice) +
                            "; the server or its library says " + Quoted(Said(error.message()), 300)};
}

bool IsOfServer(const arrow::Status& error) { return !GoogleCode(error.message()).empty(); }

bool ServerSaysNotFound(const arrow::Status& error) { return GoogleCode(error.message()) == "NOT_FOUND"; }

bool ServerSaysForbidden(const arrow::Status& error) {
  return MeaningOf(error.message()).code == Code::kPermissionDenied;
}

Status NoSuchGcsObject(const std::string& url) {
  return NotFound("no such object: " + Quoted(url, 1200) + ": check the name");
}

Status NoSuchGcsBucket(const std::string& bucket) {
  return NotFound("cannot list: " + Quoted("gs://" + bucket) +
                  ": there is no such bucket: check its name and the endpoint");
}

Status ReplacedInGcs(const std::string& url) {
  return PreconditionFailed("cannot read object: " + Quoted(url, 1200) +
                            ": it is not the one that was seen before; plan again");
}

Status GcsIsReadOnly(const std::string& url) {
  return Unsupported("cannot keep anything in " + Quoted(url, 1200) +
                     ": deliveries in gs:// are read, nothing is written there. Keep the lake in a folder or in S3 "
                     "(s3://bucket/prefix), and deliver into one of these");
}

}  // namespace tidegate::store
