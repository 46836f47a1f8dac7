// What of a table lies in cold storage and waits until it is restored (C-43). That is no failure: a run goes on with
// what it can read. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/contract/folder.h"

namespace tidegate::ingest {

/// A sealed folder with files that cannot be read now.
struct ColdFolder {
  contract::Folder folder = {};
  int64_t objects = 0;   // that cannot be read: the first is certain, the others are as listed
  uint64_t bytes = 0;    // of those
  bool thawing = false;  // a restore was asked for, for all of them
  friend bool operator==(const ColdFolder&, const ColdFolder&) = default;
};

/// What waits for them.
enum class ColdScope {
  kFirstBuild,  // of a table in parts: nothing of it is built until all folders can be read
  kRebuild,     // the same; the table stays as it is, and takes new folders meanwhile
  kReseed,      // the vendor's new copy: the old one stays meanwhile
  kFolders,     // these folders alone; all others are applied
  kCopy,        // a full table's newest copy: an older one that can be read stands in
};

/// "first_build", "rebuild", "reseed", "folders", "copy".
std::string_view ColdScopeName(ColdScope scope);

struct Cold {
  std::string table = {};  // "shop.orders"
  ColdScope scope = ColdScope::kFolders;
  std::vector<ColdFolder> folders = {};  // kCopy: the newest copy alone
  int64_t of_folders = 0;                // that are needed, readable ones among them; kCopy: copies that cannot be read

  int64_t objects() const;
  uint64_t bytes() const;
  /// "thawing" where a restore was asked for, for all of it; else "frozen".
  std::string_view state() const;
  /// Does something wait that needs all its folders at once?
  bool whole() const { return scope != ColdScope::kFolders && scope != ColdScope::kCopy; }
};

/// "waits: 214 of 900 folders, 3.2 GB, are frozen: …", with what to do.
std::string Describe(const Cold& cold);

/// Adds to what is known of a table already; a folder that is known stays as it is.
void AddCold(Cold more, std::vector<Cold>& to);

}  // namespace tidegate::ingest
