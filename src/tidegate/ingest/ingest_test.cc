// Whole runs: a bucket and a lake in memory, real Parquet files, the lake read back row by row.
#include "tidegate/ingest/ingest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/supersede.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/local/local_object_store.h"
#include "tidegate/store/metered/metered_object_store.h"
#include "tidegate/table/catalog_db.h"

namespace tidegate::ingest {
namespace {

using contract::Version;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Key;
using ::testing::Not;

class IngestTest : public ::testing::Test {
 protected:
  IngestReport Ingest(const IngestOptions& options = TestOptions()) {
    return IngestWell(bucket_.store(), lake_.store(), options);
  }
  /// A run that may report gaps.
  IngestReport IngestWithGaps() {
    auto report = RunIngest(bucket_.store(), lake_.store(), TestOptions());
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *std::move(report) : IngestReport();
  }
  /// v1 history and the first hours of v2, for all three tables.
  void DeliverHistory() {
    bucket_.Deliver(Initial("orders"), R"([[1, "a", 1], [2, "b", 1], [3, "c", 1]])");
    bucket_.Deliver(Day("orders", "2026-11-02"), R"([[2, "B", 2], [4, "d", 2]])");
    bucket_.Deliver(Initial("log"), R"([[1, "x", 1]])");
    bucket_.Deliver(Day("log", "2026-11-02"), R"([[1, "x", 1], [2, "y", 2]])");
    bucket_.Deliver("v1/shop/customers/snapshot_date=2026-11-01", R"([[7, "old", 1]])");
    bucket_.Deliver("v1/shop/customers/snapshot_date=2026-11-02", R"([[7, "new", 1], [8, "z", 1]])");
  }
  void DeliverHour(const std::string& hour) {
    bucket_.SwitchToV2();
    bucket_.Deliver(Hour("orders", hour), R"([[1, "A)" + hour + R"(", 3], [5, "e", 3]])");
    bucket_.Deliver(Hour("log", hour), R"([[3, ")" + hour + R"(", 3]])");
    bucket_.Deliver(Copy("customers", hour), R"([[9, ")" + hour + R"(", 3]])");
  }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(IngestTest, ANewLakeTakesTheWholeHistory) {  // C-11, C-20, C-24
  DeliverHistory();
  const IngestReport report = Ingest();
  EXPECT_EQ(report.version, Version::kV1);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|B|2", "3|c|1", "4|d|2"));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1", "1|x|1", "2|y|2"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("7|new|1", "8|z|1"));
  const TableResult& orders = ResultOf(report, "shop.orders");
  EXPECT_EQ(orders.action, Action::kAppend);
  EXPECT_THAT(orders.folders, ElementsAre(Initial("orders"), Day("orders", "2026-11-02")));
  EXPECT_EQ(orders.files, 2);
  EXPECT_EQ(orders.rows_in, 5);
  EXPECT_EQ(orders.superseded, 1);
}

TEST_F(IngestTest, AcrossTheSwitchFullTablesComeFromV2AndPartsGoOn) {  // C-13
  DeliverHistory();
  Ingest();
  DeliverHour("03");
  EXPECT_EQ(Ingest().version, Version::kV2);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|A03|3", "2|B|2", "3|c|1", "4|d|2", "5|e|3"));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1", "1|x|1", "2|y|2", "3|03|3"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("9|03|3"));
}

TEST_F(IngestTest, ACatalogThatARunCouldNotFinishIsMadeByTheNext) {  // killed between its last commit and catalog.db
  DeliverHistory();
  const TempDirForTest folder;
  auto lake = *store::LocalObjectStore::Make(folder.path().string());
  const auto catalog = folder.path() / table::kCatalogFile;
  IngestWell(bucket_.store(), *lake);
  ASSERT_TRUE(std::filesystem::remove(catalog));
  EXPECT_FALSE(IngestWell(bucket_.store(), *lake).applied_anything());
  EXPECT_TRUE(std::filesystem::exists(catalog));
}

TEST_F(IngestTest, EachRowTellsTheDeliveryItCameFromAsText) {  // C-6, C-26
  DeliverHistory();
  DeliverHour("03");
  Ingest();
  EXPECT_THAT(lake_.Deliveries("orders"), ElementsAre("v1/2026-11-02|2", "v1/2026-11-02|4", "v1/__initial__|3",
                                                      "v2/2026-11-03/03|1", "v2/2026-11-03/03|5"));
  EXPECT_THAT(lake_.Deliveries("customers"), ElementsAre("v2/2026-11-03/03|9"));
}

TEST_F(IngestTest, AnUnsealedFolderIsNotRead) {  // C-10
  DeliverHistory();
  DeliverHour("03");
  for (const std::string& folder : {Hour("orders", "03"), Hour("log", "03"), Copy("customers", "03")}) {
    bucket_.Unseal(folder);
  }
  Ingest();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|B|2", "3|c|1", "4|d|2"));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1", "1|x|1", "2|y|2"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("7|new|1", "8|z|1"));
}

TEST_F(IngestTest, EveryOrderOfArrivalEndsInTheSameTable) {  // C-21, C-41
  const std::vector<std::pair<std::string, std::string>> folders = {
      {Initial("orders"), R"([[1, "i", 9], [2, "i", 9], [3, "i", 9]])"},
      {Day("orders", "2026-11-02"), R"([[2, "d", 8], [3, "d", 8], [3, "e", 7]])"},
      {Hour("orders", "09"), R"([[3, "9", 1], [4, "9", 1]])"},
      {Hour("orders", "10"), R"([[4, "10", 0], [4, "11", 0]])"}};
  std::vector<size_t> order = {0, 1, 2, 3};
  do {
    TestBucket bucket;
    TestLake lake;
    bucket.SwitchToV2();
    for (const size_t i : order) {
      bucket.Deliver(folders[i].first, folders[i].second);
      IngestWell(bucket.store(), lake.store());
    }
    ASSERT_THAT(lake.Table("orders"), ElementsAre("1|i|9", "2|d|8", "3|9|1", "4|11|0"))
        << testing::PrintToString(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(IngestTest, AnHourThatComesLateIsAppliedAndNotTakenForDone) {  // C-21, C-27
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  bucket_.Deliver(Hour("log", "05"), R"([[3, "z", 3]])");
  Ingest();
  bucket_.Deliver(Hour("log", "04"), R"([[2, "y", 2]])");
  EXPECT_THAT(ResultOf(Ingest(), "shop.log").folders, ElementsAre(Hour("log", "04")));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1", "2|y|2", "3|z|3"));
}

TEST_F(IngestTest, ASecondRunDoesNothingAndReadsNoData) {  // C-27
  DeliverHistory();
  DeliverHour("03");
  Ingest();
  const auto before = ObjectsIn(lake_.store());
  store::MeteredObjectStore bucket(bucket_.shared());
  store::MeteredObjectStore lake(lake_.shared());
  const IngestReport report = IngestWell(bucket, lake);
  EXPECT_FALSE(report.applied_anything());
  EXPECT_EQ(bucket.Snapshot().data, store::Traffic());
  EXPECT_EQ(lake.Snapshot().data, store::Traffic());
  EXPECT_EQ(ObjectsIn(lake_.store()), before);
}

TEST_F(IngestTest, AnHoursUpdateRewritesNoFileThatExists) {  // C-28
  DeliverHistory();
  Ingest();
  DeliverHour("03");
  Ingest();
  const auto before = lake_.DataObjects();
  DeliverHour("04");
  store::MeteredObjectStore bucket(bucket_.shared());
  store::MeteredObjectStore lake(lake_.shared());
  const IngestReport report = IngestWell(bucket, lake);
  EXPECT_THAT(before, IsSubsetOf(lake_.DataObjects()));  // key and generation
  EXPECT_EQ(lake_.DataObjects().size(), before.size() + 3);
  EXPECT_EQ(lake.Snapshot().data.adopts, 3u);
  int64_t files = 0;
  uint64_t bytes = 0;
  for (const TableResult& result : report.tables) {
    files += result.files;
    bytes += result.bytes_in;
  }
  EXPECT_EQ(files, 3);
  EXPECT_EQ(lake.Snapshot().data.bytes_adopted, bytes);
  EXPECT_EQ(bucket.Snapshot().data.opens, 3u);  // each file, to adopt it
}

TEST_F(IngestTest, ADataFileHasOneDeleteFileHoweverOftenItsRowsAreSuperseded) {  // C-20
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1], [2, "b", 1], [3, "c", 1]])");
  Ingest();
  for (const std::string hour : {"03", "04", "05"}) {
    bucket_.SwitchToV2();
    bucket_.Deliver(Hour("orders", hour), "[[" + std::to_string(hour[1] - '2') + R"(, "x", 2]])");
    Ingest();
  }
  const table::LiveFiles live = lake_.Live("orders");
  ASSERT_EQ(live.position_deletes.size(), 1u);
  EXPECT_EQ(live.position_deletes[0].file.record_count, 3);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|x|2", "2|x|2", "3|x|2"));
}

TEST_F(IngestTest, KeysThatNeedMoreMemoryThanThereIsAreGoneThroughInShares) {
  IngestOptions narrow = TestOptions();
  narrow.memory_bytes = 2 * kBytesAKey;
  TestLake lake;
  for (const std::string rows : {R"([[1, "a", 1], [2, "a", 1], [3, "a", 1], [4, "a", 1], [5, "a", 1], [null, "x", 1]])",
                                 R"([[5, "b", 2], [5, "c", 3], [4, "b", 2], [4, "c", 1], [6, "b", 1], [7, "b", 1]])"}) {
    const std::string hour = rows.find("null") != std::string::npos ? "03" : "04";
    bucket_.Deliver(Hour("orders", hour), rows);
    bucket_.SwitchToV2();
    const IngestReport wide = IngestWell(bucket_.store(), lake_.store());
    const IngestReport shared = IngestWell(bucket_.store(), lake.store(), narrow);
    EXPECT_EQ(KindsOf(shared), KindsOf(wide));
    EXPECT_EQ(ResultOf(shared, "shop.orders").superseded, ResultOf(wide, "shop.orders").superseded);
    EXPECT_EQ(ResultOf(shared, "shop.orders").rejected, ResultOf(wide, "shop.orders").rejected);
  }
  EXPECT_THAT(lake.Table("orders"), ElementsAre("1|a|1", "2|a|1", "3|a|1", "4|b|2", "5|c|3", "6|b|1", "7|b|1"));
  EXPECT_EQ(lake.Table("orders"), lake_.Table("orders"));
}

TEST_F(IngestTest, ABrokenFileIsAGapOfItsOwnFolderOnly) {  // C-15
  DeliverHistory();
  DeliverHour("03");
  bucket_.Put(Hour("orders", "03") + "/0001_part_00.parquet", "not Parquet");
  DeliverHour("04");
  const IngestReport report = IngestWithGaps();
  ASSERT_EQ(report.problems.size(), 1u) << ProblemsOf(report);
  EXPECT_EQ(report.problems[0].reason, "broken");
  EXPECT_EQ(report.problems[0].folder, Hour("orders", "03"));
  EXPECT_THAT(report.problems[0].message, HasSubstr("0001_part_00.parquet"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|A04|3", "2|B|2", "3|c|1", "4|d|2", "5|e|3"));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1", "1|x|1", "2|y|2", "3|03|3", "3|04|3"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("9|04|3"));
  EXPECT_EQ(IngestWithGaps().problems.size(), 1u);  // each run tries again
  ASSERT_TRUE(bucket_.store().Delete({Hour("orders", "03") + "/0001_part_00.parquet"}).ok());
  Ingest();  // mended: the older hour must not come back over the newer one
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|A04|3", "2|B|2", "3|c|1", "4|d|2", "5|e|3"));
}

TEST_F(IngestTest, AMissingKeyColumnIsAGap) {  // C-15
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1]])");
  bucket_.Put(Day("orders", "2026-11-02") + "/0000_part_00.parquet",
              parquet::MakeRows({{"value", arrow::utf8()}}, R"([["no id"]])"));
  bucket_.Seal(Day("orders", "2026-11-02"));
  const IngestReport report = IngestWithGaps();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].reason, "key");
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1"));
}

TEST_F(IngestTest, ABrokenCopyOfAFullTableFallsBackToTheNewestGoodOne) {  // A-11
  bucket_.SwitchToV2();
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "three", 1]])");
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "four", 1]])");
  bucket_.Put(Copy("customers", "05") + "/0000_part_00.parquet", "PAR1 but not really PAR1");
  bucket_.Seal(Copy("customers", "05"));
  const IngestReport report = IngestWithGaps();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].folder, Copy("customers", "05"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|four|1"));
  bucket_.Deliver(Copy("customers", "06"), R"([[1, "six", 1]])");
  Ingest();
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|six|1"));
}

TEST_F(IngestTest, ATableWhoseMetadataIsBrokenHoldsUpNoOther) {
  DeliverHistory();
  Ingest();
  DeliverHour("03");
  const std::string version = "shop/orders/metadata/v1.metadata.json";
  ASSERT_TRUE(lake_.store().Put(version, "{", store::PutMode::kOverwrite).ok());
  const IngestReport report = IngestWithGaps();
  ASSERT_EQ(report.problems.size(), 1u) << ProblemsOf(report);
  EXPECT_EQ(report.problems[0].table, "shop.orders");
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("9|03|3"));
}

TEST_F(IngestTest, RowsWithANullKeyAreHiddenAndCounted) {  // C-23
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1], [null, "lost", 1], [null, "lost", 1]])");
  const IngestReport report = Ingest();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1"));
  EXPECT_EQ(ResultOf(report, "shop.orders").rejected, 2);
  EXPECT_EQ(ResultOf(report, "shop.orders").superseded, 0);
}

TEST_F(IngestTest, RepeatedKeysAreCountedAndSaid) {  // C-22
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1], [1, "newest", 3], [1, "b", 2]])");
  const IngestReport report = Ingest();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|newest|3"));
  EXPECT_THAT(KindsOf(report), Contains("repeated_key"));
}

TEST_F(IngestTest, AChangedV1FolderRebuildsTheTableBeforeTheSwitch) {  // C-14
  DeliverHistory();
  Ingest();
  bucket_.Deliver(Initial("orders"), R"([[1, "changed", 1], [6, "f", 1]])");
  const IngestReport report = Ingest();
  EXPECT_EQ(ResultOf(report, "shop.orders").action, Action::kRebuild);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|changed|1", "2|B|2", "4|d|2", "6|f|1"));
  EXPECT_FALSE(Ingest().applied_anything());
}

TEST_F(IngestTest, ARebuildThatCannotReadAllFoldersLeavesTheTable) {  // C-14, C-15
  DeliverHistory();
  Ingest();
  bucket_.Deliver(Initial("orders"), R"([[1, "changed", 1]])");
  bucket_.Put(Day("orders", "2026-11-02") + "/0000_part_00.parquet", "broken");
  EXPECT_TRUE(IngestWithGaps().failed());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|B|2", "3|c|1", "4|d|2"));
}

TEST_F(IngestTest, AChangedV2FolderIsRefusedAndTheAppliedRowsStay) {  // C-14
  DeliverHistory();
  DeliverHour("03");
  Ingest();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "changed", 9]])");
  const IngestReport report = IngestWithGaps();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].reason, "changed");
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|A03|3", "2|B|2", "3|c|1", "4|d|2", "5|e|3"));
}

TEST_F(IngestTest, AnEmptySealedFolderCountsAsApplied) {  // C-29, A-13
  bucket_.Seal(Initial("log"));
  EXPECT_FALSE(Ingest().applied_anything());
  EXPECT_FALSE(lake_.Has("log"));
  bucket_.Deliver(Day("log", "2026-11-02"), R"([[1, "x", 1]])");
  Ingest();
  EXPECT_FALSE(Ingest().applied_anything());
  EXPECT_TRUE(lake_.CheckpointIn("log").applied.Contains(DeliveryOf("v1/__initial__")));
  bucket_.Seal(Day("log", "2026-11-03"));
  EXPECT_TRUE(Ingest().applied_anything());
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1"));
}

TEST_F(IngestTest, AColumnThatIsNewReadsAsNullInOlderFiles) {  // C-25
  bucket_.Deliver(Initial("orders"), R"([[1, "a", 1]])");
  bucket_.Put(Day("orders", "2026-11-02") + "/0000_part_00.parquet",
              parquet::MakeRows({{"extra", arrow::utf8()}, {"id", arrow::int64()}}, R"([["e", 2]])"));
  bucket_.Seal(Day("orders", "2026-11-02"));
  Ingest();
  EXPECT_THAT(lake_.Table("orders", {"id", "value", "extra"}), ElementsAre("1|a|null", "2|null|e"));
  const auto table = table::LakeTable::Load(lake_.store(), "shop/orders");
  ASSERT_TRUE(table.ok());
  EXPECT_NE(table->metadata().current_schema().Find("extra"), nullptr);
}

TEST_F(IngestTest, KeysMeetAcrossWidthsOfIntegers) {  // C-22, C-25
  bucket_.Put(Initial("orders") + "/0000_part_00.parquet",
              parquet::MakeRows({{"id", arrow::int32()}, {"value", arrow::utf8()}, {"at", arrow::int64()}},
                                R"([[1, "int", 1], [2, "int", 1]])"));
  bucket_.Seal(Initial("orders"));
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[1, "long", 2]])");
  Ingest();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|long|2", "2|int|1"));
}

TEST_F(IngestTest, ChosenTablesOnlyAreTouched) {
  DeliverHistory();
  IngestOptions options = TestOptions();
  options.table_globs = {"shop.*"};
  options.exclude_globs = {"*.log"};
  const IngestReport report = Ingest(options);
  EXPECT_EQ(report.tables.size(), 2u);
  EXPECT_FALSE(lake_.Has("log"));
  EXPECT_TRUE(lake_.Has("orders"));
}

TEST_F(IngestTest, SeveralTablesSideBySideEndAsOneByOne) {
  for (int i = 0; i < 12; ++i) bucket_.Deliver(Day("t" + std::to_string(i), "2026-11-02"), R"([[1, "a", 1]])");
  IngestOptions options = TestOptions();
  options.jobs = 4;
  size_t last = 0;
  options.progress = [&](const std::string&, size_t done, size_t total) {
    EXPECT_EQ(done, ++last);
    EXPECT_EQ(total, 12u);
  };
  EXPECT_EQ(Ingest(options).tables.size(), 12u);
  EXPECT_EQ(last, 12u);
  for (int i = 0; i < 12; ++i) EXPECT_THAT(lake_.Table("t" + std::to_string(i)), ElementsAre("1|a|1"));
}

TEST_F(IngestTest, ACancelledRunStopsAndTheNextOneGoesOn) {
  DeliverHistory();
  CancelFlag cancel;
  IngestOptions options = TestOptions();
  options.cancel = &cancel;
  options.progress = [&](const std::string&, size_t, size_t) { cancel.Cancel(); };  // after the first table
  EXPECT_EQ(RunIngest(bucket_.store(), lake_.store(), options).status().code(), Code::kCancelled);
  EXPECT_EQ(lake_.Has("customers") + lake_.Has("log") + lake_.Has("orders"), 1);
  Ingest();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|B|2", "3|c|1", "4|d|2"));
}

TEST_F(IngestTest, AListingThatFailsIsAnErrorAndChangesNothing) {  // C-12
  DeliverHistory();
  for (const uint64_t n : {1u, 2u}) {
    store::FaultObjectStore bucket(bucket_.shared(), {n, store::FaultMode::kErrorOnce, store::CallKind::kList, {}});
    EXPECT_EQ(RunIngest(bucket, lake_.store(), TestOptions()).status().code(), Code::kUnavailable);
    EXPECT_TRUE(ObjectsIn(lake_.store()).empty());
  }
}

TEST_F(IngestTest, ACopyThatRetentionTakesWhileItIsReadIsNoGap) {  // C-44
  bucket_.SwitchToV2();
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "three", 1]])");
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "four", 1]])");
  store::FaultObjectStore bucket(bucket_.shared(),  // the first is opened to read a manifest
                                 {2, store::FaultMode::kErrorOnce, store::CallKind::kOpen, Code::kNotFound});
  const auto report = RunIngest(bucket, lake_.store(), TestOptions());
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->failed()) << ProblemsOf(*report);
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|three|1"));
}

TEST_F(IngestTest, APlanTellsWhatARunDoesAndChangesNothing) {
  DeliverHistory();
  store::MeteredObjectStore bucket(bucket_.shared());
  const auto plan = PlanIngest(bucket, lake_.store(), TestOptions());
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_TRUE(ObjectsIn(lake_.store()).empty());
  EXPECT_EQ(bucket.Snapshot().data, store::Traffic());
  const IngestReport report = Ingest();
  ASSERT_EQ(plan->tables.size(), report.tables.size());
  for (size_t i = 0; i < report.tables.size(); ++i) {
    EXPECT_EQ(plan->tables[i].table.ToString(), report.tables[i].table);
    EXPECT_EQ(plan->tables[i].action, report.tables[i].action);
  }
}

TEST_F(IngestTest, FreshnessFollowsTheAppliedDeliveries) {  // C-36
  bucket_.Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json",
              R"({"tables_delivered": [{"schema": "shop", "table": "log", "mode": "incremental_append",
                  "delivered_through": "2026-11-03T03:00:00Z"}]})");
  bucket_.Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=04/manifest.json",
              R"({"tables_delivered": [{"schema": "shop", "table": "log", "mode": "incremental_append",
                  "delivered_through": "2026-11-03T04:00:00Z"}]})");
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  const auto at = [](const std::string& hour) { return *ParseRfc3339("2026-11-03T" + hour + ":00:00Z"); };
  EXPECT_EQ(ResultOf(Ingest(), "shop.log").delivered_through, at("03"));
  bucket_.Deliver(Hour("log", "04"), R"([[2, "y", 1]])");
  EXPECT_EQ(ResultOf(Ingest(), "shop.log").delivered_through, at("04"));
  EXPECT_EQ(lake_.CheckpointIn("log").delivered_through, at("04"));
}

}  // namespace
}  // namespace tidegate::ingest
