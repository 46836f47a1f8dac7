#include "tidegate/ingest/reseed.h"

#include <gtest/gtest.h>

#include "tidegate/ingest/plan.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::TableMode;
using contract::Version;

const contract::TableName kLog{"shop", "log"};

Delivery Hour(const std::string& hour) { return {Version::kV2, "2026-11-03", hour}; }
Delivery Day(const std::string& date) { return {Version::kV1, date, ""}; }
const Delivery kInitialFolder{Version::kV1, "__initial__", ""};

/// A bucket's view made by hand: sealed folders and what manifests say.
class ReseedTest : public ::testing::Test {
 protected:
  void Seal(const Delivery& delivery, const std::string& when = "2026-11-03T00:00:00Z") {
    bucket::FolderState& state = view_.tables[kLog].parts[delivery];
    state.folder = {kLog, TableMode::kParts, delivery};
    state.seal = store::ObjectInfo{
        .key = state.folder.Path() + "/_SUCCESS", .size_bytes = 0, .etag = "e", .modified = *ParseRfc3339(when)};
  }
  void Deliver(const Delivery& delivery, bool reseed, std::optional<Delivery> from = std::nullopt) {
    contract::DeliveredTable table;
    table.table = kLog;
    table.mode = TableMode::kParts;
    table.reseed = reseed;
    table.reseed_from = from;
    contract::Manifest& manifest = view_.manifests[delivery];
    manifest.delivery = delivery;
    manifest.delivered.push_back(table);
  }
  std::optional<Reseed> Latest() {
    const auto all = AnnouncedReseeds(view_, kLog, view_.tables[kLog].parts, Version::kV2);
    return all.empty() ? std::nullopt : std::optional(all.back().reseed);
  }
  TablePlan Plan(std::optional<Checkpoint> before = std::nullopt) {
    return PlanTable(view_, kLog, nullptr, std::move(before), Version::kV2);
  }
  static std::vector<Delivery> Deliveries(const TablePlan& plan) {
    std::vector<Delivery> out;
    for (const auto& folder : plan.folders) out.push_back(folder.folder.delivery);
    return out;
  }
  /// The checkpoint after a plan was carried out.
  static Checkpoint After(const TablePlan& plan) {
    Checkpoint out = plan.before && plan.action == Action::kAppend ? *plan.before : Checkpoint();
    out.mode = TableMode::kParts;
    out.reseed = plan.reseed;
    out.fenced = plan.fenced;
    for (const auto& folder : plan.folders) {
      out.applied.Insert(folder.folder.delivery);
      out.fingerprints[folder.folder.delivery] = folder.Fingerprint();
    }
    return out;
  }

  /// What is applied of hour 03, before any reseed.
  Checkpoint OldCopy() {
    Seal(Hour("03"));
    Deliver(Hour("03"), false);
    return After(Plan());
  }

  bucket::BucketView view_;
};

TEST_F(ReseedTest, GoesThroughTextUnchanged) {
  for (const Reseed& reseed :
       {Reseed{Hour("05"), Hour("04"), false}, Reseed{Day("2026-11-01"), Day("2026-11-01"), true}}) {
    const auto again = Reseed::Parse(reseed.ToString());
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(*again, reseed);
  }
  EXPECT_EQ(Reseed::Parse("v2/2026-11-03/05").status().code(), Code::kCorruption);
  EXPECT_EQ(Reseed::Parse("v2/2026-11-03/05 to v2/2026-11-03/05").status().code(), Code::kCorruption);
}

TEST_F(ReseedTest, ConsecutiveFlagsAreOneReseedThatStartsAtTheFirst) {  // C-35, A-8
  Deliver(Hour("03"), false);
  Deliver(Hour("04"), true);
  Deliver(Hour("06"), true);
  EXPECT_EQ(Latest()->at, Hour("04"));
  Deliver(Hour("07"), false);
  EXPECT_EQ(Latest()->at, Hour("04"));
  Deliver(Hour("08"), true);
  EXPECT_EQ(Latest()->at, Hour("08"));
}

TEST_F(ReseedTest, TheNewCopyReplacesTheOldOneAndFencesIt) {  // C-35
  const Checkpoint before = OldCopy();
  Seal(Hour("05"));
  Deliver(Hour("05"), true);
  const TablePlan plan = Plan(before);
  EXPECT_EQ(plan.action, Action::kReseed);
  EXPECT_EQ(Deliveries(plan), std::vector<Delivery>{Hour("05")});
  EXPECT_TRUE(plan.fenced.Contains(Hour("03")));

  Seal(Hour("04"));  // late, and of the old copy
  const TablePlan late = Plan(After(plan));
  EXPECT_EQ(late.action, Action::kNothing);
  ASSERT_EQ(late.warnings.size(), 1u);
  EXPECT_EQ(late.warnings[0].kind, "late_fenced");
}

TEST_F(ReseedTest, UntilItIsSealedReadersKeepTheOldTableAndLaterFoldersWait) {  // C-35, A-9
  const Checkpoint before = OldCopy();
  Deliver(Hour("04"), true);
  Seal(Hour("05"));
  Deliver(Hour("05"), false);
  EXPECT_EQ(Plan(before).action, Action::kNothing);
  Seal(Hour("04"));
  EXPECT_EQ(Deliveries(Plan(before)), (std::vector<Delivery>{Hour("04"), Hour("05")}));
}

TEST_F(ReseedTest, TheLatestThatCanBeTakenIsWhileALaterOneWaits) {  // C-35, A-9
  const Checkpoint before = OldCopy();
  Seal(Hour("04"));
  Deliver(Hour("04"), true);
  Deliver(Hour("05"), false);
  Deliver(Hour("06"), true);  // not sealed
  Seal(Hour("07"));
  const TablePlan plan = Plan(before);
  EXPECT_EQ(plan.action, Action::kReseed);
  EXPECT_EQ(Deliveries(plan), std::vector<Delivery>{Hour("04")});
  Seal(Hour("05"));
  EXPECT_EQ(Deliveries(Plan(After(plan))), std::vector<Delivery>{Hour("05")});
  Seal(Hour("06"));
  EXPECT_EQ(Deliveries(Plan(After(plan))), (std::vector<Delivery>{Hour("06"), Hour("07")}));
}

TEST_F(ReseedTest, OneThatWaitsKeepsBackAnEarlierOneThatItTakesIn) {  // C-35, A-6, A-9
  const Checkpoint before = OldCopy();
  Seal(Hour("04"));
  Deliver(Hour("04"), true);
  Deliver(Hour("05"), false);
  Deliver(Hour("06"), true, Hour("04"));  // not sealed
  EXPECT_EQ(Plan(before).action, Action::kNothing);
}

TEST_F(ReseedTest, OneThatThisRunCouldNotTakeIsAsOneThatWaits) {
  for (const char* hour : {"03", "05", "06"}) Seal(Hour(hour));
  Deliver(Hour("05"), true);
  Circumstances now;
  now.not_taken.Insert(Hour("05"));
  const TablePlan plan = PlanTable(view_, kLog, nullptr, std::nullopt, Version::kV2, now);
  EXPECT_EQ(Deliveries(plan), std::vector<Delivery>{Hour("03")});
  EXPECT_FALSE(plan.reseed);
}

TEST_F(ReseedTest, AFlagThatIsReadLateMovesTheFenceBack) {  // C-35, A-8
  for (const char* hour : {"03", "04", "05"}) Seal(Hour(hour));
  Deliver(Hour("05"), true);
  const TablePlan plan = Plan();
  EXPECT_TRUE(plan.fenced.Contains(Hour("04")));
  Deliver(Hour("04"), true);  // consecutive: one reseed that starts here
  const TablePlan late = Plan(After(plan));
  EXPECT_EQ(late.action, Action::kAppend);
  EXPECT_EQ(Deliveries(late), std::vector<Delivery>{Hour("04")});
  EXPECT_EQ(late.reseed->at, Hour("04"));
  EXPECT_TRUE(late.fenced.Contains(Hour("03")));
  EXPECT_FALSE(late.fenced.Contains(Hour("04")));
  EXPECT_EQ(Plan(After(late)).action, Action::kNothing);
}

TEST_F(ReseedTest, AFenceThatMustMoveForwardBuildsTheCopyAnew) {  // C-35, A-6
  for (const char* hour : {"03", "04", "05"}) Seal(Hour(hour));
  Deliver(Hour("05"), true, Hour("03"));
  const TablePlan plan = Plan();
  EXPECT_EQ(Deliveries(plan), (std::vector<Delivery>{Hour("03"), Hour("04"), Hour("05")}));
  view_.manifests.clear();
  Deliver(Hour("05"), true, Hour("04"));
  const TablePlan corrected = Plan(After(plan));
  EXPECT_EQ(corrected.action, Action::kReseed);
  EXPECT_EQ(Deliveries(corrected), (std::vector<Delivery>{Hour("04"), Hour("05")}));
}

TEST_F(ReseedTest, AFreshInitialThatIsSealedLateStillBelongsToTheCopy) {  // C-35
  Seal(Day("2026-10-31"));
  Seal(Day("2026-11-01"));
  Deliver(Day("2026-11-01"), true);
  const TablePlan plan = Plan();
  EXPECT_EQ(Deliveries(plan), std::vector<Delivery>{Day("2026-11-01")});
  Seal(kInitialFolder, "2026-11-01T09:00:00Z");
  const TablePlan late = Plan(After(plan));
  EXPECT_EQ(late.action, Action::kAppend);
  EXPECT_EQ(Deliveries(late), std::vector<Delivery>{kInitialFolder});
  view_.tables[kLog].parts.erase(kInitialFolder);  // gone from the bucket: it stays with the copy
  EXPECT_TRUE(Plan(After(late)).reseed->with_initial);
}

TEST_F(ReseedTest, AFreshInitialBelongsToTheNewCopyAnOldOneDoesNot) {  // C-35
  Seal(kInitialFolder, "2026-09-30T07:00:00Z");
  Seal(Day("2026-10-31"));
  Seal(Day("2026-11-01"));
  Deliver(Day("2026-10-31"), false);
  Deliver(Day("2026-11-01"), true);
  EXPECT_FALSE(Latest()->with_initial);
  EXPECT_EQ(Deliveries(Plan()), std::vector<Delivery>{Day("2026-11-01")});
  Seal(kInitialFolder, "2026-11-01T00:00:00Z");
  EXPECT_TRUE(Latest()->with_initial);
  EXPECT_EQ(Deliveries(Plan()), (std::vector<Delivery>{kInitialFolder, Day("2026-11-01")}));
}

TEST_F(ReseedTest, AV1ReseedMayDeliverNothingButInitial) {  // C-35
  Seal(kInitialFolder, "2026-11-01T08:00:00Z");
  Seal(Day("2026-10-31"));
  Deliver(Day("2026-11-01"), true);
  EXPECT_EQ(Deliveries(Plan()), std::vector<Delivery>{kInitialFolder});
}

TEST_F(ReseedTest, ReseedFromSaysWhereTheCopyStarts) {  // C-35, A-6
  for (const char* hour : {"03", "04", "05"}) Seal(Hour(hour));
  Deliver(Hour("03"), false);
  Deliver(Hour("04"), false);
  Deliver(Hour("05"), true, Hour("04"));
  EXPECT_EQ(Deliveries(Plan()), (std::vector<Delivery>{Hour("04"), Hour("05")}));
}

}  // namespace
}  // namespace tidegate::ingest
