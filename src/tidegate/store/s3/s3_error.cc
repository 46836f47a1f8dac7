#include "tidegate/store/s3/s3_error.h"

#include <array>

#include "tidegate/base/text.h"

namespace tidegate::store {
namespace {

struct Meaning {
  std::string_view code;  // of S3
  Code status;
  std::string_view advice;
};

constexpr std::array<Meaning, 23> kMeanings = {{
    {"NoSuchKey", Code::kNotFound, "there is no such object: check the name"},
    {"NoSuchBucket", Code::kInvalidArgument, "there is no such bucket: check its name, the region and the endpoint"},
    {"NoSuchUpload", Code::kNotFound, "the upload is gone: run the command again"},
    {"PreconditionFailed", Code::kPreconditionFailed, "the object is not the one that was seen before; plan again"},
    {"AccessDenied", Code::kPermissionDenied,
     "this identity may not do that: see docs/permissions.md for what it needs"},
    {"AllAccessDisabled", Code::kPermissionDenied, "its owner has closed the bucket"},
    {"InvalidObjectState", Code::kFrozen, "it lies in cold storage: ask for it with `tidegate restore`"},
    {"ObjectNotInActiveTierError", Code::kFrozen, "it lies in cold storage: ask for it with `tidegate restore`"},
    {"InvalidAccessKeyId", Code::kUnauthenticated,
     "the server does not know this access key: check the profile or the environment"},
    {"SignatureDoesNotMatch", Code::kUnauthenticated,
     "the secret key does not belong to the access key, or a proxy changes "
     "requests: check the profile or the environment"},
    {"ExpiredToken", Code::kUnauthenticated, "the session has run out: log in again"},
    {"InvalidToken", Code::kUnauthenticated, "the session token is not valid: log in again"},
    {"RequestTimeTooSkewed", Code::kUnauthenticated, "this machine's clock is too far off: set it"},
    {"AuthorizationHeaderMalformed", Code::kUnauthenticated,
     "the region is wrong: give the bucket's own with --region"},
    {"PermanentRedirect", Code::kInvalidArgument, "the bucket is in another region: give it with --region"},
    {"SlowDown", Code::kUnavailable, "the server asks to slow down: run the command again later, or with fewer --jobs"},
    {"NotImplemented", Code::kUnsupported, "this server cannot do that: another store is needed"},
    {"MethodNotAllowed", Code::kUnsupported, "this server cannot do that: another store is needed"},
    {"InvalidBucketName", Code::kInvalidArgument, "the server does not take this as the name of a bucket"},
    {"ObjectParentIsFile", Code::kUnsupported, "this server keeps objects as files: none can lie below another one"},
    {"ExistingObjectIsDirectory", Code::kUnsupported,
     "this server keeps objects as files: none can lie below another one"},
    {"BadDigest", Code::kUnavailable, "what arrived is not what was sent: run the command again"},
    {"EntityTooLarge", Code::kInvalidArgument, "it is larger than the server takes"},
}};

Code CodeOfHttp(int status) {
  switch (status) {
    case 401:
      return Code::kUnauthenticated;
    case 403:
      return Code::kPermissionDenied;
    case 404:
      return Code::kNotFound;
    case 409:
      return Code::kUnavailable;
    case 412:
      return Code::kPreconditionFailed;
    case 501:
      return Code::kUnsupported;
    default:
      return status >= 500 || status == 429 ? Code::kUnavailable : Code::kInvalidArgument;
  }
}

std::string_view UsualCode(int status) {
  switch (status) {
    case 403:
      return "AccessDenied";
    case 404:
      return "NoSuchKey";
    case 412:
      return "PreconditionFailed";
    case 501:
      return "NotImplemented";
    default:
      return "";
  }
}

}  // namespace

Status StatusOfS3Error(const aws::ServiceError& error, std::string_view what, const std::string& url,
                       const std::string& bucket) {
  const std::string_view code = error.code.empty() ? UsualCode(error.status) : std::string_view(error.code);
  const std::string subject = code == "NoSuchBucket" ? "s3://" + bucket : url;
  std::string message = std::string(what) + ": " + Quoted(subject, 1200) + ": ";
  for (const Meaning& meaning : kMeanings) {
    if (meaning.code != code) continue;
    message += meaning.advice;
    // What these say is plain; of the others, the server's words help.
    const bool plain = code.starts_with("NoSuch") || meaning.status == Code::kPreconditionFailed;
    return {meaning.status, plain ? message : message + "; the server says " + aws::Describe(error)};
  }
  return {CodeOfHttp(error.status), message + aws::Describe(error)};
}

Status ReplacedError(const std::string& url) {
  return PreconditionFailed("cannot read object: " + Quoted(url, 1200) +
                            ": it is not the one that was seen before; plan again");
}

Status TakenError(const std::string& url) {
  return AlreadyExists("cannot create object: " + Quoted(url, 1200) + ": there is one already");
}

}  // namespace tidegate::store
