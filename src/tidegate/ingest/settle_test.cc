// What a person decides about folders, whole runs: gaps, changed folders, copies that shrank, v1 after it was closed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/settlement.h"

namespace tidegate::ingest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SettleTest : public ::testing::Test {
 protected:
  SettleTest() { bucket_.SwitchToV2(); }

  IngestReport Ingest(const IngestOptions& options = TestOptions()) {
    auto report = RunIngest(bucket_.store(), lake_.store(), options);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *std::move(report) : IngestReport();
  }
  Status Say(Verdict verdict, const std::string& folder) {
    TG_ASSIGN_OR_RETURN(const auto word, Decide(bucket_.store(), lake_.store(), *contract::ParseFolder(folder), verdict,
                                                "a reason", TestOptions().clock->Now()));
    return Settle(lake_.store(), word);
  }
  void Accept(const std::string& folder) {
    const Status said = Say(Verdict::kAccept, folder);
    ASSERT_TRUE(said.ok()) << said.ToString();
  }
  void Skip(const std::string& folder) {
    const Status said = Say(Verdict::kSkip, folder);
    ASSERT_TRUE(said.ok()) << said.ToString();
  }
  /// A folder whose `at` is text.
  void DeliverText(const std::string& folder, const std::string& rows, const std::string& name = "at") {
    bucket_.Put(folder + "/0000_part_00.parquet",
                parquet::MakeRows({{"id", arrow::int64()}, {"value", arrow::utf8()}, {name, arrow::utf8()}}, rows));
    bucket_.Seal(folder);
  }
  static Rows Reasons(const IngestReport& report) {
    Rows out;
    for (const Problem& problem : report.problems) out.push_back(problem.folder + " " + problem.reason);
    return out;
  }
  static Rows HeldIn(const IngestReport& report) {
    Rows out;
    for (const Held& held : report.held) out.push_back(held.folder);
    return out;
  }
  std::string SettledInHistory(const std::string& table) {
    const auto state = LoadTableState(lake_.store(), {"shop", table});
    const auto& summary = state->table->metadata().current_snapshot()->summary;
    const auto settled = summary.find("tidegate.settled");
    return settled == summary.end() ? "" : settled->second;
  }
  /// A guard that watches small tables.
  static IngestOptions Guarded(int64_t rows) {
    IngestOptions options = TestOptions();
    options.guard = {rows, 0.5, rows};
    return options;
  }
  static IngestOptions At(const std::string& now) {
    static std::map<std::string, std::unique_ptr<FixedClock>> clocks;
    auto& clock = clocks[now];
    if (!clock) clock = std::make_unique<FixedClock>(*ParseRfc3339(now));
    IngestOptions options = TestOptions();
    options.clock = clock.get();
    return options;
  }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(SettleTest, AnAcceptedGapOfTypesIsCast) {  // C-15, C-25, A-2
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10], [2, "b", 20]])");
  DeliverText(Hour("orders", "04"), R"([[1, "A", "11"], [3, "c", null]])");
  const std::string gap = Hour("orders", "04");
  EXPECT_THAT(Reasons(Ingest()), ElementsAre(gap + " type"));
  Accept(gap);
  const IngestReport report = Ingest();
  EXPECT_THAT(Reasons(report), IsEmpty());
  EXPECT_EQ(ResultOf(report, "shop.orders").files_rewritten, 1);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|A|11", "2|b|20", "3|c|null"));
  EXPECT_THAT(SettledInHistory("orders"), HasSubstr(gap));
  EXPECT_FALSE(Ingest().applied_anything());
}

TEST_F(SettleTest, AnAcceptedGapStaysWhereAValueWouldChange) {  // A-2
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10]])");
  const std::string gap = Hour("orders", "04");
  for (const char* value : {"many", "007", "1.5", "99999999999999999999"}) {
    DeliverText(gap, R"([[2, "b", ")" + std::string(value) + R"("]])");
    Accept(gap);
    EXPECT_THAT(Reasons(Ingest()), ElementsAre(gap + " type")) << value;
    EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|10")) << value;
  }
}

TEST_F(SettleTest, AnAcceptedGapOfLettersTakesTheTablesNames) {  // C-25
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10]])");
  const std::string gap = Hour("orders", "04");
  bucket_.Put(gap + "/0000_part_00.parquet",
              parquet::MakeRows({{"Id", arrow::int64()}, {"VALUE", arrow::utf8()}, {"at", arrow::int64()}},
                                R"([[1, "A", 11]])"));
  bucket_.Seal(gap);
  EXPECT_THAT(Reasons(Ingest()), ElementsAre(gap + " column_case"));
  Accept(gap);
  EXPECT_THAT(Reasons(Ingest()), IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|A|11"));
}

TEST_F(SettleTest, ASkippedGapIsNoLongerTriedAndThatIsRecorded) {  // C-15
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10]])");
  const std::string gap = Hour("orders", "04");
  bucket_.Put(gap + "/0000_part_00.parquet", "not parquet");
  bucket_.Seal(gap);
  EXPECT_THAT(Reasons(Ingest()), ElementsAre(gap + " broken"));
  Skip(gap);
  const IngestReport report = Ingest();
  EXPECT_FALSE(report.failed());
  EXPECT_FALSE(report.applied_anything());
  EXPECT_EQ(ResultOf(report, "shop.orders").action, Action::kSettle);
  EXPECT_THAT(SettledInHistory("orders"), HasSubstr("a reason"));
  EXPECT_EQ(ResultOf(Ingest(), "shop.orders").action, Action::kNothing) << "it is recorded once";
  // It stays left out when it is mended, until it is accepted.
  bucket_.Deliver(gap, R"([[1, "mended", 11]])");
  EXPECT_FALSE(Ingest().applied_anything());
  Accept(gap);
  Ingest();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|mended|11"));
}

TEST_F(SettleTest, ATableThatDoesNotExistYetCanSkipItsFirstFolder) {  // C-15, A-13
  bucket_.Put(Hour("orders", "03") + "/0000_part_00.parquet", "not parquet");
  bucket_.Seal(Hour("orders", "03"));
  EXPECT_TRUE(Ingest().failed());
  Skip(Hour("orders", "03"));
  EXPECT_FALSE(Ingest().failed());
  EXPECT_FALSE(lake_.Has("orders"));
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "a", 10]])");
  EXPECT_FALSE(Ingest().failed());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|10"));
}

TEST_F(SettleTest, AnAcceptHoldsForWhatThePersonSaw) {
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10]])");
  const std::string gap = Hour("orders", "04");
  DeliverText(gap, R"([[1, "A", "11"]])");
  Ingest();
  Accept(gap);
  DeliverText(gap, R"([[1, "B", "12"]])");
  const IngestReport report = Ingest();
  EXPECT_THAT(KindsOf(report), Contains("settlement_outdated"));
  EXPECT_THAT(Reasons(report), ElementsAre(gap + " type"));
}

TEST_F(SettleTest, AnAcceptedChangeRebuildsTheTableAndASkippedOneIsNoLongerTold) {  // C-14, C-27
  bucket_.Deliver(Initial("orders"), R"([[1, "i", 1], [5, "i", 1]])");
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10], [2, "b", 20]])");
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  Ingest();
  bucket_.Deliver(Hour("orders", "03"), R"([[2, "B", 20]])");
  bucket_.Deliver(Hour("orders", "04"), R"([[3, "c", 30]])");
  bucket_.Deliver(Hour("log", "03"), R"([[2, "y", 2]])");
  EXPECT_EQ(Reasons(Ingest()), Rows({Hour("log", "03") + " changed", Hour("orders", "03") + " changed"}));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|10", "2|b|20", "3|c|30", "5|i|1"));
  Accept(Hour("orders", "03"));
  Skip(Hour("log", "03"));
  const IngestReport report = Ingest();
  EXPECT_THAT(Reasons(report), IsEmpty());
  EXPECT_EQ(ResultOf(report, "shop.orders").action, Action::kRebuild);
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|i|1", "2|B|20", "3|c|30", "5|i|1"));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1"));
  const IngestReport after = Ingest();
  EXPECT_THAT(after.warnings, IsEmpty());
  EXPECT_FALSE(after.applied_anything());
}

TEST_F(SettleTest, ARebuildKeepsTheRowsOfFoldersThatAreGone) {  // C-14
  bucket_.Deliver(Initial("orders"), R"([[1, "i", 1], [2, "i", 1], [3, "i", 1]])");
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[2, "d", 2], [3, "d", 2], [null, "n", 2]])");
  bucket_.Deliver(Hour("orders", "03"), R"([[3, "h", 3]])");
  Ingest();
  for (const std::string name : {"/_SUCCESS", "/0000_part_00.parquet"}) {
    ASSERT_TRUE(bucket_.store().Delete({Day("orders", "2026-11-02") + name}).ok());
  }
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "H", 3]])");
  Ingest();
  Accept(Hour("orders", "03"));
  const IngestReport report = Ingest();
  EXPECT_THAT(Reasons(report), IsEmpty());
  EXPECT_THAT(KindsOf(report), Contains("parts_folder_gone"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|H|3", "2|d|2", "3|d|2"));
  EXPECT_THAT(lake_.Deliveries("orders"), ElementsAre("v1/2026-11-02|2", "v1/2026-11-02|3", "v2/2026-11-03/03|1"));
  EXPECT_FALSE(Ingest().applied_anything());
}

TEST_F(SettleTest, ACopyThatShrankIsHeldUntilItIsAcceptedOrANewerOneComes) {  // C-29, A-11
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "a", 1], [2, "b", 1], [3, "c", 1]])");
  Ingest(Guarded(3));
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "a", 1]])");
  IngestReport report = Ingest(Guarded(3));
  EXPECT_THAT(HeldIn(report), ElementsAre(Copy("customers", "04")));
  EXPECT_EQ(report.held[0].rows_before, 3);
  EXPECT_EQ(report.held[0].rows_now, 1);
  EXPECT_FALSE(report.failed());
  EXPECT_FALSE(report.applied_anything());
  EXPECT_EQ(lake_.Live("customers").data.size(), 1u) << "the table names nothing of it";
  Accept(Copy("customers", "04"));
  EXPECT_THAT(HeldIn(Ingest(Guarded(3))), IsEmpty());
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|a|1"));
  bucket_.Deliver(Copy("customers", "05"), R"([[1, "a", 1], [2, "b", 1], [3, "c", 1], [4, "d", 1]])");
  Ingest(Guarded(3));
  bucket_.Deliver(Copy("customers", "06"), "[]");
  EXPECT_THAT(HeldIn(Ingest(Guarded(3))), ElementsAre(Copy("customers", "06")));
  bucket_.Deliver(Copy("customers", "07"), R"([[1, "a", 2], [2, "b", 2], [3, "c", 2]])");
  EXPECT_THAT(HeldIn(Ingest(Guarded(3))), IsEmpty());
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|a|2", "2|b|2", "3|c|2"));
}

TEST_F(SettleTest, BehindAHeldCopyTheNextNewestIsTaken) {  // A-11
  bucket_.Deliver(Copy("customers", "03"), R"([[1, "a", 1], [2, "b", 1], [3, "c", 1]])");
  Ingest(Guarded(3));
  bucket_.Deliver(Copy("customers", "04"), R"([[1, "A", 1], [2, "B", 1], [3, "C", 1]])");
  bucket_.Seal(Copy("customers", "05"));
  EXPECT_THAT(HeldIn(Ingest(Guarded(3))), ElementsAre(Copy("customers", "05")));
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|A|1", "2|B|1", "3|C|1"));
  Skip(Copy("customers", "05"));
  EXPECT_THAT(HeldIn(Ingest(Guarded(3))), IsEmpty());
}

TEST_F(SettleTest, AReseedThatShrinksIsHeldWithAllThatFollows) {  // C-35, A-9
  const auto manifest = [&](const std::string& hour, bool reseed) {
    bucket_.Put(
        "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=" + hour + "/manifest.json",
        R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append", "reseed": )" +
            std::string(reseed ? "true" : "false") + "}]}");
  };
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1], [2, "b", 1], [3, "c", 1]])");
  Ingest(Guarded(3));
  manifest("04", true);
  bucket_.Deliver(Hour("orders", "04"), R"([[9, "z", 2], [9, "z", 3], [9, "z", 4], [9, "new", 5]])");
  EXPECT_THAT(HeldIn(Ingest(Guarded(3))), ElementsAre(Hour("orders", "04"))) << "four rows of one key are one row";
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|b|1", "3|c|1"));
  Accept(Hour("orders", "04"));
  EXPECT_THAT(HeldIn(Ingest(Guarded(3))), IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("9|new|5"));
}

TEST_F(SettleTest, ASkippedReseedLeavesTheOldCopyAndTheHoursGoOn) {  // C-35
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1], [2, "b", 1], [3, "c", 1]])");
  Ingest(Guarded(3));
  bucket_.Put(
      "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=04/manifest.json",
      R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append", "reseed": true}]})");
  bucket_.Deliver(Hour("orders", "04"), "[]");
  EXPECT_THAT(HeldIn(Ingest(Guarded(2))), ElementsAre(Hour("orders", "04")));
  Skip(Hour("orders", "04"));
  bucket_.Deliver(Hour("orders", "05"), R"([[2, "B", 2]])");
  const IngestReport report = Ingest(Guarded(2));
  EXPECT_THAT(HeldIn(report), IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|a|1", "2|B|2", "3|c|1"));
  EXPECT_FALSE(Ingest(Guarded(2)).applied_anything());
}

TEST_F(SettleTest, SevenDaysAfterTheSwitchV1IsClosed) {  // C-14
  bucket_.Deliver(Initial("orders"), R"([[1, "i", 1], [2, "i", 1], [3, "i", 1]])");
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "h", 3]])");
  Ingest(At("2026-11-03T04:00:00Z"));
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[2, "late", 2]])");
  Ingest(At("2026-11-10T03:59:00Z"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|h|3", "2|late|2", "3|i|1"));
  bucket_.Deliver(Day("orders", "2026-11-01"), R"([[3, "too late", 2]])");
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[2, "changed", 2]])");
  IngestReport report = Ingest(At("2026-11-10T04:00:00Z"));
  EXPECT_FALSE(report.applied_anything());
  EXPECT_FALSE(report.failed());
  EXPECT_THAT(KindsOf(report), ElementsAre("v1_closed"));
  Accept(Day("orders", "2026-11-01"));
  report = Ingest(At("2026-11-10T05:00:00Z"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|h|3", "2|late|2", "3|too late|2"));
  EXPECT_THAT(KindsOf(report), Not(Contains("v1_closed")));
}

TEST_F(SettleTest, AGapOfV1StaysAGapAfterV1IsClosed) {  // C-14, C-15
  bucket_.Deliver(Initial("orders"), R"([[1, "i", 1]])");
  bucket_.Put(Day("orders", "2026-11-02") + "/0000_part_00.parquet", "not parquet");
  bucket_.Seal(Day("orders", "2026-11-02"));
  Ingest(At("2026-11-03T04:00:00Z"));
  EXPECT_THAT(Reasons(Ingest(At("2026-12-03T04:00:00Z"))), ElementsAre(Day("orders", "2026-11-02") + " broken"));
  bucket_.Deliver(Day("orders", "2026-11-02"), R"([[1, "mended", 2]])");
  EXPECT_FALSE(Ingest(At("2026-12-03T05:00:00Z")).failed());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|mended|2"));
}

TEST_F(SettleTest, ThereIsNothingToDecideAboutAFolderThatIsAppliedAsItStands) {
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10]])");
  Ingest();
  EXPECT_EQ(Say(Verdict::kAccept, Hour("orders", "03")).code(), Code::kPreconditionFailed);
  EXPECT_EQ(Say(Verdict::kSkip, Hour("orders", "03")).code(), Code::kPreconditionFailed);
  EXPECT_EQ(Say(Verdict::kAccept, Hour("orders", "04")).code(), Code::kNotFound);
}

TEST_F(SettleTest, ASettlementThatCannotBeReadStopsItsTableAlone) {
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 10]])");
  bucket_.Deliver(Hour("log", "03"), R"([[1, "x", 1]])");
  ASSERT_TRUE(lake_.store()
                  .Put("_tidegate/settlements/shop/orders/v2/2026-11-03/03.json", "{", store::PutMode::kOverwrite)
                  .ok());
  const IngestReport report = Ingest();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_THAT(report.problems[0].message, HasSubstr("_tidegate/settlements"));
  EXPECT_THAT(lake_.Table("log"), ElementsAre("1|x|1"));
}

}  // namespace
}  // namespace tidegate::ingest
