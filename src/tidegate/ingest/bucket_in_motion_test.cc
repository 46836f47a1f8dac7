// The bucket changes while a run reads it: files arrive, seals come and go, files vanish or give way to others.
// Whatever the moment, readers see whole folders only, and the next run is right (C-10, C-14, C-44).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tidegate/base/log.h"
#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/test_watched_store.h"

namespace tidegate::ingest {
namespace {

using store::CallKind;
using store::StoreCall;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kFirst = "/0000_part_00.parquet";
constexpr const char* kSecond = "/0000_part_01.parquet";

class BucketInMotionTest : public ::testing::Test {
 protected:
  void DeliverTwoFiles(const std::string& folder, const std::string& value) {
    bucket_.Put(folder + kFirst, OrderRows("[[1, \"" + value + "\", 1], [2, \"" + value + "\", 1]]"));
    bucket_.Put(folder + kSecond, OrderRows("[[3, \"" + value + "\", 1]]"));
    bucket_.Seal(folder);
  }
  void Remove(const std::string& folder) {
    ASSERT_TRUE(bucket_.store().Delete({folder + kFirst, folder + kSecond, folder + "/_SUCCESS"}).ok());
  }

  /// A run during which something happens before its first call of this kind whose key ends so.
  IngestReport RunWhile(CallKind kind, const std::string& key_end, std::function<void()> what) {
    const OnceBefore once([=](const StoreCall& call) { return call.kind == kind && call.key.ends_with(key_end); },
                          std::move(what));
    WatchedStore watched(bucket_.store(), once);
    const auto report = RunIngest(watched, lake_.store(), TestOptions());
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_TRUE(once.happened());
    return report.ok() ? *report : IngestReport();
  }
  void RunAgain() { IngestWell(bucket_.store(), lake_.store()); }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(BucketInMotionTest, ASealThatAppearsAfterTheListingIsForTheNextRun) {  // C-10
  bucket_.Deliver(Initial("log"), R"([[1, "i", 1]])");
  bucket_.Put(Day("log", "2026-11-02") + kFirst, OrderRows(R"([[2, "d", 1]])"));
  EXPECT_FALSE(RunWhile(CallKind::kOpen, "", [&] { bucket_.Seal(Day("log", "2026-11-02")); }).failed());
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|i|1"));
  RunAgain();
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|i|1", "2|d|1"));
}

TEST_F(BucketInMotionTest,
       AFileThatTheFirstListingMissedIsNotLost) {  // C-10: the seal was seen, so all files are there
  bucket_.Put(Initial("log") + kFirst, OrderRows(R"([[1, "a", 1]])"));
  bucket_.Seal(Initial("log"));
  // A listing by pages can hold the seal and lack a file that came before it.
  EXPECT_FALSE(RunWhile(CallKind::kList, Initial("log") + "/", [&] {
                 bucket_.Put(Initial("log") + kSecond, OrderRows(R"([[2, "b", 1]])"));
               }).failed());
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|a|1", "2|b|1"));
  EXPECT_FALSE(IngestWell(bucket_.store(), lake_.store()).applied_anything());  // nor taken for a change
}

TEST_F(BucketInMotionTest, TheSwitchToV2BetweenTheTwoListingsLosesNothing) {  // C-12
  bucket_.Deliver(Initial("log"), R"([[1, "i", 1]])");
  EXPECT_FALSE(RunWhile(CallKind::kList, "v2/", [&] {
                 bucket_.Deliver(Day("log", "2026-11-02"), R"([[2, "d", 1]])");  // v1 was listed already
                 bucket_.Deliver(Hour("log", "03"), R"([[3, "h", 1]])");
                 bucket_.SwitchToV2();
               }).failed());
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|i|1", "3|h|1"));
  RunAgain();
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|i|1", "2|d|1", "3|h|1"));
}

TEST_F(BucketInMotionTest, AManifestThatIsGoneWhenItIsReadCountsAsAbsent) {  // C-33
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("log", "03"), R"([[3, "h", 1]])");
  const std::string manifest = "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json";
  const IngestReport report =
      RunWhile(CallKind::kOpen, manifest, [&] { ASSERT_TRUE(bucket_.store().Delete({manifest}).ok()); });
  EXPECT_EQ(report.version, contract::Version::kV2);
  EXPECT_THAT(lake_.Table("log"), ElementsAre("3|h|1"));
}

TEST_F(BucketInMotionTest, AFileThatVanishesMakesAGapOfItsFolderOnly) {  // C-15
  bucket_.Deliver(Initial("orders"), R"([[1, "i", 1]])");
  DeliverTwoFiles(Day("orders", "2026-11-02"), "d");
  const std::string lost = Day("orders", "2026-11-02") + kSecond;
  const IngestReport report =
      RunWhile(CallKind::kOpen, kSecond, [&] { ASSERT_TRUE(bucket_.store().Delete({lost}).ok()); });
  ASSERT_EQ(report.problems.size(), 1u) << ProblemsOf(report);
  EXPECT_EQ(report.problems[0].reason, "changed");
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|i|1"));
  DeliverTwoFiles(Day("orders", "2026-11-02"), "d");
  RunAgain();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|d|1", "2|d|1", "3|d|1"));
}

TEST_F(BucketInMotionTest, AFileThatIsReplacedBetweenFooterAndDataIsNotTorn) {  // C-14, C-28
  DeliverTwoFiles(Initial("orders"), "old");
  const IngestReport report = RunWhile(CallKind::kReadAt, kSecond, [&] { DeliverTwoFiles(Initial("orders"), "new"); });
  ASSERT_EQ(report.problems.size(), 1u) << ProblemsOf(report);
  EXPECT_EQ(report.problems[0].reason, "changed");
  EXPECT_FALSE(lake_.Has("orders"));
  RunAgain();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|new|1", "2|new|1", "3|new|1"));
}

TEST_F(BucketInMotionTest, AFileThatIsReplacedWhileItIsRewrittenIsNotTorn) {  // C-28
  const auto put = [&](const std::string& value) {
    bucket_.Put(Initial("log") + kFirst,
                parquet::MakeRows({{"id", arrow::int64()}, {"ETL_DATE", arrow::utf8()}, {"value", arrow::utf8()}},
                                  "[[1, \"x\", \"" + value + "\"]]"));
    bucket_.Seal(Initial("log"));
  };
  bucket_.Put(Initial("log") + kFirst, "no Parquet");
  bucket_.Seal(Initial("log"));
  EXPECT_TRUE(RunIngest(bucket_.store(), lake_.store(), TestOptions())->failed());  // tried again in the bucket
  put("old");
  int reads = 0;
  const OnceBefore once([&](const StoreCall& call) { return call.kind == CallKind::kReadAt && ++reads == 3; },
                        [&] { put("new"); });
  WatchedStore watched(bucket_.store(), once);
  const auto report = RunIngest(watched, lake_.store(), TestOptions());
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(once.happened());
  EXPECT_TRUE(report->failed());
  RunAgain();
  EXPECT_THAT(lake_.Table("log", {"id", "value"}), ElementsAre("1|new"));
}

TEST_F(BucketInMotionTest, ACopyThatRetentionTakesWhileItIsReadGivesWayToAnOlderOne) {  // C-44
  const auto copy = [](const std::string& day) { return "v1/shop/customers/snapshot_date=" + day; };
  DeliverTwoFiles(copy("2026-11-01"), "first");
  DeliverTwoFiles(copy("2026-11-02"), "second");
  std::string log;
  SetLogSink([&](LogLevel, std::string_view line) { log += line; });
  EXPECT_FALSE(RunWhile(CallKind::kOpen, kSecond, [&] { Remove(copy("2026-11-02")); }).failed());
  SetLogSink(nullptr);
  EXPECT_THAT(log, HasSubstr("v1/shop/customers/snapshot_date=2026-11-02 vanished while it was read"));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|first|1", "2|first|1", "3|first|1"));
  RunAgain();
}

// ---------------------------------------------------------------------------------------------------------------------
// The same at every moment of a run

struct Motion {
  const char* name;
  std::function<void(TestBucket&)> happens;
  std::function<void(TestBucket&)> ends;  // before the next run
  std::vector<Rows> seen;                 // what a reader may see of orders after the run that was hit
  Rows finally;
};

std::ostream& operator<<(std::ostream& out, const Motion& motion) { return out << motion.name; }

std::string TwoRows(const std::string& value, int id) {
  return OrderRows("[[" + std::to_string(id) + ", \"" + value + "\", 1], [" + std::to_string(id + 1) + ", \"" + value +
                   "\", 1]]");
}

void PutDay(TestBucket& bucket, const std::string& day, const std::string& value) {
  bucket.Put(Day("orders", day) + kFirst, TwoRows(value, 1));
  bucket.Put(Day("orders", day) + kSecond, TwoRows(value, 3));
  bucket.Seal(Day("orders", day));
}

void RemoveDay(TestBucket& bucket, const std::string& day) {
  const std::string folder = Day("orders", day);
  ASSERT_TRUE(bucket.store().Delete({folder + kFirst, folder + kSecond, folder + "/_SUCCESS"}).ok());
}

Rows All(const std::string& value) {
  return {"1|" + value + "|1", "2|" + value + "|1", "3|" + value + "|1", "4|" + value + "|1"};
}

const std::vector<Motion>& Motions() {
  static const Rows kInitial = {"1|i|1"};
  static const std::vector<Motion> kMotions = {
      {"FilesReplaced",
       [](TestBucket& b) { PutDay(b, "2026-11-01", "new"); },
       [](TestBucket&) {},
       {kInitial, All("old"), All("new")},
       All("new")},
      {"OneFileVanishes",
       [](TestBucket& b) { ASSERT_TRUE(b.store().Delete({Day("orders", "2026-11-01") + kSecond}).ok()); },
       [](TestBucket& b) { PutDay(b, "2026-11-01", "back"); },
       // Gone before its folder was listed: a folder of one file, as far as anybody can tell.
       {kInitial, All("old"), {"1|old|1", "2|old|1"}},
       All("back")},
      {"FolderVanishes",
       [](TestBucket& b) { RemoveDay(b, "2026-11-01"); },
       [](TestBucket& b) { PutDay(b, "2026-11-01", "back"); },
       {kInitial, All("old")},
       All("back")},
      {"SealVanishes",
       [](TestBucket& b) { b.Unseal(Day("orders", "2026-11-01")); },
       [](TestBucket& b) { b.Seal(Day("orders", "2026-11-01")); },
       {kInitial, All("old")},
       All("old")},
      {"FolderArrives",
       [](TestBucket& b) { PutDay(b, "2026-11-02", "next"); },
       [](TestBucket&) {},
       {All("old"), All("next")},
       All("next")},
  };
  return kMotions;
}

class BucketInMotionSweep : public ::testing::TestWithParam<Motion> {};

TEST_P(BucketInMotionSweep, WheneverItHappensReadersSeeWholeFoldersAndTheNextRunIsRight) {  // C-10, C-14, C-27
  bool happened = true;
  for (int n = 1; happened; ++n) {
    TestBucket bucket;
    TestLake lake;
    bucket.Deliver(Initial("orders"), R"([[1, "i", 1]])");
    PutDay(bucket, "2026-11-01", "old");
    int calls = 0;
    const OnceBefore once([&](const StoreCall&) { return ++calls == n; }, [&] { GetParam().happens(bucket); });
    WatchedStore watched(bucket.store(), once);
    const auto report = RunIngest(watched, lake.store(), TestOptions());
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    happened = once.happened();
    ASSERT_THAT(GetParam().seen, Contains(lake.Table("orders"))) << "before call " << n;
    GetParam().ends(bucket);
    if (!happened) break;
    IngestWell(bucket.store(), lake.store());
    ASSERT_EQ(lake.Table("orders"), GetParam().finally) << "before call " << n;
    ASSERT_LT(n, 1'000);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, BucketInMotionSweep, testing::ValuesIn(Motions()),
                         [](const auto& motion) { return std::string(motion.param.name); });

}  // namespace
}  // namespace tidegate::ingest
