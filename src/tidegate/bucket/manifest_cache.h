// ManifestCache: the newest manifests as earlier scans read them, so that one that did not change is not asked for
// again. Format: docs/formats/listing-note.md.
//
// Guarantees
// - A text is handed out for the very object that it was read from: the same key, ETag and size.
// - It is derived and bounded: what is lost, too large or of no use is read again from the bucket.
// - A text is what the bucket held, no more: whoever takes it parses it as if it came from there.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace tidegate::bucket {

/// So many manifests are kept: more than eight days of hours.
inline constexpr size_t kManifestsKept = 200;
/// A larger manifest is not kept, and no more than this of all of them together.
inline constexpr uint64_t kMaxCachedManifestBytes = 256'000;
inline constexpr uint64_t kMaxCachedBytes = 16'000'000;

class ManifestCache {
 public:
  /// Null where this very object is not known. What is found counts as used.
  const std::string* Find(const store::ObjectInfo& object);

  /// Keep a text that was read from this very object. One that is too large, or no UTF-8, is not kept.
  void Take(const store::ObjectInfo& object, const std::string& text);

  /// Does what Write would give differ from what Parse was given?
  bool changed() const;

  /// As text, with the URL of the bucket: what was found or taken since, the newest of them.
  std::string Write(const std::string& bucket_url) const;

  /// Errors: Corruption (also where it is of another bucket), Unsupported (a newer format).
  static Result<ManifestCache> Parse(std::string_view text, const std::string& bucket_url);

 private:
  struct Entry {
    std::string etag;
    uint64_t size = 0;
    std::string text;
    bool used = false;
  };
  std::map<std::string, Entry> entries_;  // by key
  bool taken_ = false;                    // something was taken since Parse
};

}  // namespace tidegate::bucket
