#include "tidegate/ingest/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/bucket/bucket_view.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::TableEntry;
using contract::TableMode;
using contract::Version;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const contract::TableName kOrders{"shop", "orders"};
const contract::TableName kCustomers{"shop", "customers"};

/// A bucket written key by key, as a vendor would leave it.
class PlanTest : public ::testing::Test {
 protected:
  void Put(const std::string& key, const std::string& bytes = "x") {
    ASSERT_TRUE(bucket_.Put(key, bytes, store::PutMode::kOverwrite).ok()) << key;
  }
  void Folder(const std::string& path, const std::string& bytes = "x") {
    Put(path + "/0000_part_00.parquet", bytes);
    Put(path + "/_SUCCESS", "");
  }
  void Manifest(const std::string& key, const std::string& json) { Put(key, json); }
  bucket::BucketView View() {
    auto view = bucket::ScanBucket(bucket_, {});
    EXPECT_TRUE(view.ok()) << view.status().ToString();
    return *view;
  }
  static std::vector<std::string> Paths(const TablePlan& plan) {
    std::vector<std::string> out;
    for (const auto& folder : plan.folders) out.push_back(folder.folder.Path());
    return out;
  }
  static std::vector<std::string> Kinds(const TablePlan& plan) {
    std::vector<std::string> out;
    for (const auto& warning : plan.warnings) out.push_back(warning.kind);
    return out;
  }
  static Checkpoint Applied(const bucket::BucketView& view, TableMode mode, std::vector<Delivery> deliveries) {
    Checkpoint out;
    out.mode = mode;
    for (const auto& [name, table] : view.tables) {
      for (const Delivery& delivery : deliveries) {
        const auto& folders = mode == TableMode::kFull ? table.full : table.parts;
        out.applied.Insert(delivery);
        if (const auto it = folders.find(delivery); it != folders.end())
          out.fingerprints[delivery] = it->second.Fingerprint();
      }
    }
    return out;
  }

  store::MemoryObjectStore bucket_;
  TableEntry orders_{kOrders, TableMode::kParts, {"id"}, "at", std::nullopt, false, std::nullopt, std::nullopt};
};

TEST_F(PlanTest, UnsealedFoldersAreNeverRead) {  // C-10
  Put("v1/shop/orders/etl_date=2026-11-01/0000_part_00.parquet");
  const TablePlan plan = PlanTable(View(), kOrders, &orders_, std::nullopt, Version::kV1);
  EXPECT_EQ(plan.action, Action::kNothing);
}

TEST_F(PlanTest, FoldersComeInTheOrderOfTheContract) {  // C-20
  Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=10");
  Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  Folder("v1/shop/orders/etl_date=2026-11-02");
  Folder("v1/shop/orders/etl_date=__initial__");
  const TablePlan plan = PlanTable(View(), kOrders, &orders_, std::nullopt, Version::kV2);
  EXPECT_EQ(plan.action, Action::kAppend);
  EXPECT_THAT(Paths(plan), ElementsAre("v1/shop/orders/etl_date=__initial__", "v1/shop/orders/etl_date=2026-11-02",
                                       "v2/shop/orders/etl_date=2026-11-03/etl_hour=03",
                                       "v2/shop/orders/etl_date=2026-11-03/etl_hour=10"));
}

TEST_F(PlanTest, V2IsNotReadBeforeItsFirstManifest) {  // C-12
  Folder("v1/shop/orders/etl_date=2026-11-02");
  Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  EXPECT_EQ(VersionInUse(View(), {}), Version::kV1);
  EXPECT_THAT(Paths(PlanTable(View(), kOrders, &orders_, std::nullopt, Version::kV1)),
              ElementsAre("v1/shop/orders/etl_date=2026-11-02"));
  Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json", "not json");
  EXPECT_EQ(VersionInUse(View(), {}), Version::kV2);
}

TEST_F(PlanTest, ALakeThatHasSeenV2NeverGoesBack) {  // C-12
  Checkpoint seen;
  seen.version = Version::kV2;
  EXPECT_EQ(VersionInUse(View(), {Checkpoint(), seen}), Version::kV2);
}

TEST_F(PlanTest, AnOlderHourThatComesLateIsStillApplied) {  // C-21: progress is a set
  for (const char* hour : {"03", "04", "05"})
    Folder(std::string("v2/shop/orders/etl_date=2026-11-03/etl_hour=") + hour);
  const Checkpoint before =
      Applied(View(), TableMode::kParts, {{Version::kV2, "2026-11-03", "03"}, {Version::kV2, "2026-11-03", "05"}});
  const TablePlan plan = PlanTable(View(), kOrders, &orders_, before, Version::kV2);
  EXPECT_THAT(Paths(plan), ElementsAre("v2/shop/orders/etl_date=2026-11-03/etl_hour=04"));
}

TEST_F(PlanTest, AFullTableTakesTheNewestSealedCopyOnly) {  // C-11
  Folder("v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour=09");
  Folder("v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour=10");
  Put("v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour=11/0000_part_00.parquet");
  const TablePlan plan = PlanTable(View(), kCustomers, nullptr, std::nullopt, Version::kV2);
  EXPECT_EQ(plan.action, Action::kReplace);
  ASSERT_FALSE(plan.folders.empty());
  EXPECT_EQ(plan.folders.front().folder.Path(), "v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour=10");
  const Checkpoint before = Applied(View(), TableMode::kFull, {{Version::kV2, "2026-11-03", "10"}});
  EXPECT_EQ(PlanTable(View(), kCustomers, nullptr, before, Version::kV2).action, Action::kNothing);
}

TEST_F(PlanTest, AFullTableStaysWithV1UntilItsFirstV2Copy) {  // C-13
  Folder("v1/shop/customers/snapshot_date=2026-11-02");
  const TablePlan plan = PlanTable(View(), kCustomers, nullptr, std::nullopt, Version::kV2);
  EXPECT_EQ(plan.action, Action::kReplace);
  EXPECT_THAT(Kinds(plan), ::testing::Contains("full_table_from_v1"));
  Folder("v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour=03");
  const TablePlan after = PlanTable(View(), kCustomers, nullptr, std::nullopt, Version::kV2);
  EXPECT_THAT(Paths(after), ElementsAre("v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour=03"));
}

TEST_F(PlanTest, AChangedV1FolderRebuildsBeforeTheSwitchAndIsRefusedAfter) {  // C-14
  Folder("v1/shop/orders/etl_date=2026-11-01");
  Folder("v1/shop/orders/etl_date=2026-11-02");
  const Checkpoint before =
      Applied(View(), TableMode::kParts, {{Version::kV1, "2026-11-01", ""}, {Version::kV1, "2026-11-02", ""}});
  EXPECT_EQ(PlanTable(View(), kOrders, &orders_, before, Version::kV1).action, Action::kNothing);
  Put("v1/shop/orders/etl_date=2026-11-01/0000_part_00.parquet", "other");
  const TablePlan rebuild = PlanTable(View(), kOrders, &orders_, before, Version::kV1);
  EXPECT_EQ(rebuild.action, Action::kRebuild);
  EXPECT_EQ(rebuild.folders.size(), 2u);
  const TablePlan refused = PlanTable(View(), kOrders, &orders_, before, Version::kV2);
  EXPECT_EQ(refused.action, Action::kNothing);
  ASSERT_EQ(refused.problems.size(), 1u);
  EXPECT_EQ(refused.problems[0].folder, "v1/shop/orders/etl_date=2026-11-01");
}

TEST_F(PlanTest, AChangedV2FolderIsRefusedAndLaterOnesGoOn) {  // C-14
  Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  const Checkpoint before = Applied(View(), TableMode::kParts, {{Version::kV2, "2026-11-03", "03"}});
  Put("v2/shop/orders/etl_date=2026-11-03/etl_hour=03/0001_part_00.parquet");
  Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=04");
  const TablePlan plan = PlanTable(View(), kOrders, &orders_, before, Version::kV2);
  EXPECT_THAT(Paths(plan), ElementsAre("v2/shop/orders/etl_date=2026-11-03/etl_hour=04"));
  ASSERT_EQ(plan.problems.size(), 1u);
  EXPECT_EQ(plan.problems[0].reason, "changed");
}

TEST_F(PlanTest, AnAppliedPartsFolderThatIsGoneIsAWarning) {  // C-14
  Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
  const Checkpoint before = Applied(View(), TableMode::kParts, {{Version::kV2, "2026-11-03", "03"}});
  ASSERT_TRUE(bucket_
                  .Delete({"v2/shop/orders/etl_date=2026-11-03/etl_hour=03/_SUCCESS",
                           "v2/shop/orders/etl_date=2026-11-03/etl_hour=03/0000_part_00.parquet"})
                  .ok());
  EXPECT_THAT(Kinds(PlanTable(View(), kOrders, &orders_, before, Version::kV2)), ElementsAre("parts_folder_gone"));
}

TEST_F(PlanTest, TheManifestsModeWinsOverTheCatalogs) {  // C-34
  Folder("v1/shop/orders/snapshot_date=2026-11-02");
  Manifest("v1/_manifests/snapshot_date=2026-11-02/manifest.json",
           R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "full_refresh"}]})");
  const TableRules rules = DecideRules(View(), kOrders, &orders_, nullptr);
  EXPECT_EQ(rules.mode, TableMode::kFull);
  EXPECT_EQ(rules.mode_source, "manifest");
  EXPECT_THAT(rules.key, IsEmpty());
}

TEST_F(PlanTest, ATableThatChangesItsModeStaysAsItIs) {  // its delivery columns would be wrong (C-26)
  Folder("v1/shop/orders/etl_date=2026-11-02");
  Checkpoint before;
  before.mode = TableMode::kFull;
  const TablePlan plan = PlanTable(View(), kOrders, &orders_, before, Version::kV1);
  EXPECT_EQ(plan.action, Action::kNothing);
  ASSERT_EQ(plan.problems.size(), 1u);
  EXPECT_EQ(plan.problems[0].reason, "mode");
}

TEST_F(PlanTest, WithoutManifestAndCatalogTheFolderNamesTell) {
  Folder("v1/shop/orders/etl_date=2026-11-02");
  EXPECT_EQ(DecideRules(View(), kOrders, nullptr, nullptr).mode, TableMode::kParts);
  EXPECT_EQ(DecideRules(View(), kOrders, nullptr, nullptr).mode_source, "folder names");
}

TEST_F(PlanTest, RepeatsAreOrderedByVersionColumnThenEventTime) {  // C-22
  Folder("v1/shop/orders/etl_date=2026-11-02");
  orders_.version_column = "v";
  EXPECT_THAT(DecideRules(View(), kOrders, &orders_, nullptr).order_columns, ElementsAre("v", "at"));
  orders_.append_only = true;
  EXPECT_THAT(DecideRules(View(), kOrders, &orders_, nullptr).key, IsEmpty());  // C-24
}

TEST_F(PlanTest, DeliveredButNotSealedIsSaid) {  // C-34
  Manifest("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json",
           R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append"}]})");
  Put("v2/shop/orders/etl_date=2026-11-03/etl_hour=03/0000_part_00.parquet");
  EXPECT_THAT(Kinds(PlanTable(View(), kOrders, &orders_, std::nullopt, Version::kV2)),
              ElementsAre("delivered_not_sealed"));
}

TEST_F(PlanTest, MissingAndPendingStayUntilALaterFolderIsSealed) {  // C-33, A-17
  Manifest(
      "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json",
      R"({"complete": false, "tables_missing": [{"schema": "shop", "table": "customers", "reason": "query failed"}],
               "tables_pending": [{"schema": "shop", "table": "orders", "reason": "open transaction"}]})");
  auto waiting = StillWaiting(View(), Version::kV2);
  ASSERT_EQ(waiting.size(), 2u);
  Folder("v2/shop/orders/etl_date=2026-11-03/etl_hour=04");
  waiting = StillWaiting(View(), Version::kV2);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].table, "shop.customers");
  EXPECT_EQ(waiting[0].reason, "query failed");
}

TEST_F(PlanTest, DeliveredThroughCountsAppliedDeliveriesOnly) {  // C-36, A-5
  for (const char* hour : {"03", "04"}) {
    Manifest(std::string("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=") + hour + "/manifest.json",
             std::string(R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append",
                             "delivered_through": "2026-11-03T)") +
                 hour + R"(:00:00Z"}]})");
  }
  Checkpoint checkpoint;
  checkpoint.applied.Insert({Version::kV2, "2026-11-03", "03"});
  EXPECT_EQ(DeliveredThrough(View(), kOrders, checkpoint), *ParseRfc3339("2026-11-03T03:00:00Z"));
  checkpoint.delivered_through = *ParseRfc3339("2026-11-05T00:00:00Z");
  EXPECT_EQ(DeliveredThrough(View(), kOrders, checkpoint), *ParseRfc3339("2026-11-05T00:00:00Z"));
}

}  // namespace
}  // namespace tidegate::ingest
