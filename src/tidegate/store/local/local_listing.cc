#include "tidegate/store/local/local_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <vector>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/store/local/errno_status.h"
#include "tidegate/store/local/temp_folder.h"

namespace tidegate::store {
namespace {

constexpr std::string_view kFailed = "cannot list folder";

// What a folder holds, named so that sorting the names sorts the keys below them: "a-b" < "a.b" < "a/" < "a0".
struct Entry {
  std::string name;  // a folder's ends in '/'
  bool is_folder() const { return name.back() == '/'; }
  friend bool operator<(const Entry& a, const Entry& b) { return a.name < b.name; }
};

struct CloseDir {
  void operator()(DIR* stream) const { closedir(stream); }
};

unsigned char TypeOf(const dirent& entry, int folder) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat found {};
  if (fstatat(folder, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(found.st_mode));
}

class Lister {
 public:
  Lister(const FolderTree& tree, const ListRequest& request, SkipWarnings& warnings)
      : tree_(tree), request_(request), warnings_(warnings) {}

  Result<Listing> Run() {
    TG_RETURN_IF_ERROR(CheckRoot());
    const std::string start(request_.prefix.substr(0, request_.prefix.rfind('/') + 1));
    const bool possible = start.empty() || CheckKey(std::string_view(start).substr(0, start.size() - 1)).ok();
    if (possible && !start.starts_with(std::string(kTempFolderName) + "/")) TG_RETURN_IF_ERROR(Walk(start));
    return std::move(listing_);
  }

 private:
  Status CheckRoot() const;
  // `folder` is "" or ends in '/'.
  Status Walk(const std::string& folder);
  Status Visit(const std::string& folder, const Entry& entry, UniqueFd& fd);
  Status VisitFolder(const std::string& key);
  Status VisitFile(const std::string& folder, const Entry& entry, UniqueFd& fd);
  Result<std::vector<Entry>> Entries(const std::string& folder, UniqueFd& fd);
  void Collect(const std::string& folder, const dirent& entry, unsigned char type, std::vector<Entry>& out);
  void Refuse(const std::string& key, void (SkipWarnings::*warn)(const std::string&));
  Status Reopen(const std::string& folder, UniqueFd& fd) const;
  Result<bool> HoldsAnObject(const std::string& folder);

  bool full() const {
    return request_.max_entries != 0 && listing_.objects.size() + listing_.prefixes.size() >= request_.max_entries;
  }
  bool MayMatch(std::string_view key) const {  // of an object, or below a folder ("a/")
    const bool below = key.back() == '/';
    const std::string_view prefix = request_.prefix, after = request_.start_after;
    if (!key.starts_with(prefix) && !(below && prefix.starts_with(key))) return false;
    return key > after || (below && after.starts_with(key));
  }

  const FolderTree& tree_;
  const ListRequest& request_;
  SkipWarnings& warnings_;
  Listing listing_;
};

// A root that was removed meanwhile still opens, and would look like an empty bucket.
Status Lister::CheckRoot() const {
  struct stat root {};
  if (fstat(tree_.root(), &root) != 0) return ErrnoStatus(errno, kFailed, tree_.path());
  if (root.st_nlink > 0) return Status::Ok();
  return Unavailable(std::string(kFailed) + ": " + Quoted(tree_.path(), 1200) +
                     ": the store's folder was removed while it was in use; run again once it is back");
}

// Leaves `fd` invalid where the folder is not there (any more).
Status Lister::Reopen(const std::string& folder, UniqueFd& fd) const {
  const std::string_view path = folder.empty() ? "." : std::string_view(folder).substr(0, folder.size() - 1);
  OpenedFd opened = tree_.OpenAt(path, O_RDONLY | O_DIRECTORY);
  fd = std::move(opened.fd);
  const int error = opened.error;
  if (error == 0 || error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) return Status::Ok();
  if (error == ELOOP) {
    warnings_.Symlink(tree_.path() + "/" + folder);
    return Status::Ok();
  }
  return ErrnoStatus(error, kFailed, tree_.path() + "/" + folder);
}

void Lister::Collect(const std::string& folder, const dirent& entry, unsigned char type, std::vector<Entry>& out) {
  std::string name = entry.d_name;
  if (name == "." || name == ".." || (folder.empty() && name == kTempFolderName)) return;
  const std::string key = folder + name;
  if (!MayMatch(type == DT_DIR ? key + "/" : key) || type == DT_UNKNOWN) return;
  if (type == DT_LNK) return Refuse(key, &SkipWarnings::Symlink);
  if (type != DT_DIR && type != DT_REG) return Refuse(key, &SkipWarnings::Special);
  if (!CheckKey(key).ok()) return Refuse(key, &SkipWarnings::BadName);
  out.push_back({type == DT_DIR ? name + "/" : std::move(name)});
}

void Lister::Refuse(const std::string& key, void (SkipWarnings::*warn)(const std::string&)) {
  (warnings_.*warn)(tree_.path() + "/" + key);
  listing_.refused.push_back(key);
}

Result<std::vector<Entry>> Lister::Entries(const std::string& folder, UniqueFd& fd) {
  std::vector<Entry> entries;
  TG_RETURN_IF_ERROR(Reopen(folder, fd));
  if (!fd.valid()) return entries;
  const int copy = fcntl(fd.get(), F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, CloseDir> stream(copy < 0 ? nullptr : fdopendir(copy));
  if (stream == nullptr) return ErrnoStatus(errno, kFailed, tree_.path() + "/" + folder);
  for (errno = 0; const dirent* entry = readdir(stream.get()); errno = 0) {
    Collect(folder, *entry, TypeOf(*entry, fd.get()), entries);
  }
  if (errno != 0 && errno != ENOENT) return ErrnoStatus(errno, kFailed, tree_.path() + "/" + folder);
  std::sort(entries.begin(), entries.end());
  return entries;
}

Status Lister::Walk(const std::string& folder) {
  UniqueFd fd;
  TG_ASSIGN_OR_RETURN(const std::vector<Entry> entries, Entries(folder, fd));
  for (const Entry& entry : entries) {
    if (full()) break;
    TG_RETURN_IF_ERROR(Visit(folder, entry, fd));
  }
  return Status::Ok();
}

Status Lister::Visit(const std::string& folder, const Entry& entry, UniqueFd& fd) {
  if (!entry.is_folder()) return VisitFile(folder, entry, fd);
  fd.Close();  // so that a deep tree does not use up the file descriptors
  return VisitFolder(folder + entry.name);
}

Status Lister::VisitFolder(const std::string& key) {
  const bool folded = request_.delimited && key.size() > request_.prefix.size();
  if (!folded) return Walk(key);
  TG_ASSIGN_OR_RETURN(const bool shown, HoldsAnObject(key));
  if (shown) listing_.prefixes.push_back(key);
  return Status::Ok();
}

Status Lister::VisitFile(const std::string& folder, const Entry& entry, UniqueFd& fd) {
  if (!fd.valid()) TG_RETURN_IF_ERROR(Reopen(folder, fd));
  if (!fd.valid()) return Status::Ok();
  struct stat found {};
  const std::string key = folder + entry.name;
  if (fstatat(fd.get(), entry.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return Status::Ok();  // removed since the folder was read
    return ErrnoStatus(errno, "cannot look at object", tree_.path() + "/" + key);
  }
  if (S_ISREG(found.st_mode)) listing_.objects.push_back(InfoOf(key, found));
  return Status::Ok();
}

Result<bool> Lister::HoldsAnObject(const std::string& folder) {
  const ListRequest first{.prefix = folder, .start_after = request_.start_after, .delimited = false, .max_entries = 1};
  TG_ASSIGN_OR_RETURN(const Listing found, Lister(tree_, first, warnings_).Run());
  return !found.objects.empty();
}

// Times beyond these years are legal in some file systems and would overflow microseconds.
UtcTime ModifiedOf(const struct stat& file) {
  constexpr int64_t kFirst = -62'135'596'800, kLast = 253'402'300'799;  // years 1 and 9999
  const std::chrono::sys_seconds seconds{std::chrono::seconds(std::clamp<int64_t>(file.st_mtim.tv_sec, kFirst, kLast))};
  return seconds + std::chrono::microseconds(file.st_mtim.tv_nsec / 1000);
}

}  // namespace

ObjectInfo InfoOf(std::string_view key, const struct stat& file) {
  char etag[64];
  std::snprintf(etag, sizeof etag, "%" PRIx64 ".%08lx-%" PRIx64, static_cast<uint64_t>(file.st_mtim.tv_sec),
                static_cast<unsigned long>(file.st_mtim.tv_nsec), static_cast<uint64_t>(file.st_size));
  return {std::string(key), static_cast<uint64_t>(file.st_size), etag, ModifiedOf(file)};
}

void SkipWarnings::Once(bool* done, const std::string& path, std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(*done, true)) {
    Log(LogLevel::kWarning, "skipped in the listing: " + Quoted(path, 1200) + ": " + std::string(what) +
                                " (further ones in this store are skipped without a word)");
  }
}

void SkipWarnings::Symlink(const std::string& path) {
  Once(&symlink_, path, "it is a symlink, and these are refused; put the real file there");
}

void SkipWarnings::Special(const std::string& path) { Once(&special_, path, "it is no regular file"); }

void SkipWarnings::BadName(const std::string& path) {
  Once(&bad_name_, path, "its name cannot be an object key; rename it to printable UTF-8");
}

Result<Listing> ListTree(const FolderTree& tree, const ListRequest& request, SkipWarnings& warnings) {
  return Lister(tree, request, warnings).Run();
}

}  // namespace tidegate::store
