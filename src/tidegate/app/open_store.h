// From what a person types to a store: a path, file://…; buckets come with their own backends.
#pragma once

#include <memory>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::app {

enum class OpenMode {
  kMustExist,
  kCreate,      // a folder that is not there yet is made
  kMayBeEmpty,  // a folder that is not there yet reads as an empty store; nothing is made: for plans
};

/// Errors: NotFound with advice; Unsupported for a scheme that this version has no backend for; InvalidArgument.
Result<std::unique_ptr<store::ObjectStore>> OpenStore(const std::string& url, OpenMode mode);

/// The path of a local URL ("file:///a/b", "a/b"). Errors: Unsupported.
Result<std::string> LocalPathOf(const std::string& url);

}  // namespace tidegate::app
