// From what a person types to a store: a path, file://…, s3://…, gs://….
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/app/store_settings.h"
#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::app {

enum class OpenMode {
  kMustExist,   // a bucket is not asked for: the first request tells
  kCreate,      // a folder that is not there yet is made
  kMayBeEmpty,  // a folder that is not there yet reads as an empty store; nothing is made: for plans
};

struct StoreAccess {
  StoreSettings flags = {};
  std::vector<StoreSection> sections = {};
  const CancelFlag* cancel = nullptr;  // ends waiting for a server; may be null
};

/// Errors: NotFound with advice; Unsupported for a scheme that this version has no backend for, and for gs:// in any
/// mode but kMustExist: it is read only; InvalidArgument; Unauthenticated where there is no identity.
Result<std::unique_ptr<store::ObjectStore>> OpenStore(const std::string& url, OpenMode mode, const StoreAccess& access);

/// The path of a local URL ("file:///a/b", "a/b"). Errors: Unsupported.
Result<std::string> LocalPathOf(const std::string& url);

/// "s3://…", "s3a://…".
bool IsS3Url(const std::string& url);

/// "gs://…".
bool IsGsUrl(const std::string& url);

/// For what reads and writes a lake. Errors: Unsupported where no lake can lie there.
Status CheckMayHoldLake(const std::string& url);

}  // namespace tidegate::app
