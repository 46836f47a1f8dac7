// For tests: a vendor with a DuckDB database and a bucket in memory, and a consumer who reads the bucket by the
// contract.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidegate/base/hash.h"
#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/base/text.h"
#include "tidegate/deliver/deliver.h"
#include "tidegate/deliver/duckdb_source.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::deliver {

inline UtcTime At(const std::string& text) { return *ParseRfc3339(text); }

/// The source database. Changed while no source is open, as DuckDB's lock demands.
class Vendor {
 public:
  /// Run statements against the database, then open it as a source again.
  void Change(const std::string& sql) {
    source_.reset();
    auto db = engine::DuckDb::Open(file(), {});
    ASSERT_TRUE(db.ok()) << db.status().ToString();
    const Status status = db->Execute(sql);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  Source& source() {
    if (!source_) {
      auto opened = DuckDbSource::Open(file());
      EXPECT_TRUE(opened.ok()) << opened.status().ToString();
      source_ = std::move(*opened);
    }
    return *source_;
  }

  std::string file() const { return (folder_.path() / "vendor.duckdb").string(); }

 private:
  TempDirForTest folder_;
  std::unique_ptr<DuckDbSource> source_;
};

/// The database that all consumers read Parquet with: opening one takes longer than most tests. It is closed before the
/// program ends, as thread-local state of DuckDB's is gone by the time that static objects are destroyed.
class SharedReader final : public testing::Environment {
 public:
  engine::DuckDb& db() {
    if (!db_) db_ = std::move(engine::DuckDb::Open(":memory:", {})).value();
    return *db_;
  }
  void TearDown() override { db_.reset(); }

 private:
  std::optional<engine::DuckDb> db_;
};

inline SharedReader* const kSharedReader = [] {
  auto* reader = new SharedReader();  // owned by GoogleTest
  testing::AddGlobalTestEnvironment(reader);
  return reader;
}();

/// Reads a bucket as a consumer does. Rows as text "1|a|NULL", sorted.
class Consumer {
 public:
  explicit Consumer(store::ObjectStore& bucket) : bucket_(bucket) {}

  std::vector<std::string> Keys(const std::string& prefix = "") {
    std::vector<std::string> keys;
    const auto listing = bucket_.List({prefix, "", false, 0});
    EXPECT_TRUE(listing.ok());
    for (const auto& object : listing->objects) keys.push_back(object.key);
    return keys;
  }

  bool Sealed(const std::string& folder) { return bucket_.Head(folder + "/_SUCCESS").ok(); }

  /// The rows of one folder, sealed or not.
  std::vector<std::string> Rows(const std::string& folder, const std::string& columns = "*") {
    return RowsOf(DataFiles(folder + "/"), columns);
  }

  /// C-20, C-35: the rows of all sealed folders from the latest reseed on.
  std::vector<std::string> Union(const contract::TableName& table) {
    std::optional<contract::Delivery> from;
    std::set<contract::Folder, ByDelivery> sealed;
    for (const std::string& text : Keys()) {
      const contract::ParsedKey key = contract::ParseKey(text);
      const bool mine = key.folder.table == table && key.folder.mode == contract::TableMode::kParts;
      if (key.kind == contract::ParsedKey::Kind::kSuccess && mine) sealed.insert(key.folder);
      if (key.kind == contract::ParsedKey::Kind::kManifest) NoteReseed(key.folder.delivery, table, from);
    }
    std::vector<std::string> files;
    for (const contract::Folder& folder : sealed) {
      if (from && folder.delivery < *from) continue;
      for (std::string& file : DataFiles(folder.Path() + "/")) files.push_back(std::move(file));
    }
    return files.empty() ? std::vector<std::string>() : RowsOf(files, "*");
  }

  contract::Manifest Manifest(const std::string& delivery) {
    const auto parsed = contract::ParseDelivery(delivery);
    const auto text = bucket_.Read(contract::ManifestKey(*parsed), contract::kMaxManifestBytes);
    EXPECT_TRUE(text.ok()) << text.status().ToString();
    if (!text.ok()) return {};
    auto manifest = contract::ParseManifest(*parsed, *text);
    EXPECT_TRUE(manifest.ok());
    EXPECT_TRUE(manifest->notes.empty()) << manifest->notes[0];
    return manifest->manifest;
  }

 private:
  struct ByDelivery {
    bool operator()(const contract::Folder& a, const contract::Folder& b) const { return a.delivery < b.delivery; }
  };

  void NoteReseed(const contract::Delivery& delivery, const contract::TableName& table,
                  std::optional<contract::Delivery>& from) {
    const contract::Manifest manifest = Manifest(delivery.ToString());
    const auto* told = manifest.FindDelivered(table);
    if (told == nullptr || !told->reseed) return;
    const contract::Delivery begin = told->reseed_from.value_or(delivery);
    if (!from || *from < begin) from = begin;
  }

  std::vector<std::string> DataFiles(const std::string& prefix) {
    std::vector<std::string> files;
    for (const std::string& key : Keys(prefix)) {
      if (key.ends_with(".parquet")) files.push_back(key);
    }
    return files;
  }

  std::vector<std::string> RowsOf(const std::vector<std::string>& keys, const std::string& columns) {
    std::vector<std::string> paths;
    for (const std::string& key : keys) {
      const auto bytes = bucket_.Read(key, 1'000'000'000);
      EXPECT_TRUE(bytes.ok());
      const auto path = folder_.path() / (std::to_string(paths.size()) + ".parquet");
      std::ofstream(path, std::ios::binary) << *bytes;
      paths.push_back(engine::SqlText(path.string()));
    }
    const auto rows = kSharedReader->db().QueryAll("SELECT " + columns + " FROM read_parquet([" + Join(paths, ",") +
                                                   "]) ORDER BY ALL");
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    std::vector<std::string> lines;
    for (const engine::TextRow& row : rows.ok() ? *rows : std::vector<engine::TextRow>()) lines.push_back(Line(row));
    return lines;
  }

  static std::string Line(const engine::TextRow& row) {
    std::vector<std::string> cells;
    for (const auto& cell : row) cells.push_back(cell.value_or("NULL"));
    return Join(cells, "|");
  }

  store::ObjectStore& bucket_;
  TempDirForTest folder_;
};

}  // namespace tidegate::deliver
