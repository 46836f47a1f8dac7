#include "tidegate/status/status_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/settlement.h"

namespace tidegate::status {
namespace {

using ingest::Copy;
using ingest::Day;
using ingest::Hour;
using ingest::Initial;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StatusReportTest : public ::testing::Test {
 protected:
  StatusReport Report(bool with_lake = true) {
    options_.catalog = ingest::TestCatalog();
    options_.now = *ParseRfc3339(now_);
    const auto report = BuildStatus(bucket_.store(), with_lake ? &lake_.store() : nullptr, options_);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *report : StatusReport();
  }
  void Ingest() { ingest::IngestWell(bucket_.store(), lake_.store()); }
  void Manifest(const std::string& hour, const std::string& json) {
    bucket_.Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=" + hour + "/manifest.json", json);
  }

  static const TableStatus& TableOf(const StatusReport& report, const std::string& name) {
    static const TableStatus kNone;
    for (const TableStatus& table : report.tables) {
      if (table.table == name) return table;
    }
    ADD_FAILURE() << "no table " << name;
    return kNone;
  }
  static Cell CellOf(const StatusReport& report, const std::string& delivery, const std::string& table) {
    for (const DeliveryRow& row : report.deliveries) {
      EXPECT_EQ(row.cells.size(), report.tables.size());
      for (size_t i = 0; i < row.cells.size(); ++i) {
        if (row.delivery.ToString() == delivery && report.tables[i].table == table) return row.cells[i];
      }
    }
    ADD_FAILURE() << "no cell " << delivery << " " << table;
    return {};
  }
  static std::vector<std::string> Deliveries(const StatusReport& report) {
    std::vector<std::string> out;
    for (const DeliveryRow& row : report.deliveries) out.push_back(row.delivery.ToString());
    return out;
  }

  ingest::TestBucket bucket_;
  ingest::TestLake lake_;
  StatusOptions options_;
  std::string now_ = "2026-11-03T12:00:00Z";
};

TEST_F(StatusReportTest, AnEmptyBucketIsToldAsEmpty) {
  const StatusReport report = Report();
  EXPECT_THAT(report.tables, IsEmpty());
  EXPECT_THAT(report.deliveries, IsEmpty());
  EXPECT_EQ(report.version, contract::Version::kV1);
  EXPECT_THAT(report.summary, HasSubstr("0 tables, 0 deliveries"));
}

TEST_F(StatusReportTest, WithoutALakeTheBucketAloneIsToldOf) {
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1]])");
  const StatusReport report = Report(/*with_lake=*/false);
  EXPECT_FALSE(report.has_lake);
  EXPECT_FALSE(TableOf(report, "shop.orders").in_lake);
  EXPECT_EQ(CellOf(report, "v1/__initial__", "shop.orders").state, CellState::kSealed);
  EXPECT_THAT(report.summary, HasSubstr("nothing is missing"));
}

TEST_F(StatusReportTest, EachCellTellsWhatBecameOfTheDelivery) {  // C-10, C-33
  Manifest("03", "{}");
  Manifest(
      "05",
      R"({"complete": false, "tables_missing": [{"schema": "shop", "table": "customers", "reason": "query failed"}],
                     "tables_pending": [{"schema": "shop", "table": "log", "reason": "open transaction"}]})");
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1]])");
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "a", 1]])");
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "a", 1]])");
  Ingest();
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "b", 1]])");
  bucket_.Put(Hour("orders", "05") + "/0000_part_00.parquet", "half");
  const StatusReport report = Report();
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/03", "shop.orders").state, CellState::kApplied);
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/04", "shop.orders").state, CellState::kSealed);
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/05", "shop.orders").state, CellState::kInProgress);
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/03", "shop.customers").state, CellState::kOvertaken);
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/04", "shop.customers").state, CellState::kApplied);
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/04", "shop.log").state, CellState::kNone);
  const Cell missing = CellOf(report, "v2/2026-11-03/05", "shop.customers");
  EXPECT_EQ(missing.state, CellState::kMissing);
  EXPECT_EQ(missing.reason, "query failed");
  const Cell pending = CellOf(report, "v2/2026-11-03/05", "shop.log");
  EXPECT_EQ(pending.state, CellState::kPending);
  EXPECT_EQ(pending.reason, "open transaction");
  EXPECT_THAT(TableOf(report, "shop.log").waiting, SizeIs(1));
  EXPECT_THAT(report.summary, HasSubstr("1 table has folders to ingest, 2 tables are missing or pending"));
}

TEST_F(StatusReportTest, DeliveriesComeNewestFirstAndNoMoreThanAskedFor) {  // C-20
  bucket_.SwitchToV2();
  for (const std::string& folder :
       {Initial("orders"), Day("orders", "2026-11-02"), Hour("orders", "09"), Hour("orders", "10")}) {
    bucket_.Deliver(folder, R"([[1, "a", 1]])");
  }
  EXPECT_THAT(Deliveries(Report()), ElementsAre("v2/2026-11-03/10", "v2/2026-11-03/09", "v2/2026-11-03/03",
                                                "v1/2026-11-02", "v1/__initial__"));
  options_.max_deliveries = 2;
  EXPECT_THAT(Deliveries(Report()), ElementsAre("v2/2026-11-03/10", "v2/2026-11-03/09"));
  EXPECT_EQ(Report().deliveries_in_all, 5u);
}

TEST_F(StatusReportTest, RowsAreThoseThatReadersSee) {
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1], [2, "a", 1], [null, "a", 1]])");
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[1, "b", 1]])");
  Ingest();
  const StatusReport report = Report();
  const TableStatus& orders = TableOf(report, "shop.orders");
  EXPECT_TRUE(orders.in_lake);
  EXPECT_EQ(orders.rows, static_cast<int64_t>(lake_.Table("orders").size()));
  EXPECT_EQ(orders.rows, 2);
  EXPECT_EQ(orders.deleted_rows, 2);
  EXPECT_EQ(orders.data_files, 2);
  EXPECT_EQ(orders.delete_files, 1);
  EXPECT_EQ(orders.snapshots, 1);
  EXPECT_GT(orders.bytes, 0);
  EXPECT_EQ(orders.newest_applied, "v1/2026-11-02");
  EXPECT_EQ(orders.last_commit, *ParseRfc3339("2026-11-03T12:00:00Z"));
  EXPECT_THAT(orders.to_ingest, IsEmpty());
  EXPECT_THAT(report.summary, HasSubstr("everything delivered is in the lake"));
}

TEST_F(StatusReportTest, OpenFoldersAreThoseThatTheNextIngestApplies) {  // C-11
  bucket_.SwitchToV2();
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "a", 1]])");
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "a", 1]])");
  bucket_.Deliver(Hour("log", "03"), R"([[1, "a", 1]])");
  bucket_.Deliver(Hour("log", "04"), R"([[1, "a", 1]])");
  const StatusReport report = Report();
  EXPECT_THAT(TableOf(report, "shop.customers").to_ingest, ElementsAre(Copy("customers", "04")));
  EXPECT_THAT(TableOf(report, "shop.log").to_ingest, ElementsAre(Hour("log", "03"), Hour("log", "04")));
}

TEST_F(StatusReportTest, FreshnessIsThatOfTheAppliedDeliveries) {  // C-36
  for (const std::string hour : {"03", "04"}) {
    Manifest(hour, R"({"tables_delivered": [{"schema": "shop", "table": "log", "mode": "incremental_append",
                       "delivered_through": "2026-11-03T)" +
                       hour + R"(:00:00Z"}]})");
  }
  bucket_.Deliver(Hour("log", "03"), R"([[1, "a", 1]])");
  Ingest();
  EXPECT_EQ(TableOf(Report(), "shop.log").delivered_through, *ParseRfc3339("2026-11-03T03:00:00Z"));
  EXPECT_EQ(TableOf(Report(), "shop.log").mode_source, "manifest");
}

TEST_F(StatusReportTest, AGapIsToldWithItsReasonSinceItWasFound) {  // C-15
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1]])");
  bucket_.Put(Hour("orders", "04") + "/0000_part_00.parquet", "no Parquet");
  bucket_.Put(Hour("orders", "04") + "/_SUCCESS", "");
  EXPECT_EQ(TableOf(Report(), "shop.orders").health, Health::kToIngest);  // not tried yet
  ASSERT_TRUE(ingest::RunIngest(bucket_.store(), lake_.store(), ingest::TestOptions()).ok());
  bucket_.Deliver(Hour("orders", "05"), R"([[2, "b", 1]])");
  const StatusReport report = Report();
  const TableStatus& orders = TableOf(report, "shop.orders");
  EXPECT_EQ(orders.health, Health::kGap);
  ASSERT_THAT(orders.gaps, SizeIs(1));
  EXPECT_EQ(orders.gaps[0].reason, "broken");
  EXPECT_EQ(orders.since, *ParseRfc3339("2026-11-03T12:00:00Z"));
  EXPECT_THAT(orders.to_ingest, ElementsAre(Hour("orders", "05")));
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/04", "shop.orders").state, CellState::kGap);
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/05", "shop.orders").state, CellState::kSealed);
  EXPECT_THAT(report.summary, HasSubstr("1 table has a gap"));
  bucket_.Put(Hour("orders", "04") + "/0000_part_00.parquet", "something else");  // not tried as it is now
  EXPECT_EQ(TableOf(Report(), "shop.orders").health, Health::kToIngest);
}

TEST_F(StatusReportTest, AChangedFolderIsAGapToo) {  // C-14
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1]])");
  Ingest();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "b", 1]])");
  const StatusReport report = Report();
  EXPECT_EQ(TableOf(report, "shop.orders").health, Health::kGap);
  EXPECT_EQ(TableOf(report, "shop.orders").gaps[0].reason, "changed");
}

TEST_F(StatusReportTest, AHeldCopyIsToldUntilAPersonDecides) {  // C-29
  bucket_.SwitchToV2();
  std::string rows = "[";
  for (int i = 0; i < 1'500; ++i) rows += (i > 0 ? "," : "") + ("[" + std::to_string(i)) + R"(, "a", 1])";
  bucket_.Deliver(Copy("customers", "03"), rows + "]");
  Ingest();
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "a", 1]])");
  ASSERT_TRUE(ingest::RunIngest(bucket_.store(), lake_.store(), ingest::TestOptions()).ok());
  const StatusReport report = Report();
  const TableStatus& customers = TableOf(report, "shop.customers");
  EXPECT_EQ(customers.health, Health::kHeld);
  ASSERT_THAT(customers.held, SizeIs(1));
  EXPECT_EQ(customers.held[0].rows_before, 1'500);
  EXPECT_EQ(customers.held[0].rows_now, 1);
  EXPECT_THAT(customers.to_ingest, IsEmpty());
  EXPECT_THAT(report.summary, HasSubstr("1 table is held"));
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/04", "shop.customers").state, CellState::kHeld);
  ingest::Settlement skip{*contract::ParseFolder(Copy("customers", "04")), ingest::Verdict::kSkip, "", "broken export",
                          *ParseRfc3339("2026-11-03T12:00:00Z")};
  ASSERT_TRUE(ingest::Settle(lake_.store(), skip).ok());
  EXPECT_EQ(TableOf(Report(), "shop.customers").health, Health::kCurrent);
}

TEST_F(StatusReportTest, WhatLiesInColdStorageIsToldByTableAndAge) {  // C-43
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1]])");
  bucket_.Deliver(Hour("log", "03"), R"([[1, "a", 1]])");
  const auto set = [&](const std::string& folder, store::ArchiveState state) {
    bucket_.store().SetArchive(folder + "/0000_part_00.parquet", "GLACIER", state);
  };
  set(Hour("log", "03"), store::ArchiveState::kFrozen);
  Ingest();
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "b", 1]])");
  set(Hour("orders", "04"), store::ArchiveState::kThawing);
  const StatusReport report = Report();
  const TableStatus& log = TableOf(report, "shop.log");
  EXPECT_EQ(log.health, Health::kFrozen);
  EXPECT_EQ(log.cold_since, ParseRfc3339("2026-11-03T12:00:00Z").value());
  ASSERT_THAT(log.cold, SizeIs(1));
  EXPECT_EQ(log.cold[0].scope, ingest::ColdScope::kFirstBuild);
  EXPECT_THAT(log.to_ingest, IsEmpty());
  ASSERT_THAT(log.cold_by_age, SizeIs(1));
  EXPECT_EQ(log.cold_by_age[0].objects, 1);
  EXPECT_EQ(TableOf(report, "shop.orders").health, Health::kThawing);
  EXPECT_EQ(CellOf(report, "v2/2026-11-03/04", "shop.orders").state, CellState::kCold);
  EXPECT_THAT(report.summary, HasSubstr("2 tables wait for cold storage"));

  set(Hour("log", "03"), store::ArchiveState::kThawed);
  set(Hour("orders", "04"), store::ArchiveState::kThawed);
  const StatusReport thawed = Report();
  EXPECT_EQ(TableOf(thawed, "shop.log").health, Health::kToIngest);
  EXPECT_THAT(TableOf(thawed, "shop.orders").to_ingest, ElementsAre(Hour("orders", "04")));
}

TEST_F(StatusReportTest, WhatFreezesBeforeItIsInTheLakeIsSaid) {  // C-43
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1]])");
  now_ = FormatRfc3339(SystemClock().Now() + std::chrono::days(160));
  const auto kinds = [&] {
    std::vector<std::string> out;
    for (const ingest::Warning& warning : Report().warnings) out.push_back(warning.kind);
    return out;
  };
  EXPECT_THAT(kinds(), testing::Not(testing::Contains("freezes_soon")));
  options_.freezes_after = std::chrono::days(180);
  EXPECT_THAT(kinds(), testing::Contains("freezes_soon"));
  Ingest();
  EXPECT_THAT(kinds(), testing::Not(testing::Contains("freezes_soon")));
}

TEST_F(StatusReportTest, TheNextDeliveryIsToldAndWhetherItIsLate) {  // C-40
  EXPECT_FALSE(Report().next);
  Manifest("03", "{}");
  now_ = "2026-11-03T04:40:00Z";
  ASSERT_TRUE(Report().next);
  EXPECT_EQ(Report().next->delivery.ToString(), "v2/2026-11-03/04");
  EXPECT_FALSE(Report().next->late);
  EXPECT_THAT(Report().summary, HasSubstr("next is v2/2026-11-03/04, usually there by 2026-11-03T04:40:00Z"));
  now_ = "2026-11-03T04:40:01Z";
  EXPECT_TRUE(Report().next->late);
  EXPECT_THAT(Report().summary, HasSubstr("v2/2026-11-03/04 is late"));
}

TEST_F(StatusReportTest, ATableThatOnlyManifestsNameIsListed) {  // C-33
  Manifest("03", R"({"tables_missing": [{"schema": "shop", "table": "never", "reason": "no permission"}]})");
  const StatusReport report = Report();
  ASSERT_THAT(TableOf(report, "shop.never").waiting, SizeIs(1));
  EXPECT_EQ(TableOf(report, "shop.never").waiting[0].reason, "no permission");
}

TEST_F(StatusReportTest, ABrokenTableIsToldAndTheOthersToo) {
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1]])");
  bucket_.Deliver(Initial("log"), R"([[1, "a", 1]])");
  Ingest();
  ASSERT_TRUE(lake_.store().Put("shop/orders/metadata/v1.metadata.json", "{", store::PutMode::kOverwrite).ok());
  const StatusReport report = Report();
  EXPECT_THAT(TableOf(report, "shop.orders").error, HasSubstr("shop/orders"));
  EXPECT_EQ(TableOf(report, "shop.log").rows, 1);
  EXPECT_THAT(report.summary, HasSubstr("1 table cannot be read"));
}

TEST_F(StatusReportTest, ALakeThatHasSeenV2StaysWithIt) {  // C-12
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1]])");
  Ingest();
  ASSERT_TRUE(bucket_.store().Delete({"v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json"}).ok());
  EXPECT_EQ(Report().version, contract::Version::kV2);
  EXPECT_EQ(Report(/*with_lake=*/false).version, contract::Version::kV1);
}

TEST_F(StatusReportTest, GlobsChooseTablesOfBucketAndLake) {
  for (const std::string table : {"orders", "log", "customers2"}) bucket_.Deliver(Initial(table), R"([[1, "a", 1]])");
  Ingest();
  options_.table_globs = {"shop.*"};
  options_.exclude_globs = {"*.log", "*2"};
  const StatusReport report = Report();
  ASSERT_THAT(report.tables, SizeIs(1));
  EXPECT_EQ(report.tables[0].table, "shop.orders");
}

TEST_F(StatusReportTest, LookingChangesNothing) {
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1]])");
  Ingest();
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[1, "b", 1]])");
  const auto bucket = ingest::ObjectsIn(bucket_.store());
  const auto lake = ingest::ObjectsIn(lake_.store());
  Report();
  EXPECT_EQ(ingest::ObjectsIn(bucket_.store()), bucket);
  EXPECT_EQ(ingest::ObjectsIn(lake_.store()), lake);
}

}  // namespace
}  // namespace tidegate::status
