#include "tidegate/bucket/bucket_view.h"

#include <gtest/gtest.h>

#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/store/metered/metered_object_store.h"

namespace tidegate::bucket {
namespace {

using contract::Version;

const contract::TableName kOrders{"shop", "orders"};

class BucketViewTest : public ::testing::Test {
 protected:
  void Put(const std::string& key, const std::string& bytes = "x") {
    ASSERT_TRUE(bucket_.Put(key, bytes, store::PutMode::kOverwrite).ok()) << key;
  }
  BucketView View(const ScanOptions& options = {}) {
    auto view = ScanBucket(bucket_, options);
    EXPECT_TRUE(view.ok()) << view.status().ToString();
    return *view;
  }

  store::MemoryObjectStore bucket_;
};

TEST_F(BucketViewTest, AFolderIsSealedBySuccessAndHoldsItsParquetFiles) {  // C-6, C-10
  Put("v1/shop/orders/etl_date=2026-11-01/0000_part_00.parquet");
  Put("v1/shop/orders/etl_date=2026-11-01/any name.parquet");
  Put("v1/shop/orders/etl_date=2026-11-01/_hidden.parquet");
  Put("v1/shop/orders/etl_date=2026-11-01/.part.parquet");
  Put("v1/shop/orders/_STATE");
  const BucketView open = View();
  const auto& folder = open.tables.at(kOrders).parts.begin()->second;
  EXPECT_FALSE(folder.sealed());
  EXPECT_EQ(folder.files.size(), 2u);
  Put("v1/shop/orders/etl_date=2026-11-01/_SUCCESS", "");
  EXPECT_TRUE(View().tables.at(kOrders).parts.begin()->second.sealed());
}

TEST_F(BucketViewTest, AStrayInASealedFolderIsSaidOnce) {  // C-6
  Put("v1/shop/orders/etl_date=2026-11-01/readme.txt");
  EXPECT_TRUE(View().findings.empty());
  Put("v1/shop/orders/etl_date=2026-11-01/_SUCCESS", "");
  ASSERT_EQ(View().findings.size(), 1u);
  EXPECT_EQ(View().findings[0].kind, Finding::Kind::kStray);
}

TEST_F(BucketViewTest, ABadNameIsQuotedAndTheRestGoesOn) {  // C-5
  Put("v1/sh op/orders/etl_date=2026-11-01/0000_part_00.parquet");
  Put("v1/sh op/orders/etl_date=2026-11-01/0001_part_00.parquet");
  Put("v1/shop/orders/etl_date=2026-11-01/0000_part_00.parquet");
  const BucketView view = View();
  EXPECT_EQ(view.tables.size(), 1u);
  ASSERT_EQ(view.findings.size(), 1u);
  EXPECT_EQ(view.findings[0].kind, Finding::Kind::kNameRefused);
}

TEST_F(BucketViewTest, ABadNameIsSaidOnceWhereverItStands) {  // C-5
  for (const std::string folder : {"v1/sh op/orders/", "v1/t~/x/", "v2/sh op/orders/"}) {
    Put(folder + "a.parquet");
    Put(folder + "b.parquet");
  }
  EXPECT_EQ(View().findings.size(), 3u);
}

TEST_F(BucketViewTest, ManyStraysTakeNoLongerEachThanAFew) {  // a hostile bucket: quadratic would take minutes
  constexpr size_t kStrays = 200'000;
  for (size_t i = 0; i < kStrays; ++i) Put("v1/shop/orders/etl_date=2026-11-01/" + std::to_string(i));
  Put("v1/shop/orders/etl_date=2026-11-01/_SUCCESS", "");
  EXPECT_EQ(View().findings.size(), kStrays);
}

TEST_F(BucketViewTest, AllThatIsOddInAManifestIsSaid) {  // C-32
  Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json",
      R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "sideways"}, 7]})");
  const BucketView view = View();
  EXPECT_GE(view.findings.size(), 2u);
  for (const Finding& finding : view.findings) EXPECT_EQ(finding.kind, Finding::Kind::kManifestOdd);
}

TEST_F(BucketViewTest, AManifestThatCannotBeReadCountsAsAbsent) {  // C-33
  Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json", "{");
  Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=04/manifest.json",
      std::string(contract::kMaxManifestBytes + 1, ' '));
  const BucketView view = View();
  EXPECT_TRUE(view.has_v2_manifest_key);  // C-12: the key alone counts
  EXPECT_TRUE(view.manifests.empty());
  EXPECT_EQ(view.unreadable_manifests.size(), 2u);
  EXPECT_EQ(view.findings.size(), 2u);
}

TEST_F(BucketViewTest, TheNewestManifestSaysHowATableIsRead) {
  Put("v1/_manifests/snapshot_date=2026-11-01/manifest.json",
      R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "full_refresh"}]})");
  Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json",
      R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append"}]})");
  const BucketView view = View();
  ASSERT_NE(view.NewestMention(kOrders), nullptr);
  EXPECT_EQ(view.NewestMention(kOrders)->mode, contract::TableMode::kParts);
  EXPECT_EQ(view.NewestMention({"shop", "other"}), nullptr);
}

TEST_F(BucketViewTest, GlobsChooseTables) {
  Put("v1/shop/orders/etl_date=2026-11-01/a.parquet");
  Put("v1/shop/lines/etl_date=2026-11-01/a.parquet");
  Put("v1/web/orders/etl_date=2026-11-01/a.parquet");
  EXPECT_EQ(View({{"shop.*"}, {"*.lines"}, std::nullopt}).tables.size(), 1u);
}

TEST_F(BucketViewTest, TheFingerprintFollowsNamesSizesAndETags) {  // C-14
  Put("v1/shop/orders/etl_date=2026-11-01/a.parquet", "one");
  const std::string before = View().tables.at(kOrders).parts.begin()->second.Fingerprint();
  EXPECT_EQ(View().tables.at(kOrders).parts.begin()->second.Fingerprint(), before);
  Put("v1/shop/orders/etl_date=2026-11-01/a.parquet", "two");
  EXPECT_NE(View().tables.at(kOrders).parts.begin()->second.Fingerprint(), before);
}

TEST_F(BucketViewTest, AListingThatFailsIsAnErrorNeverAnEmptyBucket) {  // C-12
  auto memory = std::make_shared<store::MemoryObjectStore>();
  store::FaultObjectStore faulty(memory, {.fail_at = 1, .mode = store::FaultMode::kErrorOnce});
  EXPECT_FALSE(ScanBucket(faulty, {}).ok());
}

TEST_F(BucketViewTest, OneFolderIsReadWithoutItsNeighbours) {
  Put("v2/shop/orders/etl_date=2026-11-03/etl_hour=03/a.parquet");
  Put("v2/shop/orders/etl_date=2026-11-03/etl_hour=03/_SUCCESS", "");
  Put("v2/shop/orders/etl_date=2026-11-03/etl_hour=04/b.parquet");
  const auto folder = ReadFolder(bucket_, {kOrders, contract::TableMode::kParts, {Version::kV2, "2026-11-03", "03"}});
  ASSERT_TRUE(folder.ok());
  EXPECT_TRUE(folder->sealed());
  EXPECT_EQ(folder->files.size(), 1u);
}

/// Counts what a scan of the recent days asks for.
class RecentScanTest : public BucketViewTest {
 protected:
  RecentScanTest() {
    Deliver("v2/shop/orders/etl_date=2026-10-01/etl_hour=03");
    Deliver("v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
    Manifest("2026-10-01", "03", "orders");
    Manifest("2026-11-03", "03", "orders");
    scan_.window = {Version::kV2, "2026-10-27"};
    scan_.tables[kOrders] = {contract::TableMode::kParts};
  }
  void Deliver(const std::string& folder) {
    Put(folder + "/0000_part_00.parquet");
    Put(folder + "/_SUCCESS", "");
  }
  void Manifest(const std::string& day, const std::string& hour, const std::string& table) {
    Put("v2/_manifests/snapshot_date=" + day + "/snapshot_hour=" + hour + "/manifest.json",
        R"({"tables_delivered": [{"schema": "shop", "table": ")" + table + R"(", "mode": "incremental_append"}]})");
  }
  BucketView Recent() {
    store::MeteredObjectStore metered(std::shared_ptr<store::ObjectStore>(&bucket_, [](auto*) {}));
    ScanOptions options;
    options.recent = scan_;
    options.known_manifests = &cache_;
    auto view = ScanBucket(metered, options);
    EXPECT_TRUE(view.ok()) << view.status().ToString();
    asked_ = metered.Snapshot();
    return *view;
  }
  size_t FoldersOf(const BucketView& view, const std::string& table = "orders") {
    return view.FoldersOf({"shop", table}, contract::TableMode::kParts).size();
  }

  RecentScan scan_;
  ManifestCache cache_;
  store::StoreCounters asked_;
};

TEST_F(RecentScanTest, AsksForManifestsTheNamesOfASchemaAndEachTableOnce) {
  EXPECT_EQ(FoldersOf(Recent()), 1u);
  EXPECT_EQ(asked_.lists, 3u);
  EXPECT_EQ(asked_.requests(), 5u);  // one manifest was read
  const BucketView again = Recent();
  EXPECT_EQ(asked_.requests(), 3u);
  EXPECT_EQ(again.manifests.size(), 1u);
}

TEST_F(RecentScanTest, AManifestThatWasWrittenAgainIsReadAgain) {  // C-33
  Recent();
  Manifest("2026-11-03", "03", "lines");
  EXPECT_NE(Recent().NewestMention({"shop", "lines"}), nullptr);
}

TEST_F(RecentScanTest, AManifestThatCannotBeReadIsSaidEachTimeAndReadOnce) {
  Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=04/manifest.json", "no JSON");
  EXPECT_EQ(Recent().unreadable_manifests.size(), 1u);
  EXPECT_EQ(Recent().unreadable_manifests.size(), 1u);
  EXPECT_EQ(asked_.requests(), 3u);
}

TEST_F(RecentScanTest, ATableThatAManifestNamesIsLookedAtWithItsWholeHistory) {  // C-5
  Deliver("v2/shop/lines/etl_date=2026-10-01/etl_hour=03");
  Deliver("v2/shop/lines/etl_date=2026-11-03/etl_hour=04");
  Manifest("2026-11-03", "04", "lines");
  EXPECT_EQ(FoldersOf(Recent(), "lines"), 2u);
}

TEST_F(RecentScanTest, ATableThatNobodyNamesIsFoundWhenItsSchemaHasItsTurn) {  // C-5, C-34
  Deliver("v2/shop/lines/etl_date=2026-11-03/etl_hour=04");
  scan_.tables[{"web", "clicks"}] = {contract::TableMode::kParts};
  scan_.turn = 1;
  EXPECT_EQ(FoldersOf(Recent(), "lines"), 0u);
  scan_.turn = 2;
  EXPECT_EQ(FoldersOf(Recent(), "lines"), 1u);
}

TEST_F(RecentScanTest, AnOpenFolderIsLookedAtHoweverOldItIs) {  // C-15
  const contract::Folder open{kOrders, contract::TableMode::kParts, {Version::kV2, "2026-10-01", "03"}};
  scan_.open = {open};
  const BucketView view = Recent();
  EXPECT_EQ(FoldersOf(view), 2u);
  EXPECT_TRUE(view.Covers(open));
  EXPECT_FALSE(view.Covers(open.delivery));
}

TEST_F(RecentScanTest, ATableThatChangesItsModeShowsBothShapes) {
  Deliver("v2/shop/orders/snapshot_date=2026-11-03/snapshot_hour=04");
  EXPECT_EQ(Recent().FoldersOf(kOrders, contract::TableMode::kFull).size(), 1u);
  scan_.tables[kOrders] = {contract::TableMode::kFull};
  EXPECT_EQ(FoldersOf(Recent()), 1u);  // the manifest says that it comes in parts
  scan_.tables[kOrders] = {contract::TableMode::kFull, contract::TableMode::kParts};
  const BucketView view = Recent();
  EXPECT_EQ(FoldersOf(view), 1u);
  EXPECT_EQ(view.FoldersOf(kOrders, contract::TableMode::kFull).size(), 1u);
}

TEST_F(RecentScanTest, WhileV1IsInUseItSeesTheFirstKeyOfV2) {  // C-12
  scan_.window = {Version::kV1, "2026-10-27"};
  scan_.tables.clear();
  EXPECT_TRUE(Recent().has_v2_manifest_key);
}

TEST_F(RecentScanTest, AHoleIsLookedIntoAndNothingBesideIt) {
  const std::string day = "v2/shop/orders/etl_date=2026-10-01/etl_hour=";
  for (const char* hour : {"04", "05", "06"}) Deliver(day + hour);
  BucketView view = Recent();
  const auto hour = [](const char* text) { return contract::Delivery{Version::kV2, "2026-10-01", text}; };
  ASSERT_TRUE(LookInto(bucket_, kOrders, {hour("03"), hour("06")}, view).ok());
  EXPECT_EQ(FoldersOf(view), 3u);
  ASSERT_TRUE(LookInto(bucket_, kOrders, {std::nullopt, hour("06")}, view).ok());  // two are known by now
  EXPECT_EQ(FoldersOf(view), 4u);
  for (const auto& [delivery, state] : view.FoldersOf(kOrders, contract::TableMode::kParts)) {
    EXPECT_EQ(state.files.size(), 1u) << delivery.ToString();
  }
}

}  // namespace
}  // namespace tidegate::bucket
