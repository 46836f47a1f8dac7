#include "tidegate/app/open_store.h"

#include "tidegate/base/text.h"
#include "tidegate/store/local/local_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::app {

Result<std::string> LocalPathOf(const std::string& url) {
  if (url.empty()) return InvalidArgument("a place is empty: give a path such as ./bucket");
  if (url.starts_with("file://")) {
    std::string path = url.substr(std::string_view("file://").size());
    if (path.starts_with("localhost/")) path = path.substr(std::string_view("localhost").size());
    if (!path.starts_with("/"))
      return InvalidArgument("a file URL needs an absolute path, as file:///data/bucket: " + Quoted(url));
    return path;
  }
  if (const size_t colon = url.find("://"); colon != std::string::npos) {
    return Unsupported("this version works on local folders only; there is no backend yet for " +
                       Quoted(url.substr(0, colon + 3)) + ": copy the bucket first, for example with `aws s3 sync`");
  }
  return url;
}

Result<std::unique_ptr<store::ObjectStore>> OpenStore(const std::string& url, OpenMode mode) {
  TG_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(url));
  store::LocalObjectStoreOptions options;
  options.create_root = mode == OpenMode::kCreate;
  auto local = store::LocalObjectStore::Make(path, options);
  if (mode == OpenMode::kMayBeEmpty && local.status().code() == Code::kNotFound) {
    return std::unique_ptr<store::ObjectStore>(std::make_unique<store::MemoryObjectStore>());
  }
  if (!local.ok()) return local.status();
  return std::unique_ptr<store::ObjectStore>(*std::move(local));
}

}  // namespace tidegate::app
