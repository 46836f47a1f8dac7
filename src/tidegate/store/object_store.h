// ObjectStore: the port to where objects live (a folder, memory, a bucket).
//
// Guarantees
// - A reader never sees half an object: an object appears or is replaced whole, at Finish() or Put().
// - kCreateOnly is atomic: of several writers of one key exactly one succeeds, the others get AlreadyExists.
// - Replace() is a compare-and-swap: of several writers that saw one ETag exactly one succeeds.
// - A RandomReader is pinned to the object that was seen: bytes of another generation are never mixed in;
//   where the object was replaced or removed meanwhile, reads that ask the store fail with PreconditionFailed or
//   NotFound.
// - Durability is batched: what was written before Sync() survives a power loss after it returned.
// - Keys are UTF-8, segments separated by '/'. A key with an empty segment, '.', '..', a leading '/', a control
//   character, or longer than 1,024 bytes is InvalidArgument.
//
// Threads: one store may be used from several threads; a reader or a writer from one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/base/time.h"

namespace tidegate::store {

/// Can the bytes be read?
enum class ArchiveState {
  kReadable,
  kFrozen,   // in cold storage: reading fails until a restore was asked for and is done
  kThawing,  // a restore was asked for
  kThawed,   // restored: readable for some days
};

inline bool CanBeRead(ArchiveState state) { return state == ArchiveState::kReadable || state == ArchiveState::kThawed; }

struct ObjectInfo {
  std::string key{};
  uint64_t size_bytes = 0;
  std::string etag{};  // opaque; differs when the content was replaced
  UtcTime modified{};
  std::string storage_class{};  // as S3 names it: "GLACIER", "GLACIER_IR"; "" is the standard one
  // From a listing: as far as the server says; where it tells nothing of restores, a restored object is kFrozen there,
  // and Head() knows better.
  ArchiveState archive = ArchiveState::kReadable;
  friend bool operator==(const ObjectInfo&, const ObjectInfo&) = default;
};

struct ListRequest {
  std::string prefix{};       // text prefix of keys, as in S3 ("" is everything)
  std::string start_after{};  // only keys greater than this, byte-wise; before folding: "a/" stays while "a/z" does
  bool delimited = false;     // true: keys with a '/' after the prefix are folded into `prefixes`
  size_t max_entries = 0;     // at most so many objects + prefixes; 0: all
};

struct Listing {
  std::vector<ObjectInfo> objects;    // sorted by key, byte-wise
  std::vector<std::string> prefixes;  // sorted; each ends in '/'
  // Keys under which something lies that is no object and cannot be read as one (a symlink, a device, a name outside
  // the rules above), as they are: quote them. What stands there must not be taken for absent.
  std::vector<std::string> refused = {};
};

/// A whole object, and what Head() would have said of it at that moment: bytes and ETag are of one generation.
struct FetchedObject {
  std::string bytes;
  ObjectInfo info;
};

/// Random reads of one object as it was when opened.
class RandomReader {
 public:
  virtual ~RandomReader() = default;
  virtual const ObjectInfo& info() const = 0;
  /// Fill `out` from `offset`; returns the bytes read, less than asked only at the end of the object.
  virtual Result<size_t> ReadAt(uint64_t offset, std::span<char> out) = 0;
  /// The whole object, in order, piece by piece; a store may read ahead of `take`. Errors: Corruption where the object
  /// ends early; what `take` returned, and then no more is read.
  virtual Status ReadAll(const std::function<Status(std::string_view)>& take);
};

enum class PutMode {
  kOverwrite,
  kCreateOnly,  // AlreadyExists where the key is taken
};

/// One object being written. Nothing is visible before Finish(); destroying an unfinished writer leaves nothing.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual Status Append(std::string_view bytes) = 0;
  virtual uint64_t size_bytes() const = 0;
  virtual Result<ObjectInfo> Finish() = 0;
};

enum class AdoptMethod { kReflink, kHardLink, kServerCopy, kCopy };

struct RestoreRequest {
  int days = 7;                   // how long it stays readable
  std::string tier = "Standard";  // or "Bulk", "Expedited"
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// Where this store is, as a person would type it: "file:///data/bucket", "s3://bucket/prefix", "memory:".
  virtual std::string url() const = 0;

  /// The absolute location of a key as table metadata names it ("file:///data/lake/a/b.parquet"), unencoded.
  virtual std::string Location(std::string_view key) const = 0;

  virtual Result<Listing> List(const ListRequest& request) = 0;
  virtual Result<ObjectInfo> Head(std::string_view key) = 0;

  /// Errors: NotFound; PreconditionFailed where `seen.etag` is not empty and differs from what is there now. A store
  /// that would have to ask a server may leave both to the first read.
  virtual Result<std::unique_ptr<RandomReader>> Open(const ObjectInfo& seen) = 0;

  /// The whole object, in one call, so that a writer cannot come between its bytes and its ETag. Errors: NotFound;
  /// Corruption where it is larger than max_bytes (nothing is read then); of gs:// also PreconditionFailed, where the
  /// object is written again and again without a rest.
  virtual Result<FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) = 0;

  /// Its bytes alone.
  Result<std::string> Read(std::string_view key, uint64_t max_bytes);

  virtual Result<std::unique_ptr<ObjectWriter>> NewWriter(std::string_view key, PutMode mode) = 0;
  virtual Result<ObjectInfo> Put(std::string_view key, std::string_view bytes, PutMode mode) = 0;

  /// Put the object only over the one with this ETag. Errors: PreconditionFailed where another is there, NotFound where
  /// none is, UnknownOutcome where a reply was lost and reading did not tell.
  virtual Result<ObjectInfo> Replace(std::string_view key, std::string_view bytes, const std::string& etag);

  /// Remove exactly these keys; a key that is not there counts as removed. Where some cannot be removed the others are,
  /// and the error names one and counts the rest.
  virtual Status Delete(const std::vector<std::string>& keys) = 0;

  /// Make everything that was finished, put or deleted before this call durable.
  virtual Status Sync() = 0;

  /// Bring an object of `from` into this store under `key` without changing it: by reflink, hard link, a copy that the
  /// server makes, or reading and writing, the cheapest that works. The source must still be `source` (its ETag), else
  /// PreconditionFailed. `key` is overwritten where it exists. Ensures: both objects hold the same bytes; *method says
  /// how.
  virtual Result<ObjectInfo> Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                                   AdoptMethod* method) = 0;

  /// For Adopt between local stores: the path of a key on this machine, where there is one.
  virtual std::optional<std::string> LocalPath(std::string_view key) const {
    (void)key;
    return std::nullopt;
  }

  /// Ask for an object in cold storage to be made readable; repeating it is harmless. Errors: PermissionDenied,
  /// Unsupported where the store has no cold storage.
  virtual Status RequestRestore(std::string_view key, const RestoreRequest& request);

  /// The store below all decorators.
  virtual const ObjectStore& Backend() const { return *this; }
};

/// Open by key alone, whatever generation is there now.
inline Result<std::unique_ptr<RandomReader>> OpenCurrent(ObjectStore& store, std::string_view key) {
  TG_ASSIGN_OR_RETURN(const ObjectInfo seen, store.Head(key));
  return store.Open(seen);
}

/// InvalidArgument unless the key obeys the rules above.
Status CheckKey(std::string_view key);

}  // namespace tidegate::store
