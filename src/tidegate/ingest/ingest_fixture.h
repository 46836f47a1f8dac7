// For tests: a delivery bucket and a lake in memory, small real Parquet files, and a reader that sees the lake as any
// Iceberg engine would: live files of the current snapshot, less their deleted positions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/ingest/ingest.h"
#include "tidegate/ingest/table_state.h"
#include "tidegate/parquet/test_rows.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::ingest {

using Rows = std::vector<std::string>;

inline contract::Delivery DeliveryOf(const std::string& text) { return *contract::ParseDelivery(text); }

inline std::vector<store::ObjectInfo> ObjectsIn(store::ObjectStore& store) {
  auto listing = store.List({});
  EXPECT_TRUE(listing.ok()) << listing.status().ToString();
  return listing.ok() ? std::move(listing->objects) : std::vector<store::ObjectInfo>();
}

/// The columns of every table here: a key, a value, and when the row changed.
inline std::string OrderRows(const std::string& rows) {
  return parquet::MakeRows({{"id", arrow::int64()}, {"value", arrow::utf8()}, {"at", arrow::int64()}}, rows);
}

/// What a vendor leaves in a bucket.
class TestBucket {
 public:
  store::MemoryObjectStore& store() { return *store_; }
  const std::shared_ptr<store::MemoryObjectStore>& shared() const { return store_; }

  void Put(const std::string& key, const std::string& bytes) {
    const auto put = store_->Put(key, bytes, store::PutMode::kOverwrite);
    ASSERT_TRUE(put.ok()) << put.status().ToString();
  }
  void Seal(const std::string& folder) { Put(folder + "/_SUCCESS", ""); }
  void Unseal(const std::string& folder) { ASSERT_TRUE(store_->Delete({folder + "/_SUCCESS"}).ok()); }
  /// One sealed folder of one file.
  void Deliver(const std::string& folder, const std::string& rows) {
    Put(folder + "/0000_part_00.parquet", OrderRows(rows));
    Seal(folder);
  }
  /// The key that turns consumers to v2 (C-12).
  void SwitchToV2() { Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json", "{}"); }

 private:
  std::shared_ptr<store::MemoryObjectStore> store_ = std::make_shared<store::MemoryObjectStore>();
};

inline std::string Initial(const std::string& table) { return "v1/shop/" + table + "/etl_date=__initial__"; }
inline std::string Day(const std::string& table, const std::string& date) {
  return "v1/shop/" + table + "/etl_date=" + date;
}
inline std::string Hour(const std::string& table, const std::string& hour) {
  return "v2/shop/" + table + "/etl_date=2026-11-03/etl_hour=" + hour;
}
inline std::string Copy(const std::string& table, const std::string& hour) {
  return "v2/shop/" + table + "/snapshot_date=2026-11-03/snapshot_hour=" + hour;
}

/// Reads a lake by Iceberg's rules, without the code that ingest reads it with.
class TestLake {
 public:
  store::MemoryObjectStore& store() { return *store_; }
  const std::shared_ptr<store::MemoryObjectStore>& shared() const { return store_; }

  /// Live rows "1|a|10", sorted; an error as its text.
  Rows Table(const std::string& name, const Rows& columns = {"id", "value", "at"}) const {
    Rows out;
    for (const auto& [location, rows] : LiveRows(name, columns)) out.insert(out.end(), rows.begin(), rows.end());
    std::sort(out.begin(), out.end());
    return out;
  }

  /// The hour (or day) that each live row came from, as the partition of its file says: "v2/2026-11-03/03|1".
  Rows Deliveries(const std::string& name, const Rows& columns = {"id"}) const {
    Rows out;
    const auto live = Live(name);
    const auto rows = LiveRows(name, columns);
    for (const table::LiveFile& file : live.data) {
      const auto& of = file.file.partition;
      const std::string delivery = *of[0] + "/" + *of[1] + (of[2] ? "/" + *of[2] : "");
      for (const std::string& row : rows.at(file.file.location)) out.push_back(delivery + "|" + row);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  bool Has(const std::string& name) const { return table::LakeTable::Load(*store_, "shop/" + name).ok(); }

  Checkpoint CheckpointIn(const std::string& name) const {
    const auto state = LoadTableState(*store_, {"shop", name});
    EXPECT_TRUE(state.ok()) << state.status().ToString();
    return state.ok() && state->checkpoint ? *state->checkpoint : Checkpoint();
  }

  table::LiveFiles Live(const std::string& name) const {
    const auto table = table::LakeTable::Load(*store_, "shop/" + name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    if (!table.ok()) return {};
    const auto live = table->ReadLiveFiles();
    EXPECT_TRUE(live.ok()) << live.status().ToString();
    return live.ok() ? *live : table::LiveFiles();
  }

  /// Key → ETag of every data file (not delete file) in the lake, named by a table or not.
  std::map<std::string, std::string> DataObjects() const {
    std::map<std::string, std::string> out;
    for (const store::ObjectInfo& object : ObjectsIn(*store_)) {
      const bool data =
          object.key.find("/data/") != std::string::npos && object.key.find("-deletes-") == std::string::npos;
      if (data) out[object.key] = object.etag;
    }
    return out;
  }

  static std::string KeyOf(const std::string& location) { return location.substr(std::string("memory:/").size()); }

 private:
  std::map<std::string, Rows> LiveRows(const std::string& name, const Rows& columns) const {
    std::map<std::string, Rows> out;
    const table::LiveFiles live = Live(name);
    for (const table::LiveFile& file : live.data) {
      const std::set<std::string> dead = DeadIn(live, file);
      const Rows all = parquet::RowsAsText(Bytes(file.file.location), columns);
      EXPECT_EQ(all.size(), static_cast<size_t>(file.file.record_count)) << file.file.location;
      Rows& rows = out[file.file.location];
      for (size_t row = 0; row < all.size(); ++row) {
        if (!dead.contains(std::to_string(row))) rows.push_back(all[row]);
      }
    }
    return out;
  }

  /// Deletes apply to files of the same partition that are not newer (Iceberg spec, "Scan planning").
  std::set<std::string> DeadIn(const table::LiveFiles& live, const table::LiveFile& data) const {
    std::set<std::string> out;
    for (const table::LiveFile& deletes : live.position_deletes) {
      const bool same_partition =
          deletes.file.partition == data.file.partition && deletes.file.spec_id == data.file.spec_id;
      if (!same_partition || deletes.sequence_number < data.sequence_number) continue;
      const std::string bytes = Bytes(deletes.file.location);
      const Rows files = parquet::RowsAsText(bytes, {"file_path"});
      const Rows positions = parquet::RowsAsText(bytes, {"pos"});
      for (size_t i = 0; i < files.size(); ++i) {
        if (files[i] == data.file.location) out.insert(positions[i]);
      }
    }
    return out;
  }

  std::string Bytes(const std::string& location) const {
    const auto bytes = store_->Read(KeyOf(location), 100'000'000);
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    return *bytes;
  }

  std::shared_ptr<store::MemoryObjectStore> store_ = std::make_shared<store::MemoryObjectStore>();
};

/// orders: parts by key. log: parts, each row once. customers: full.
inline contract::TableCatalog TestCatalog() {
  contract::TableEntry orders;
  orders.name = {"shop", "orders"};
  orders.mode = contract::TableMode::kParts;
  orders.key = {"id"};
  orders.event_time = "at";
  contract::TableEntry log;
  log.name = {"shop", "log"};
  log.mode = contract::TableMode::kParts;
  log.append_only = true;
  contract::TableEntry customers;
  customers.name = {"shop", "customers"};
  return contract::TableCatalog({orders, log, customers});
}

inline IngestOptions TestOptions() {
  static const FixedClock kClock(*ParseRfc3339("2026-11-03T12:00:00Z"));
  IngestOptions options;
  options.catalog = TestCatalog();
  options.clock = &kClock;
  options.tool_version = "test";
  return options;
}

inline std::vector<std::string> KindsOf(const IngestReport& report) {
  std::vector<std::string> out;
  for (const Warning& warning : report.warnings) out.push_back(warning.kind);
  return out;
}

inline std::string ProblemsOf(const IngestReport& report) {
  std::string out;
  for (const Problem& problem : report.problems) {
    out += problem.reason + " " + problem.table + " " + problem.folder + ": " + problem.message + "\n";
  }
  return out;
}

inline const TableResult& ResultOf(const IngestReport& report, const std::string& table) {
  static const TableResult kNone;
  for (const TableResult& result : report.tables) {
    if (result.table == table) return result;
  }
  ADD_FAILURE() << "the report does not tell of " << table;
  return kNone;
}

/// A run that must work.
inline IngestReport IngestWell(store::ObjectStore& bucket, store::ObjectStore& lake,
                               const IngestOptions& options = TestOptions()) {
  const auto report = RunIngest(bucket, lake, options);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  if (!report.ok()) return {};
  EXPECT_FALSE(report->failed()) << ProblemsOf(*report);
  return *report;
}

}  // namespace tidegate::ingest
