#include "tidegate/store/local/errno_status.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "tidegate/base/text.h"

namespace tidegate::store {
namespace {

struct Translation {
  int error;
  Code code;
  const char* advice;
};

constexpr Translation kTranslations[] = {
    {ENOENT, Code::kNotFound, "check the name"},
    {EEXIST, Code::kAlreadyExists, "choose another name or remove what is there"},
    {EACCES, Code::kPermissionDenied, "give the user that runs tidegate access to it"},
    {EPERM, Code::kPermissionDenied, "give the user that runs tidegate access to it"},
    {EROFS, Code::kPermissionDenied, "the file system is mounted read-only: choose another place or remount it"},
    {ENOSPC, Code::kUnavailable, "free some space on the file system and run again"},
    {EDQUOT, Code::kUnavailable, "free some space within the quota and run again"},
    {ENOTDIR, Code::kUnsupported, "a part of the path is a file; a folder cannot hold one object below another"},
    {EISDIR, Code::kUnsupported, "there is a folder of that name; a folder cannot hold one object below another"},
    {ENOTEMPTY, Code::kUnsupported, "there is a folder of that name; a folder cannot hold one object below another"},
    {ENAMETOOLONG, Code::kInvalidArgument, "file systems take at most 255 bytes between two '/': shorten the name"},
    {ELOOP, Code::kUnsupported, "a part of the path is a symlink, and these are refused: put the real file there"},
    {EXDEV, Code::kUnsupported, "another file system is mounted inside the bucket: give it a store of its own"},
    {ENXIO, Code::kUnsupported, "it is no regular file: remove it or put a regular file there"},
    {ENODEV, Code::kUnsupported, "it is no regular file: remove it or put a regular file there"},
    {EOPNOTSUPP, Code::kUnsupported, "the file system cannot do this: choose another place"},
    {EFBIG, Code::kInvalidArgument, "the file system or `ulimit -f` does not allow files of that size"},
    {EMFILE, Code::kUnavailable, "too many open files: raise `ulimit -n`"},
    {ENFILE, Code::kUnavailable, "too many open files on this machine: close some programs"},
    {EIO, Code::kUnavailable, "the disk or the network file system failed: look at the system's log"},
    {EINVAL, Code::kInternal, "please report this"},
    {EBADF, Code::kInternal, "please report this"},
    {EFAULT, Code::kInternal, "please report this"},
};

Status Translated(int error, Code code, std::string_view failed, std::string_view path, std::string_view advice) {
  return {code, std::string(failed) + ": " + Quoted(path, 1200) + ": " + std::generic_category().message(error) + "; " +
                    std::string(advice)};
}

}  // namespace

Status ErrnoStatus(int error, std::string_view failed, std::string_view path) {
  const auto* found = std::find_if(std::begin(kTranslations), std::end(kTranslations),
                                   [&](const Translation& t) { return t.error == error; });
  if (found == std::end(kTranslations)) return Translated(error, Code::kUnavailable, failed, path, "run again");
  return Translated(error, found->code, failed, path, found->advice);
}

Status ReadErrnoStatus(int error, std::string_view failed, std::string_view path) {
  const bool cannot_exist = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
  if (cannot_exist) return Translated(ENOENT, Code::kNotFound, failed, path, "check the name");
  return ErrnoStatus(error, failed, path);
}

}  // namespace tidegate::store
