// A table to publish, a store and a catalog for it, and a reader that trusts the catalog alone.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/embedded/embedded_catalog.h"
#include "tidegate/catalog/location.h"
#include "tidegate/parquet/file_info.h"
#include "tidegate/publish/duckdb_builder.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/lease.h"
#include "tidegate/publish/publish.h"
#include "tidegate/publish/rollback.h"
#include "tidegate/publish/runs.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::publish {

/// A catalog whose n-th change or read goes wrong, before it happens or after it.
class FaultyCatalog final : public catalog::HiveCatalog {
 public:
  explicit FaultyCatalog(catalog::HiveCatalog& inner) : inner_(inner) {}
  int fail_at = 0;                      // from 1; 0: none
  bool reply_lost = false;              // it happens, and the answer does not arrive
  bool for_good = false;                // later calls fail, too
  std::function<void()> before_create;  // of a table
  std::function<void()> after_listing;  // of all partitions of a table
  int calls = 0;
  int listings = 0;  // of all partitions of a table
  bool happened() const { return fail_at > 0 && calls >= fail_at; }

  std::string Describe() const override { return inner_.Describe(); }
  bool compares_and_swaps() const override { return inner_.compares_and_swaps(); }
  Status CreateTable(const catalog::HiveTable& table) override {
    if (before_create) before_create();
    return Run<Status>([&] { return inner_.CreateTable(table); });
  }
  Result<catalog::HiveTable> GetTable(const catalog::HiveName& name) override {
    return Run<Result<catalog::HiveTable>>([&] { return inner_.GetTable(name); });
  }
  Result<std::vector<catalog::HiveName>> ListTables() override { return inner_.ListTables(); }
  Status DropTable(const catalog::HiveName& name) override { return inner_.DropTable(name); }
  Result<catalog::HivePartition> GetPartition(const catalog::HiveName& name,
                                              const catalog::PartitionValues& values) override {
    return Run<Result<catalog::HivePartition>>([&] { return inner_.GetPartition(name, values); });
  }
  Result<std::vector<catalog::HivePartition>> ListPartitions(const catalog::HiveName& name) override {
    ++listings;
    auto all = Run<Result<std::vector<catalog::HivePartition>>>([&] { return inner_.ListPartitions(name); });
    if (after_listing) std::exchange(after_listing, nullptr)();
    return all;
  }
  Result<std::vector<Status>> AddPartitions(const catalog::HiveName& name,
                                            const std::vector<catalog::HivePartition>& partitions) override {
    return Run<Result<std::vector<Status>>>([&] { return inner_.AddPartitions(name, partitions); });
  }
  Result<std::vector<Status>> UpdatePartitions(const catalog::HiveName& name,
                                               const std::vector<catalog::HivePartition>& partitions) override {
    return Run<Result<std::vector<Status>>>([&] { return inner_.UpdatePartitions(name, partitions); });
  }
  Status DropPartition(const catalog::HiveName& name, const catalog::PartitionValues& values) override {
    return inner_.DropPartition(name, values);
  }

 private:
  template <typename T, typename Call>
  T Run(Call call) {
    ++calls;
    const bool strikes = fail_at > 0 && (calls == fail_at || (for_good && calls > fail_at));
    if (!strikes) return call();
    if (reply_lost && calls == fail_at) static_cast<void>(call());
    return Unavailable("the catalog does not answer");
  }

  catalog::HiveCatalog& inner_;
};

class PublishTest : public testing::Test {
 protected:
  void SetUp() override {
    auto catalog = catalog::EmbeddedCatalog::Open((folder_.path() / "hive.db").string());
    ASSERT_TRUE(catalog.ok()) << catalog.status().ToString();
    catalog_ = *std::move(catalog);
    definition_.table = {"sales", "daily"};
    definition_.partition_columns = {{"day", "string"}};
    definition_.select = "SELECT id, 'row ' || id AS note FROM source_rows WHERE day = {day}";
    definition_.writer.max_file_bytes = 1'000'000;
  }

  /// What the source holds of each day: so many rows.
  void Source(const std::map<std::string, int>& days) {
    days_ = days;
    builder_.reset();
  }

  std::unique_ptr<Builder> MakeBuilder() {
    auto db = OpenSource("", {.threads = 1});
    EXPECT_TRUE(db.ok()) << db.status().ToString();
    EXPECT_TRUE(db->Execute("CREATE TABLE source_rows (day VARCHAR, id BIGINT)").ok());
    for (const auto& [day, rows] : days_) {
      EXPECT_TRUE(db->Execute("INSERT INTO source_rows SELECT " + engine::SqlText(day) + ", i FROM range(" +
                              std::to_string(rows) + ") r(i)")
                      .ok());
    }
    return std::make_unique<DuckDbBuilder>(*std::move(db), definition_.writer);
  }

  Ports PortsOn(catalog::HiveCatalog& catalog, store::ObjectStore& store) { return {catalog, store, clock_, "test:1"}; }

  PublishOutcome PublishDay(const std::string& day, const PublishOptions& options = {}) {
    return PublishDayOn(PortsOn(*catalog_, *store_), day, options);
  }

  PublishOutcome PublishDayOn(const Ports& ports, const std::string& day, const PublishOptions& options = {}) {
    if (!builder_) builder_ = MakeBuilder();
    return Publish(definition_, {{day}}, options, *builder_, ports).at(0);
  }

  Result<CleanReport> CleanDayOn(const Ports& ports) {
    TG_ASSIGN_OR_RETURN(const auto lease,
                        Lease::Take(ports.root, LeaseKey("day=" + kDay), ports.ClockOfLeases(), "cleaner:1"));
    PointedFolders pointed(definition_.table, ports);
    return Clean(definition_, {kDay}, std::nullopt, lease.get(), ports, pointed);
  }

  void MustPublish(const std::string& day, const PublishOptions& options = {}) {
    const PublishOutcome outcome = PublishDay(day, options);
    EXPECT_EQ(outcome.end, PublishEnd::kPublished) << outcome.status.ToString() << outcome.run.why;
  }

  Result<RollbackPlan> Back(const std::optional<RunId>& to = std::nullopt) {
    return Rollback(definition_, {kDay}, to, PortsOn(*catalog_, *store_));
  }

  void Pass(std::chrono::seconds time) { clock_.Set(clock_.Now() + time); }

  /// The rows that a reader of the catalog sees; -1 where there is no partition, -2 where it cannot be read.
  int64_t Rows(const std::string& day = "2026-11-01") {
    const auto partition = catalog_->GetPartition(definition_.table, {day});
    if (!partition.ok()) return -1;
    const auto at = catalog::FolderOf(store_->url(), partition->location);
    if (!at) return -2;
    int64_t rows = 0;
    const auto listing = store_->List({.prefix = at->empty() ? "" : *at + "/"});
    for (const store::ObjectInfo& object : listing->objects) {
      if (IsHidden(object.key.substr(at->empty() ? 0 : at->size() + 1))) continue;
      const auto reader = store_->Open(object);
      const auto info = parquet::ReadFileInfo(**reader);
      if (!info.ok()) return -2;
      rows += info->rows;
    }
    return rows;
  }

  static bool IsHidden(const std::string& path) {
    for (const std::string_view name : Split(path, '/')) {
      if (name.starts_with('_') || name.starts_with('.')) return true;
    }
    return false;
  }

  std::vector<publish::Run> Runs(const std::string& path = "day=2026-11-01") { return *ListRuns(*store_, path); }

  catalog::HivePartition Partition(const std::string& day = "2026-11-01") {
    return *catalog_->GetPartition(definition_.table, {day});
  }

  const std::string kDay = "2026-11-01";
  const TempDirForTest folder_;
  std::shared_ptr<store::MemoryObjectStore> store_ = std::make_shared<store::MemoryObjectStore>();
  std::unique_ptr<catalog::EmbeddedCatalog> catalog_;
  FixedClock clock_{*ParseRfc3339("2026-11-02T14:00:00Z")};
  Definition definition_;
  std::map<std::string, int> days_;
  std::unique_ptr<Builder> builder_;
};

}  // namespace tidegate::publish
