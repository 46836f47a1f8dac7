#include "tidegate/deliver/deliver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "tidegate/deliver/vendor_test.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/local/local_object_store.h"

namespace tidegate::deliver {
namespace {

using contract::TableMode;
using contract::TableName;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const TableName kOrders{"shop", "orders"};
const TableName kPlanes{"shop", "planes"};

contract::TableEntry Orders() {
  contract::TableEntry entry;
  entry.name = kOrders;
  entry.mode = TableMode::kParts;
  entry.key = {"id"};
  entry.changed_at = "changed";
  return entry;
}

contract::TableEntry Full(const std::string& table) {
  contract::TableEntry entry;
  entry.name = {"shop", table};
  return entry;
}

DeliverOptions Options(const std::string& delivery,
                       std::vector<contract::TableEntry> tables = {Orders(), Full("planes")}) {
  DeliverOptions options;
  options.delivery = *contract::ParseDelivery(delivery);
  options.now = At("2026-12-01T00:00:00Z");
  options.catalog = contract::TableCatalog(std::move(tables));
  return options;
}

std::string PartsFolder(const std::string& date, const std::string& hour) {
  return "v2/shop/orders/etl_date=" + date + "/etl_hour=" + hour;
}

std::string FullFolder(const std::string& table, const std::string& hour) {
  return "v2/shop/" + table + "/snapshot_date=2026-11-03/snapshot_hour=" + hour;
}

class DeliverTest : public testing::Test {
 protected:
  void SetUp() override {
    vendor_.Change(
        "CREATE SCHEMA shop;"
        "CREATE TABLE shop.orders (id BIGINT, note VARCHAR, changed TIMESTAMP);"
        "CREATE TABLE shop.planes (id BIGINT, name VARCHAR);"
        "INSERT INTO shop.orders VALUES (1, 'a', '2026-11-02 06:59:59'), (2, 'b', '2026-11-02 07:00:00'),"
        " (3, 'c', '2026-11-03 02:59:59.999999'), (4, 'd', '2026-11-03 03:00:00'), (5, 'e', '2026-11-03 04:30:00');"
        "INSERT INTO shop.planes VALUES (1, 'x'), (2, NULL);");
  }

  DeliveryReport Run(const DeliverOptions& options) {
    auto report = Deliver(vendor_.source(), bucket_, options);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *report : DeliveryReport();
  }

  std::vector<store::ObjectInfo> Objects() { return bucket_.List({})->objects; }

  Vendor vendor_;
  store::MemoryObjectStore bucket_;
  Consumer consumer_{bucket_};
};

// C-1, C-2, C-10, C-30
TEST_F(DeliverTest, AnHourHasTheContractsKeys) {
  const DeliveryReport report = Run(Options("v2/2026-11-03/03"));
  EXPECT_FALSE(report.failed());
  EXPECT_TRUE(report.manifest_written);
  EXPECT_THAT(
      consumer_.Keys(),
      ElementsAre("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json", "v2/shop/orders/_STATE",
                  "v2/shop/orders/etl_date=2026-11-03/etl_hour=03/0000_part_00.parquet",
                  "v2/shop/orders/etl_date=2026-11-03/etl_hour=03/_SUCCESS",
                  "v2/shop/planes/snapshot_date=2026-11-03/snapshot_hour=03/0000_part_00.parquet",
                  "v2/shop/planes/snapshot_date=2026-11-03/snapshot_hour=03/_SUCCESS"));
  EXPECT_EQ(bucket_.Head("v2/shop/orders/etl_date=2026-11-03/etl_hour=03/_SUCCESS")->size_bytes, 0u);
  EXPECT_TRUE(consumer_.Manifest("v2/2026-11-03/03").complete);
}

TEST_F(DeliverTest, WindowsTouchAndTheirEndIsNotIncluded) {
  Run(Options("v2/2026-11-03/03"));
  Run(Options("v2/2026-11-03/04"));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "03"), "id"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "04"), "id"), ElementsAre("4"));
  EXPECT_THAT(consumer_.Rows(FullFolder("planes", "04")), ElementsAre("1|x", "2|NULL"));
}

// C-40
TEST_F(DeliverTest, V2ContinuesWhereV1Stopped) {
  DeliverOptions initial = Options("v1/__initial__");
  initial.at = At("2026-11-01T07:00:00Z");
  vendor_.Change("INSERT INTO shop.orders VALUES (0, 'z', '2026-11-01 06:00:00')");
  Run(initial);
  Run(Options("v1/2026-11-02"));
  Run(Options("v2/2026-11-03/03"));
  EXPECT_THAT(consumer_.Rows("v1/shop/orders/etl_date=__initial__", "id"), ElementsAre("0"));
  EXPECT_THAT(consumer_.Rows("v1/shop/orders/etl_date=2026-11-02", "id"), ElementsAre("1"));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "03"), "id"), ElementsAre("2", "3"));
  EXPECT_THAT(consumer_.Keys("v1/shop/planes/"), SizeIs(2));  // the initial holds no full table
  EXPECT_THAT(consumer_.Keys("v1/_manifests/"), SizeIs(1));
}

TEST_F(DeliverTest, ARowThatChangesIsDeliveredAgain) {
  Run(Options("v2/2026-11-03/03"));
  vendor_.Change("UPDATE shop.orders SET note = 'aa', changed = '2026-11-03 03:20:00' WHERE id = 1");
  Run(Options("v2/2026-11-03/04"));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "04"), "id, note"), ElementsAre("1|aa", "4|d"));
}

TEST_F(DeliverTest, SkippedHoursAndALateOneLoseAndRepeatNothing) {
  Run(Options("v2/2026-11-03/03"));
  Run(Options("v2/2026-11-03/05"));  // 04 was skipped
  const DeliveryReport late = Run(Options("v2/2026-11-03/04"));
  EXPECT_EQ(late.tables[0].rows, 0);
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "05"), "id"), ElementsAre("4", "5"));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "04")), IsEmpty());
  vendor_.Change("INSERT INTO shop.orders VALUES (6, 'f', '2026-11-03 05:00:00')");
  Run(Options("v2/2026-11-03/06"));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "06"), "id"), ElementsAre("6"));
}

TEST_F(DeliverTest, ADeliveryThatIsWholeChangesNoByte) {
  Run(Options("v2/2026-11-03/03"));
  const auto before = Objects();
  store::FaultObjectStore recorded(std::shared_ptr<store::ObjectStore>(&bucket_, [](auto*) {}));
  const auto report = Deliver(vendor_.source(), recorded, Options("v2/2026-11-03/03"));
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->nothing_to_do);
  EXPECT_EQ(Objects(), before);  // ETags and times too
  for (const store::StoreCall& call : recorded.calls()) {
    const bool reads = call.kind == store::CallKind::kList || call.kind == store::CallKind::kHead ||
                       call.kind == store::CallKind::kRead;
    EXPECT_TRUE(reads) << store::CallKindName(call.kind) << " " << call.key;
  }
}

// One sync before any _SUCCESS, one after.
TEST_F(DeliverTest, EverythingIsDurableBeforeTheFirstSealAndTheManifestComesLast) {
  store::FaultObjectStore recorded(std::shared_ptr<store::ObjectStore>(&bucket_, [](auto*) {}));
  ASSERT_TRUE(Deliver(vendor_.source(), recorded, Options("v2/2026-11-03/03")).ok());
  std::vector<std::string> effects;
  for (const store::StoreCall& call : recorded.calls()) {
    if (call.kind == store::CallKind::kFinish) effects.push_back("file");
    if (call.kind == store::CallKind::kSync) effects.push_back("sync");
    if (call.kind == store::CallKind::kPut) effects.push_back(call.key.substr(call.key.rfind('/') + 1));
  }
  EXPECT_THAT(effects,
              ElementsAre("file", "file", "_STATE", "sync", "_SUCCESS", "_SUCCESS", "sync", "manifest.json", "sync"));
}

TEST_F(DeliverTest, ATableWithoutRowsIsOneFileWithoutRows) {
  vendor_.Change("DELETE FROM shop.planes");
  DeliverOptions options = Options("v2/2026-11-03/03");
  options.slices = 4;
  const DeliveryReport report = Run(options);
  EXPECT_EQ(report.tables[1].files, 1);
  EXPECT_EQ(report.tables[1].rows, 0);
  EXPECT_THAT(consumer_.Keys(FullFolder("planes", "03")),
              ElementsAre(EndsWith("0000_part_00.parquet"), EndsWith("_SUCCESS")));
  EXPECT_THAT(consumer_.Rows(FullFolder("planes", "03"), "id, name"), IsEmpty());  // the columns are there
}

// C-3
TEST_F(DeliverTest, SlicesAndSplitsTogetherHoldEveryRowOnceUnderTheCap) {
  vendor_.Change("CREATE TABLE shop.big AS SELECT range AS id, md5(range::VARCHAR) AS text FROM range(30000)");
  DeliverOptions options = Options("v2/2026-11-03/03", {Full("big")});
  options.slices = 3;
  options.writer.max_file_bytes = 200'000;
  options.writer.row_group_rows = 2'000;
  const DeliveryReport report = Run(options);
  EXPECT_EQ(report.tables[0].rows, 30'000);
  EXPECT_GT(report.tables[0].files, 6);
  std::set<std::string> slices;
  const auto listing = bucket_.List({FullFolder("big", "03") + "/0", "", false, 0});
  for (const auto& object : listing->objects) {
    EXPECT_LE(object.size_bytes, 200'000u);
    slices.insert(object.key.substr(object.key.rfind('/') + 1, 4));
  }
  EXPECT_THAT(slices, ElementsAre("0000", "0001", "0002"));
  EXPECT_THAT(consumer_.Rows(FullFolder("big", "03"), "count(*), count(DISTINCT id), sum(id), count(DISTINCT text)"),
              ElementsAre("30000|30000|449985000|30000"));
}

TEST_F(DeliverTest, TypesAndNullsArriveAsTheyAre) {
  vendor_.Change(
      "CREATE TABLE shop.types AS SELECT * FROM (VALUES"
      " (12.50::DECIMAL(9,2), 99999999999999999999999999999999999.999::DECIMAL(38,3), TIMESTAMP '0001-01-01 00:00:00',"
      "  TIMESTAMPTZ '2026-03-29 02:30:00+01', DATE '1969-12-31', 'NaN'::DOUBLE, 'é', [1, NULL], {'a': 1}, true),"
      " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) t(d, big, ts, tz, day, f, text, list, s, b)");
  Run(Options("v2/2026-11-03/03", {Full("types")}));
  const auto rows = consumer_.Rows(FullFolder("types", "03"));
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0],
            "12.50|99999999999999999999999999999999999.999|0001-01-01 00:00:00|2026-03-29 01:30:00+00|1969-12-31|nan|é|"
            "[1, NULL]|{'a': 1}|true");
  EXPECT_EQ(rows[1], "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
}

/// Sets the machine's time zone for a test.
class TimeZone {
 public:
  explicit TimeZone(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
  ~TimeZone() {
    unsetenv("TZ");
    tzset();
  }
};

// C-7
TEST_F(DeliverTest, TheMachinesTimeZoneMovesNoRow) {
  vendor_.Change(
      "CREATE TABLE shop.zoned AS SELECT id, changed AT TIME ZONE 'UTC' AS changed FROM shop.orders;"
      "CREATE TABLE shop.days AS SELECT id, changed::DATE AS changed FROM shop.orders;");
  contract::TableEntry zoned = Orders();
  zoned.name.table = "zoned";
  contract::TableEntry days = Orders();
  days.name.table = "days";
  for (const char* zone : {"Europe/Berlin", "America/Sao_Paulo", "UTC"}) {
    const TimeZone machine(zone);
    store::MemoryObjectStore bucket;
    Consumer consumer(bucket);
    vendor_.Change("SELECT 1");  // open the source anew under this zone
    for (const char* delivery : {"v2/2026-11-03/03", "v2/2026-11-03/04"}) {
      const auto report = Deliver(vendor_.source(), bucket, Options(delivery, {Orders(), zoned, days}));
      ASSERT_TRUE(report.ok() && !report->failed()) << PrintReport(*report);
    }
    for (const char* table : {"orders", "zoned"}) {
      const std::string folder = std::string("v2/shop/") + table + "/etl_date=2026-11-03/etl_hour=0";
      EXPECT_THAT(consumer.Rows(folder + "3", "id"), ElementsAre("1", "2", "3")) << zone;
      EXPECT_THAT(consumer.Rows(folder + "4", "id"), ElementsAre("4")) << zone;
    }
    EXPECT_THAT(consumer.Rows("v2/shop/days/etl_date=2026-11-03/etl_hour=03", "id"),
                ElementsAre("1", "2", "3", "4", "5"));
  }
}

TEST_F(DeliverTest, RowsWithoutAChangeTimeComeWithTheFirstDeliveryAndAreCountedAfterwards) {
  vendor_.Change("INSERT INTO shop.orders VALUES (7, 'n', NULL), (8, 'i', 'infinity'), (9, 'i', '-infinity')");
  const DeliveryReport first = Run(Options("v2/2026-11-03/03"));
  EXPECT_EQ(first.tables[0].undated_rows, 0);
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "03"), "id"), ElementsAre("1", "2", "3", "7", "8", "9"));
  const DeliveryReport second = Run(Options("v2/2026-11-03/04"));
  EXPECT_EQ(second.tables[0].undated_rows, 3);
  EXPECT_THAT(PrintReport(second), HasSubstr("3 rows have no change time"));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "04"), "id"), ElementsAre("4"));
}

TEST_F(DeliverTest, TablesThatFailAreMissingWithAReasonAndTheOthersAreSealed) {
  vendor_.Change("CREATE TABLE shop.bad AS SELECT '7' AS n UNION ALL SELECT 'x';");
  contract::TableEntry fails_at_once = Full("a_query");
  fails_at_once.source_query = "SELECT nothing FROM nowhere";
  contract::TableEntry fails_later = Full("bad");
  fails_later.source_query = "SELECT n::INT AS n FROM shop.bad";
  contract::TableEntry wrong_type = Full("interval");
  wrong_type.source_query = "SELECT INTERVAL 1 DAY AS gap";
  const auto options =
      Options("v2/2026-11-03/03", {fails_at_once, fails_later, wrong_type, Full("gone"), Orders(), Full("planes")});
  const DeliveryReport report = Run(options);
  EXPECT_TRUE(report.failed());
  EXPECT_TRUE(consumer_.Sealed(PartsFolder("2026-11-03", "03")));
  EXPECT_TRUE(consumer_.Sealed(FullFolder("planes", "03")));
  EXPECT_THAT(consumer_.Keys("v2/shop/bad/"), IsEmpty());
  const contract::Manifest manifest = consumer_.Manifest("v2/2026-11-03/03");
  EXPECT_FALSE(manifest.complete);
  std::vector<std::string> missing;
  for (const auto& table : manifest.missing) missing.push_back(table.table.table + ": " + table.reason);
  EXPECT_THAT(missing, ElementsAre("a_query: its query fails in the source", "bad: its rows cannot be read or written",
                                   "gone: not in the source", "interval: its rows cannot be read or written"));
  EXPECT_THAT(report.tables[1].detail, HasSubstr("'x'"));
}

// C-33
TEST_F(DeliverTest, ALateTableIsAddedToTheManifestAndTheRestStays) {
  Run(Options("v2/2026-11-03/03", {Orders(), Full("late")}));
  const auto sealed = bucket_.Head(PartsFolder("2026-11-03", "03") + "/0000_part_00.parquet");
  vendor_.Change("CREATE TABLE shop.late AS SELECT 1 AS id");
  const DeliveryReport report = Run(Options("v2/2026-11-03/03", {Orders(), Full("late")}));
  EXPECT_FALSE(report.failed());
  EXPECT_TRUE(report.manifest_written);
  EXPECT_TRUE(consumer_.Manifest("v2/2026-11-03/03").complete);
  EXPECT_EQ(*bucket_.Head(sealed->key), *sealed);
}

TEST_F(DeliverTest, LeftoversOfAnUnsealedFolderNeverEndUpInASealedOne) {
  const std::string folder = FullFolder("planes", "03");
  ASSERT_TRUE(bucket_.Put(folder + "/0007_part_03.parquet", "junk", store::PutMode::kOverwrite).ok());
  ASSERT_TRUE(bucket_.Put(folder + "/_note", "kept", store::PutMode::kOverwrite).ok());
  const auto plan = Plan(vendor_.source(), bucket_, Options("v2/2026-11-03/03"));
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->tables[1].leftovers, ElementsAre(folder + "/0007_part_03.parquet"));
  Run(Options("v2/2026-11-03/03"));
  EXPECT_THAT(consumer_.Keys(folder),
              ElementsAre(EndsWith("0000_part_00.parquet"), EndsWith("_SUCCESS"), EndsWith("_note")));
}

TEST_F(DeliverTest, AFileThatAppearsMeanwhileStopsTheSeal) {
  const auto intrude = [&](const DeliverProgress&) {
    const std::string key = PartsFolder("2026-11-03", "03") + "/0001_part_00.parquet";
    (void)bucket_.Put(key, "another delivery's", store::PutMode::kOverwrite);
  };
  const auto report = Deliver(vendor_.source(), bucket_, Options("v2/2026-11-03/03"), nullptr, intrude);
  EXPECT_EQ(report.status().code(), Code::kPreconditionFailed);
  EXPECT_FALSE(consumer_.Sealed(PartsFolder("2026-11-03", "03")));
  EXPECT_FALSE(consumer_.Sealed(FullFolder("planes", "03")));
}

TEST_F(DeliverTest, AFullDestinationStopsTheDeliveryUnsealed) {
  store::FaultPlan full;
  full.fail_at = 2;
  full.mode = store::FaultMode::kErrorFromThenOn;
  full.only = store::CallKind::kFinish;
  full.code = Code::kInvalidArgument;  // whatever its code: it came from the store
  store::FaultObjectStore faulty(std::shared_ptr<store::ObjectStore>(&bucket_, [](auto*) {}), full);
  const auto report = Deliver(vendor_.source(), faulty, Options("v2/2026-11-03/03"));
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(consumer_.Keys(), Not(Contains(EndsWith("_SUCCESS"))));
  EXPECT_THAT(consumer_.Keys(), Not(Contains(EndsWith("manifest.json"))));
}

TEST_F(DeliverTest, ItStopsOnRequestUnsealed) {
  CancelFlag cancel;
  const auto stop = [&](const DeliverProgress&) { cancel.Cancel(); };
  const auto report = Deliver(vendor_.source(), bucket_, Options("v2/2026-11-03/03"), &cancel, stop);
  EXPECT_EQ(report.status().code(), Code::kCancelled);
  EXPECT_THAT(consumer_.Keys(), Not(Contains(EndsWith("_SUCCESS"))));
  EXPECT_FALSE(Run(Options("v2/2026-11-03/03")).failed());
}

TEST_F(DeliverTest, OnlyChosenTablesAreWrittenAndTheManifestWaitsForTheRest) {
  DeliverOptions options = Options("v2/2026-11-03/03");
  options.table_globs = {"shop.o*"};
  const DeliveryReport report = Run(options);
  EXPECT_FALSE(report.failed());
  EXPECT_THAT(consumer_.Keys("v2/shop/planes/"), IsEmpty());
  EXPECT_FALSE(consumer_.Manifest("v2/2026-11-03/03").complete);
  options.table_globs.clear();
  options.exclude_globs = {"shop.orders"};
  Run(options);
  EXPECT_TRUE(consumer_.Manifest("v2/2026-11-03/03").complete);
}

// C-35
TEST_F(DeliverTest, AReseedReplacesTheTableForReadersOfTheManifest) {
  Run(Options("v2/2026-11-03/03"));
  vendor_.Change("UPDATE shop.orders SET note = upper(note)");  // without a change time
  DeliverOptions options = Options("v2/2026-11-03/04");
  options.reseed = {kOrders};
  Run(options);
  EXPECT_THAT(consumer_.Union(kOrders), SizeIs(4));
  EXPECT_THAT(consumer_.Rows(PartsFolder("2026-11-03", "04"), "id, note"), ElementsAre("1|A", "2|B", "3|C", "4|D"));
  Run(Options("v2/2026-11-03/05"));
  EXPECT_FALSE(consumer_.Manifest("v2/2026-11-03/05").FindDelivered(kOrders)->reseed);
  EXPECT_THAT(consumer_.Union(kOrders), SizeIs(5));
}

TEST_F(DeliverTest, ALostStateStopsThatTableOnly) {
  Run(Options("v2/2026-11-03/03"));
  ASSERT_TRUE(bucket_.Delete({"v2/shop/orders/_STATE"}).ok());
  DeliveryReport report = Run(Options("v2/2026-11-03/04"));
  EXPECT_EQ(report.tables[0].action, Action::kMissing);
  EXPECT_THAT(report.tables[0].detail, HasSubstr("v2/2026-11-03/03"));
  EXPECT_TRUE(consumer_.Sealed(FullFolder("planes", "04")));
  ASSERT_TRUE(bucket_.Put("v2/shop/orders/_STATE", "{}", store::PutMode::kOverwrite).ok());
  report = Run(Options("v2/2026-11-03/05"));
  EXPECT_THAT(report.tables[0].detail, HasSubstr("v2/shop/orders/_STATE"));
  ASSERT_TRUE(bucket_.Put("v2/shop/orders/_STATE", std::string(70'000, ' '), store::PutMode::kOverwrite).ok());
  EXPECT_TRUE(Run(Options("v2/2026-11-03/05")).failed());
}

TEST_F(DeliverTest, V1FoldersWithoutAStateAreNotSentAgain) {
  for (const char* name : {"0000_part_00.parquet", "_SUCCESS"}) {
    const std::string key = "v1/shop/orders/etl_date=__initial__/" + std::string(name);
    ASSERT_TRUE(bucket_.Put(key, "", store::PutMode::kOverwrite).ok());
  }
  EXPECT_EQ(Run(Options("v2/2026-11-03/03")).tables[0].action, Action::kMissing);
}

TEST_F(DeliverTest, OptionsThatBreakTheContractAreRefused) {
  DeliverOptions options = Options("v2/2026-11-03/03");
  options.writer.max_file_bytes = contract::kMaxFileBytes + 1;
  EXPECT_EQ(Deliver(vendor_.source(), bucket_, options).status().code(), Code::kInvalidArgument);
  options = Options("v2/2026-11-03/03");
  options.slices = 0;
  EXPECT_EQ(Deliver(vendor_.source(), bucket_, options).status().code(), Code::kInvalidArgument);
  EXPECT_THAT(Objects(), IsEmpty());
}

TEST_F(DeliverTest, ALocalFolderIsADestinationToo) {
  TempDirForTest folder;
  const auto bucket = store::LocalObjectStore::Make(folder.path().string());
  ASSERT_TRUE(bucket.ok()) << bucket.status().ToString();
  DeliverOptions options = Options("v2/2026-11-03/03");
  options.slices = 2;
  const auto first = Deliver(vendor_.source(), **bucket, options);
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_FALSE(first->failed());
  const auto again = Deliver(vendor_.source(), **bucket, options);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_TRUE(again->nothing_to_do);
  EXPECT_THAT(Consumer(**bucket).Rows(PartsFolder("2026-11-03", "03"), "id"), ElementsAre("1", "2", "3"));
}

TEST_F(DeliverTest, ProgressNamesEachTableOnceAtLeastAlsoWithoutRows) {
  vendor_.Change("DELETE FROM shop.planes");
  std::vector<std::string> told;
  const auto tell = [&](const DeliverProgress& progress) {
    if (progress.rows == 0) told.push_back(progress.table.table);
    EXPECT_EQ(progress.tables_total, 2u);
  };
  ASSERT_TRUE(Deliver(vendor_.source(), bucket_, Options("v2/2026-11-03/03"), nullptr, tell).ok());
  EXPECT_THAT(told, ElementsAre("orders", "planes"));
}

TEST_F(DeliverTest, TheReportIsJson) {
  const OrderedJson json = ToJson(Run(Options("v2/2026-11-03/03")));
  EXPECT_EQ(json["delivery"], "v2/2026-11-03/03");
  EXPECT_EQ(json["failed"], false);
  EXPECT_EQ(json["tables"][0]["table"], "shop.orders");
  EXPECT_EQ(json["tables"][0]["outcome"], "written");
  EXPECT_EQ(json["tables"][0]["rows"], 3);
  EXPECT_EQ(json["tables"][0]["from"], nullptr);
}

}  // namespace
}  // namespace tidegate::deliver
