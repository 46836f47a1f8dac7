#include "tidegate/app/open_store.h"

#include "tidegate/app/aws_access.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/store/gcs/gcs_error.h"
#include "tidegate/store/gcs/gcs_object_store.h"
#include "tidegate/store/local/local_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/store/s3/s3_object_store.h"

namespace tidegate::app {
namespace {

using StorePointer = std::unique_ptr<store::ObjectStore>;

Result<StorePointer> OpenS3(const std::string& url, const StoreAccess& access) {
  TG_ASSIGN_OR_RETURN(const store::S3Url place, store::ParseS3Url(url));
  TG_ASSIGN_OR_RETURN(const AwsAccess caller, ResolveAwsAccess(url, access));
  store::S3Settings out;
  out.bucket = place.bucket;
  out.prefix = place.prefix;
  if (const std::string region = aws::FindRegion(caller.s3, caller.identity, caller.surroundings); !region.empty())
    out.region = region;
  out.endpoint = caller.s3.endpoint_url;
  out.addressing = caller.s3.addressing_style;
  out.requester_pays = caller.settings.requester_pays;
  out.ca_bundle = caller.s3.ca_bundle;
  out.credentials = caller.credentials;
  out.cancel = access.cancel;
  TG_ASSIGN_OR_RETURN(auto opened, store::S3ObjectStore::Make(std::move(out)));
  return StorePointer(std::move(opened));
}

Result<StorePointer> OpenGcs(const std::string& url, OpenMode mode, const StoreAccess& access) {
  if (mode != OpenMode::kMustExist) return store::GcsIsReadOnly(url);
  TG_ASSIGN_OR_RETURN(const store::GsUrl place, store::ParseGsUrl(url));
  const StoreSettings settings = SettingsFor(url, access.flags, access.sections);
  const aws::Surroundings surroundings = aws::RealSurroundings(nullptr, nullptr, access.cancel);
  store::GcsSettings out{.bucket = place.bucket, .prefix = place.prefix};
  TG_ASSIGN_OR_RETURN(out.endpoint, store::ResolveGcsEndpoint(settings.s3.endpoint_url, surroundings.variable));
  out.anonymous = settings.anonymous;
  out.cancel = access.cancel;
  Log(LogLevel::kDebug, Quoted(url) + ": identity: " + std::string(store::DescribeGcsIdentity(out)));
  TG_ASSIGN_OR_RETURN(auto opened, store::GcsObjectStore::Make(std::move(out)));
  return StorePointer(std::move(opened));
}

Result<StorePointer> OpenLocal(const std::string& url, OpenMode mode) {
  TG_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(url));
  store::LocalObjectStoreOptions options;
  options.create_root = mode == OpenMode::kCreate;
  auto local = store::LocalObjectStore::Make(path, options);
  if (mode == OpenMode::kMayBeEmpty && local.status().code() == Code::kNotFound) {
    return StorePointer(std::make_unique<store::MemoryObjectStore>());
  }
  if (!local.ok()) return local.status();
  return StorePointer(*std::move(local));
}

}  // namespace

bool IsS3Url(const std::string& url) { return url.starts_with("s3://") || url.starts_with("s3a://"); }

bool IsGsUrl(const std::string& url) { return url.starts_with("gs://"); }

Status CheckMayHoldLake(const std::string& url) { return IsGsUrl(url) ? store::GcsIsReadOnly(url) : Status(); }

Result<std::string> LocalPathOf(const std::string& url) {
  if (url.empty()) return InvalidArgument("a place is empty: give a path such as ./bucket, or s3://bucket");
  if (url.starts_with("file://")) {
    std::string path = url.substr(std::string_view("file://").size());
    if (path.starts_with("localhost/")) path = path.substr(std::string_view("localhost").size());
    if (!path.starts_with("/"))
      return InvalidArgument("a file URL needs an absolute path, as file:///data/bucket: " + Quoted(url));
    return path;
  }
  if (url.starts_with("file:/")) return url.substr(std::string_view("file:").size());  // as Hadoop writes it
  if (IsS3Url(url) || IsGsUrl(url))
    return Unsupported("this has to be a file or a folder on this machine: " + Quoted(url));
  if (const size_t colon = url.find("://"); colon != std::string::npos) {
    return Unsupported("there is no backend yet for " + Quoted(url.substr(0, colon + 3)) +
                       ": give a path, or a bucket as s3://bucket or gs://bucket");
  }
  return url;
}

Result<StorePointer> OpenStore(const std::string& url, OpenMode mode, const StoreAccess& access) {
  if (IsGsUrl(url)) return OpenGcs(url, mode, access);
  return IsS3Url(url) ? OpenS3(url, access) : OpenLocal(url, mode);
}

}  // namespace tidegate::app
