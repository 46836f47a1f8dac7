#include "tidegate/store/local/local_object_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tidegate/base/text.h"
#include "tidegate/store/copy_object.h"
#include "tidegate/store/local/errno_status.h"
#include "tidegate/store/local/local_adopt.h"
#include "tidegate/store/local/local_object_file.h"

namespace tidegate::store {
namespace {

bool IsGone(int error) { return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG; }

}  // namespace

LocalObjectStore::LocalObjectStore(FolderTree tree) : tree_(std::move(tree)), temp_(tree_) {}

Result<std::unique_ptr<LocalObjectStore>> LocalObjectStore::Make(const std::string& path,
                                                                 LocalObjectStoreOptions options) {
  TG_ASSIGN_OR_RETURN(FolderTree tree, FolderTree::Open(path, options.create_root, options.portable_calls_only));
  return std::unique_ptr<LocalObjectStore>(new LocalObjectStore(std::move(tree)));
}

std::string LocalObjectStore::url() const { return "file://" + (tree_.path().empty() ? "/" : tree_.path()); }

std::string LocalObjectStore::Location(std::string_view key) const {
  return "file://" + tree_.path() + "/" + std::string(key);
}

std::optional<std::string> LocalObjectStore::LocalPath(std::string_view key) const {
  if (!CheckLocalKey(key).ok()) return std::nullopt;
  return tree_.path() + "/" + std::string(key);
}

Result<Listing> LocalObjectStore::List(const ListRequest& request) { return ListTree(tree_, request, warnings_); }

Result<ObjectInfo> LocalObjectStore::Head(std::string_view key) {
  TG_RETURN_IF_ERROR(CheckLocalKey(key));
  TG_ASSIGN_OR_RETURN(const ObjectFile file, OpenObjectFile(tree_, key, true));
  return InfoOf(key, file.stat);
}

Result<std::unique_ptr<RandomReader>> LocalObjectStore::Open(const ObjectInfo& seen) {
  TG_RETURN_IF_ERROR(CheckLocalKey(seen.key));
  TG_ASSIGN_OR_RETURN(ObjectFile file, OpenObjectFile(tree_, seen.key, false));
  TG_RETURN_IF_ERROR(CheckSeen(file.stat, seen, tree_.path() + "/" + seen.key));
  return NewLocalReader(tree_, seen.key, std::move(file));
}

Result<FetchedObject> LocalObjectStore::Fetch(std::string_view key, uint64_t max_bytes) {
  TG_RETURN_IF_ERROR(CheckLocalKey(key));
  TG_ASSIGN_OR_RETURN(const ObjectFile file, OpenObjectFile(tree_, key, false));
  const auto size = static_cast<uint64_t>(file.stat.st_size);
  if (size > max_bytes) {
    return Corruption("cannot read object: " + Quoted(Location(key), 1200) +
                      ": it is larger than expected: " + HumanBytes(size) + ", at most " + HumanBytes(max_bytes));
  }
  const std::string path = tree_.path() + "/" + std::string(key);
  std::string bytes(size, '\0');
  TG_ASSIGN_OR_RETURN(const size_t read, ReadFully(file.fd.get(), 0, bytes, path));
  // Replaced meanwhile is fine: the open file is still the whole object that was there at the call.
  TG_RETURN_IF_ERROR(CheckUnwritten(file.fd.get(), file.stat, path));
  bytes.resize(read);
  return FetchedObject{std::move(bytes), InfoOf(key, file.stat)};
}

Result<std::unique_ptr<ObjectWriter>> LocalObjectStore::NewWriter(std::string_view key, PutMode mode) {
  return NewLocalWriter(tree_, temp_, key, mode);
}

Result<ObjectInfo> LocalObjectStore::Put(std::string_view key, std::string_view bytes, PutMode mode) {
  TG_ASSIGN_OR_RETURN(const auto writer, NewWriter(key, mode));
  TG_RETURN_IF_ERROR(writer->Append(bytes));
  return writer->Finish();
}

Result<ObjectInfo> LocalObjectStore::Replace(std::string_view key, std::string_view bytes, const std::string& etag) {
  TG_RETURN_IF_ERROR(CheckLocalKey(key));
  // An open file of its own: a lock taken through a shared one would not keep out other threads.
  const UniqueFd root(openat(tree_.root(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0 || flock(root.get(), LOCK_EX) != 0) return ErrnoStatus(errno, "cannot lock", tree_.path());
  TG_ASSIGN_OR_RETURN(const ObjectInfo there, Head(key));
  if (there.etag != etag) {
    return PreconditionFailed("cannot replace object: " + Quoted(Location(key), 1200) +
                              ": it is not the one that was seen before; plan again");
  }
  return Put(key, bytes, PutMode::kOverwrite);
}

Status LocalObjectStore::Delete(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) TG_RETURN_IF_ERROR(CheckLocalKey(key));
  for (const std::string& key : keys) TG_RETURN_IF_ERROR(DeleteOne(key));
  return Status::Ok();
}

Status LocalObjectStore::DeleteOne(const std::string& key) {
  constexpr std::string_view kFailed = "cannot delete object";
  const std::string path = tree_.path() + "/" + key;
  const auto [above, last] = SplitLast(key);
  const std::string name(last);
  const OpenedFd folder = tree_.OpenFolder(above, false);
  if (IsGone(folder.error)) return Status::Ok();
  if (folder.error != 0) return ErrnoStatus(folder.error, kFailed, path);
  struct stat found {};
  if (fstatat(folder.fd.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return IsGone(errno) ? Status::Ok() : ErrnoStatus(errno, kFailed, path);
  }
  if (S_ISDIR(found.st_mode)) return Status::Ok();  // no object has this key
  if (!S_ISREG(found.st_mode)) return ErrnoStatus(S_ISLNK(found.st_mode) ? ELOOP : ENXIO, kFailed, path);
  if (unlinkat(folder.fd.get(), name.c_str(), 0) != 0 && !IsGone(errno)) return ErrnoStatus(errno, kFailed, path);
  tree_.RemoveEmptyFolders(above);
  return Status::Ok();
}

Status LocalObjectStore::Sync() {
  constexpr std::string_view kFailed = "cannot make written objects durable in";
  if (sync_failed_) {
    return Unavailable(std::string(kFailed) + ": " + Quoted(tree_.path(), 1200) +
                       ": an earlier attempt failed, so earlier writes may be lost; stop and run again");
  }
  ++syncs_;
  if (syncfs(tree_.root()) == 0) return Status::Ok();
  sync_failed_ = true;
  return ErrnoStatus(errno, kFailed, tree_.path());
}

Result<ObjectInfo> LocalObjectStore::Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                                           AdoptMethod* method) {
  TG_RETURN_IF_ERROR(CheckLocalKey(key));
  if (const std::optional<std::string> path = from.LocalPath(source.key)) {
    TG_ASSIGN_OR_RETURN(Adopted adopted, AdoptFile(tree_, temp_, *path, source, key));
    *method = adopted.method;
    return std::move(adopted.info);
  }
  *method = AdoptMethod::kCopy;
  return CopyObject(from, source, *this, key);
}

}  // namespace tidegate::store
