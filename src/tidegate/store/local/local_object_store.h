// LocalObjectStore: a folder of this machine as a bucket. How objects lie on disk: docs/formats/local-store.md.
//
// Guarantees beyond the port's
// - Nothing outside the root is read or written: symlinks, fifos, sockets and devices below it are refused by a message
//   that says so, and skipped in listings with one warning.
// - An object file is never written in place: replacing one leaves hard links to the old one as they are.
// - A reader notices when the file it reads was changed in place, replaced or removed.
// - Reading from a store writes nothing into it.
//
// Not here: several file systems in one store (a mount below the root cannot be written to).
//
// Threads: safe, as the port says.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "tidegate/store/local/folder_tree.h"
#include "tidegate/store/local/local_listing.h"
#include "tidegate/store/local/temp_folder.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

struct LocalObjectStoreOptions {
  bool create_root = false;  // make the root, with the folders above it, where it is missing
  // Use only calls that every POSIX-like file system has: no openat2, O_TMPFILE, FICLONE, copy_file_range. Slower;
  // for sandboxes and FUSE mounts that get them wrong. Kernels that merely lack one are noticed without this.
  bool portable_calls_only = false;
};

class LocalObjectStore final : public ObjectStore {
 public:
  /// Open the bucket at `path`. Errors: NotFound where there is no such folder, InvalidArgument where it is a file.
  static Result<std::unique_ptr<LocalObjectStore>> Make(const std::string& path, LocalObjectStoreOptions options = {});

  std::string url() const override;
  std::string Location(std::string_view key) const override;
  Result<Listing> List(const ListRequest& request) override;
  Result<ObjectInfo> Head(std::string_view key) override;
  /// Requires: the store outlives the reader.
  Result<std::unique_ptr<RandomReader>> Open(const ObjectInfo& seen) override;
  Result<FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override;
  /// Requires: the store outlives the writer.
  Result<std::unique_ptr<ObjectWriter>> NewWriter(std::string_view key, PutMode mode) override;
  Result<ObjectInfo> Put(std::string_view key, std::string_view bytes, PutMode mode) override;
  /// Under an exclusive flock(2) of the root: safe among callers of Replace, on one machine.
  Result<ObjectInfo> Replace(std::string_view key, std::string_view bytes, const std::string& etag) override;
  /// Also removes the folders that became empty.
  Status Delete(const std::vector<std::string>& keys) override;
  /// One syncfs(2), whatever the number of objects. A failure stays: what was written before may be lost, and a later
  /// success of the call would not mean that it is not.
  Status Sync() override;
  /// After a hard link the object has the time and thus the ETag of the source, its owner and its permissions.
  Result<ObjectInfo> Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                           AdoptMethod* method) override;
  std::optional<std::string> LocalPath(std::string_view key) const override;

  /// How often syncfs(2) was called.
  uint64_t syncs() const { return syncs_; }

 private:
  explicit LocalObjectStore(FolderTree tree);
  Status DeleteOne(const std::string& key);

  FolderTree tree_;
  TempFolder temp_;
  SkipWarnings warnings_;
  std::atomic<uint64_t> syncs_{0};
  std::atomic<bool> sync_failed_{false};
};

}  // namespace tidegate::store
