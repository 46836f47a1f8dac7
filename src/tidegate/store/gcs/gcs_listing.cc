#include "tidegate/store/gcs/gcs_listing.h"

#include <algorithm>
#include <utility>

namespace tidegate::store {
namespace {

bool IsAskedFor(const ObjectInfo& object, const ListRequest& request) {
  return object.key.starts_with(request.prefix) && (request.start_after.empty() || object.key > request.start_after);
}

/// Takes objects in the order of their keys.
class Folder {
 public:
  explicit Folder(const ListRequest& request) : request_(request) {}

  bool IsFull() const {
    return request_.max_entries != 0 && listing_.objects.size() + listing_.prefixes.size() >= request_.max_entries;
  }

  void Add(ObjectInfo object) {
    const size_t slash = request_.delimited ? object.key.find('/', request_.prefix.size()) : std::string::npos;
    if (slash != std::string::npos) return AddPrefix(object.key.substr(0, slash + 1));
    if (!CheckKey(object.key).ok()) return Refuse(std::move(object.key));
    if (IsLast(object.key)) return;
    listing_.objects.push_back(std::move(object));
  }

  bool IsFoldedAlready(const std::string& key) const { return !last_prefix_.empty() && key.starts_with(last_prefix_); }

  Listing Take() { return std::move(listing_); }

 private:
  bool IsLast(const std::string& key) const { return !listing_.objects.empty() && listing_.objects.back().key == key; }

  void AddPrefix(std::string prefix) {
    last_prefix_ = prefix;
    if (!CheckKey(std::string_view(prefix).substr(0, prefix.size() - 1)).ok()) return Refuse(std::move(prefix));
    listing_.prefixes.push_back(std::move(prefix));
  }

  void Refuse(std::string key) {
    if (listing_.refused.empty() || listing_.refused.back() != key) listing_.refused.push_back(std::move(key));
  }

  const ListRequest& request_;
  Listing listing_;
  std::string last_prefix_;
};

}  // namespace

std::string FolderOfPrefix(std::string_view prefix) {
  const size_t slash = prefix.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(prefix.substr(0, slash));
}

Listing MakeListing(std::vector<ObjectInfo> found, const ListRequest& request) {
  std::erase_if(found, [&](const ObjectInfo& object) { return !IsAskedFor(object, request); });
  std::sort(found.begin(), found.end(), [](const ObjectInfo& a, const ObjectInfo& b) { return a.key < b.key; });
  Folder folder(request);
  for (ObjectInfo& object : found) {
    if (folder.IsFoldedAlready(object.key)) continue;
    if (folder.IsFull()) break;
    folder.Add(std::move(object));
  }
  return folder.Take();
}

}  // namespace tidegate::store
