// Which rows are superseded: the newest version of each key stays, by folder order (C-20, C-21), and within a folder by
// version column, event time, file name, row (C-22). Rows with a null key are set aside (C-23).
//
// Only key columns are read, and memory follows the rows of the new folders, not of the table:
// 1. Prepare() reads the keys of one new folder and settles repeats inside it. It fails without touching the rest, so a
//    broken file makes a gap of its own folder only.
// 2. AddFolder() takes prepared folders, newest first; a key already seen is newer.
// 3. ScanExisting() streams the keys of the files that the table already holds against the new ones.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/contract/folder.h"
#include "tidegate/ingest/key_table.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

/// A file as this run numbers it.
struct KeyFile {
  uint32_t number = 0;
  std::string name;  // within its folder
  std::function<Result<std::unique_ptr<store::RandomReader>>()> open;
};

/// The keys of one folder: each key once, repeats and null keys apart.
struct FolderKeys {
  contract::Delivery delivery;
  std::vector<std::pair<Hash128, RowRef>> rows;
  std::vector<RowRef> repeats;    // lost against another row of the same folder (C-22)
  std::vector<RowRef> null_keys;  // C-23
  int64_t rows_in = 0;
};

/// A part of all keys, told by their hash: where the keys of a build do not fit into memory it is gone through once for
/// each share.
struct KeyShare {
  uint32_t number = 0;
  uint32_t of = 1;
  bool Holds(const Hash128& key) const { return of == 1 || key.high % of == number; }
};

/// Bytes that Supersede holds for a key of the new folders, at most: its hash and row, twice while a table grows.
inline constexpr int64_t kBytesAKey = 140;

class Supersede {
 public:
  /// `key`: columns; `order`: columns that settle repeats inside a folder, most important first. Those of one build
  /// have the same `seed`.
  Supersede(std::vector<std::string> key, std::vector<std::string> order, KeyShare share = {},
            uint64_t seed = RandomBits());

  /// Errors: NotFound (a key column is missing, naming it), Corruption (a broken file).
  Result<FolderKeys> Prepare(const contract::Delivery& delivery, const std::vector<KeyFile>& files) const;

  /// Requires: folders come newest first.
  void AddFolder(FolderKeys folder);

  /// Rows of a file the table already holds, of the folder `delivery`. `dead` is asked for the rows already deleted in
  /// it (sorted), only where the file holds a key of the new folders.
  Status ScanExisting(const contract::Delivery& delivery, const KeyFile& file,
                      const std::function<Result<std::vector<int64_t>>()>& dead);

  /// Superseded, repeated and null-key rows by file number: sorted, distinct.
  std::map<uint32_t, std::vector<int64_t>> DeadRows() const;

 private:
  void MeetExisting(const contract::Delivery& delivery, const Hash128& key, RowRef row);
  void Kill(RowRef row) { dead_[row.file].push_back(row.position); }
  Status SettleRepeats(const std::vector<KeyFile>& files, FolderKeys& folder,
                       std::vector<std::pair<Hash128, RowRef>> repeated) const;

  std::vector<std::string> key_;
  std::vector<std::string> order_;
  KeyShare share_;
  uint64_t seed_;
  KeyTable newest_;
  std::map<uint32_t, contract::Delivery> delivery_of_;
  std::map<uint32_t, std::vector<int64_t>> dead_;
};

}  // namespace tidegate::ingest
