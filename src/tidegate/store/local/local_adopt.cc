#include "tidegate/store/local/local_adopt.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "tidegate/base/text.h"
#include "tidegate/store/local/errno_status.h"
#include "tidegate/store/local/local_listing.h"
#include "tidegate/store/local/local_object_file.h"
#include "tidegate/store/local/pending_file.h"

namespace tidegate::store {
namespace {

class Adoption {
 public:
  Adoption(const FolderTree& tree, TempFolder& temp, const std::string& path, const ObjectInfo& source,
           std::string_view key, ObjectFile file)
      : tree_(tree), temp_(temp), path_(path), source_(source), key_(key), file_(std::move(file)) {}

  Result<Adopted> Run() {
    TG_RETURN_IF_ERROR(CheckSeen(file_.stat, source_, path_));
    TG_ASSIGN_OR_RETURN(std::optional<Adopted> done, Reflink());
    if (!done) {
      TG_ASSIGN_OR_RETURN(done, HardLink());
    }
    if (done) return *std::move(done);
    return Copy();
  }

 private:
  // No value: this way is not open here.
  Result<std::optional<Adopted>> Reflink() {
    if (tree_.portable()) return std::optional<Adopted>();
    TG_ASSIGN_OR_RETURN(PendingFile target, PendingFile::Create(tree_, temp_));
    if (ioctl(target.fd(), FICLONE, file_.fd.get()) != 0) return std::optional<Adopted>();
    TG_ASSIGN_OR_RETURN(Adopted adopted, Publish(target, AdoptMethod::kReflink));
    return std::optional<Adopted>(std::move(adopted));
  }

  Result<std::optional<Adopted>> HardLink() {
    const LinkOutcome linked = LinkAs(tree_, temp_, file_.fd.get(), key_);
    TG_RETURN_IF_ERROR(linked.status);
    if (linked.refused != 0) return std::optional<Adopted>();
    if (const Status unchanged = CheckSource(); !unchanged.ok()) {
      RemoveLink();
      return unchanged;
    }
    return std::optional<Adopted>(Adopted{InfoOf(key_, file_.stat), AdoptMethod::kHardLink});
  }

  Result<Adopted> Copy() {
    TG_ASSIGN_OR_RETURN(PendingFile target, PendingFile::Create(tree_, temp_));
    uint64_t done = tree_.portable() ? 0 : CopyInKernel(target.fd());
    std::string buffer(std::min<uint64_t>(size() - done, 4 << 20), '\0');
    while (done < size()) {
      const std::span<char> step(buffer.data(), std::min<uint64_t>(size() - done, buffer.size()));
      TG_ASSIGN_OR_RETURN(const size_t read, ReadFully(file_.fd.get(), done, step, path_));
      if (read == 0) break;  // it shrank: found out below
      TG_RETURN_IF_ERROR(target.Write({buffer.data(), read}));
      done += read;
    }
    return Publish(target, AdoptMethod::kCopy);
  }

  // Returns how much was copied: some file systems cannot, or stop early without an error.
  uint64_t CopyInKernel(int target) {
    uint64_t done = 0;
    while (done < size()) {
      auto from = static_cast<off64_t>(done);
      const ssize_t copied = copy_file_range(file_.fd.get(), &from, target, nullptr, size() - done, 0);
      if (copied < 0 && errno == EINTR) continue;
      if (copied <= 0) break;
      done += static_cast<uint64_t>(copied);
    }
    return done;
  }

  Result<Adopted> Publish(PendingFile& target, AdoptMethod method) {
    TG_RETURN_IF_ERROR(CheckSource());
    TG_ASSIGN_OR_RETURN(ObjectInfo info, StampFile(target.fd(), key_, path_));
    if (info.size_bytes != size()) return Internal("cannot adopt object: " + Quoted(path_) + ": the copy is not whole");
    TG_RETURN_IF_ERROR(target.Publish(key_, PutMode::kOverwrite));
    return Adopted{std::move(info), method};
  }

  Status CheckSource() const {
    return CheckUnwritten(file_.fd.get(), file_.stat, path_).WithContext("cannot adopt object");
  }

  void RemoveLink() {
    const Result<ObjectFile> there = OpenObjectFile(tree_, key_, true);
    if (!there.ok() || there->stat.st_ino != file_.stat.st_ino) return;
    const auto [above, name] = SplitLast(key_);
    const OpenedFd folder = tree_.OpenFolder(above, false);
    if (folder.error == 0) unlinkat(folder.fd.get(), std::string(name).c_str(), 0);
  }

  uint64_t size() const { return static_cast<uint64_t>(file_.stat.st_size); }

  const FolderTree& tree_;
  TempFolder& temp_;
  const std::string& path_;
  const ObjectInfo& source_;
  const std::string key_;
  const ObjectFile file_;
};

}  // namespace

Result<Adopted> AdoptFile(const FolderTree& tree, TempFolder& temp, const std::string& path, const ObjectInfo& source,
                          std::string_view key) {
  TG_RETURN_IF_ERROR(CheckLocalKey(key));
  TG_ASSIGN_OR_RETURN(ObjectFile file, OpenForeignFile(path, tree.portable()));
  return Adoption(tree, temp, path, source, key, std::move(file)).Run();
}

}  // namespace tidegate::store
