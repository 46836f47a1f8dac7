// Reading and writing single object files of a FolderTree.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>

#include "tidegate/store/local/folder_tree.h"
#include "tidegate/store/local/pending_file.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

/// InvalidArgument unless the key is valid and not in the hidden folder of temporary files.
Status CheckLocalKey(std::string_view key);

/// A regular file that was opened without following symlinks.
struct ObjectFile {
  UniqueFd fd;
  struct stat stat {};
};

/// Open an object to read its bytes, or (`look_only`) its size and time. Never hangs on a fifo.
/// Errors: NotFound; Unsupported where it is a symlink or no regular file.
Result<ObjectFile> OpenObjectFile(const FolderTree& tree, std::string_view key, bool look_only);

/// The same for a file named by an absolute path, of another store. `path` has no symlinks in it.
Result<ObjectFile> OpenForeignFile(const std::string& path, bool portable);

/// Errors: PreconditionFailed unless the file is the one that was seen.
Status CheckSeen(const struct stat& file, const ObjectInfo& seen, const std::string& path);

/// Errors: PreconditionFailed where the open file is no longer as `before` shows it: it was written to in place.
Status CheckUnwritten(int fd, const struct stat& before, const std::string& path);

/// Read up to out.size() bytes, less only at the end of the file.
Result<size_t> ReadFully(int fd, uint64_t offset, std::span<char> out, const std::string& path);

/// Requires: the tree outlives the reader.
std::unique_ptr<RandomReader> NewLocalReader(const FolderTree& tree, std::string_view key, ObjectFile file);

/// Set the time of a finished file to now, and look at it.
Result<ObjectInfo> StampFile(int fd, std::string_view key, const std::string& path);

/// Requires: tree and temp outlive the writer.
Result<std::unique_ptr<ObjectWriter>> NewLocalWriter(const FolderTree& tree, TempFolder& temp, std::string_view key,
                                                     PutMode mode);

}  // namespace tidegate::store
