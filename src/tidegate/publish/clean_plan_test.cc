#include "tidegate/publish/clean_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::publish {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;

const UtcTime kNow = *ParseRfc3339("2026-11-10T00:00:00Z");

class CleanPlanTest : public testing::Test {
 protected:
  void Complete(const RunId& id, std::optional<hours> retired_before) {
    publish::Run run{.id = id, .folder = "day=1/run=" + id};
    run.complete = run.published = true;
    run.retired = retired_before.has_value();
    if (retired_before) facts_.retired[run.folder] = kNow - *retired_before;
    facts_.runs.push_back(run);
  }

  void Incomplete(const RunId& id, std::optional<hours> failed_before = std::nullopt) {
    publish::Run run{.id = id, .folder = "day=1/run=" + id};
    if (failed_before) run.failed = kNow - *failed_before;
    facts_.runs.push_back(run);
  }

  void Current(const RunId& id) { facts_.current = "day=1/run=" + id; }

  std::vector<Fate> Fates() {
    if (facts_.current) facts_.referenced.insert(*facts_.current);
    std::vector<Fate> out;
    out.reserve(facts_.runs.size());
    for (const CleanDecision& decision : PlanClean(facts_, rules_)) out.push_back(decision.fate);
    return out;
  }

  CleanFacts facts_{.now = kNow};
  CleanRules rules_;
};

TEST_F(CleanPlanTest, KeepsTheCurrentAndThePreviousRun) {  // C-55
  Complete("1", hours(100));
  Complete("2", hours(99));
  Complete("3", std::nullopt);
  Current("3");
  EXPECT_THAT(Fates(), ElementsAre(Fate::kRemove, Fate::kPrevious, Fate::kCurrent));
  rules_.keep_runs = 2;
  EXPECT_THAT(Fates(), ElementsAre(Fate::kPrevious, Fate::kPrevious, Fate::kCurrent));
  rules_.keep_runs = 0;  // never none
  EXPECT_THAT(Fates(), ElementsAre(Fate::kRemove, Fate::kPrevious, Fate::kCurrent));
}

TEST_F(CleanPlanTest, AgeCountsFromWhenReadersLeft) {
  Complete("1", hours(23));
  Complete("2", hours(1));
  Complete("3", std::nullopt);
  Current("3");
  EXPECT_THAT(Fates(), ElementsAre(Fate::kYoung, Fate::kPrevious, Fate::kCurrent));
  facts_.retired["day=1/run=1"] = kNow - hours(24);
  EXPECT_THAT(Fates(), ElementsAre(Fate::kRemove, Fate::kPrevious, Fate::kCurrent));
  facts_.retired.erase("day=1/run=1");
  EXPECT_THAT(Fates(), ElementsAre(Fate::kUnmarked, Fate::kPrevious, Fate::kCurrent));
}

TEST_F(CleanPlanTest, AfterARollbackTheNewerRunGoesInItsTime) {
  Complete("1", std::nullopt);
  Complete("2", hours(25));
  Current("1");
  EXPECT_THAT(Fates(), ElementsAre(Fate::kCurrent, Fate::kRemove));
}

TEST_F(CleanPlanTest, ARunThatReadersNeverSawIsNothingToGoBackTo) {
  Complete("1", hours(1));
  Complete("2", std::nullopt);
  facts_.runs.back().published = false;
  Complete("3", std::nullopt);
  Current("3");
  EXPECT_THAT(Fates(), ElementsAre(Fate::kPrevious, Fate::kUnmarked, Fate::kCurrent));
}

TEST_F(CleanPlanTest, IncompleteRunsGoUnlessTheyFailedNotLongAgo) {  // C-54
  Complete("1", std::nullopt);
  Incomplete("2");
  Incomplete("3", hours(24 * 6));
  Incomplete("4", hours(24 * 7));
  Incomplete("5");
  Current("1");
  facts_.being_built = "5";
  EXPECT_THAT(Fates(), ElementsAre(Fate::kCurrent, Fate::kRemove, Fate::kFailed, Fate::kRemove, Fate::kBuilding));
}

TEST_F(CleanPlanTest, WhereTheCatalogHasNoPartitionNothingIsJudged) {
  Complete("1", hours(100));
  Incomplete("2");
  EXPECT_THAT(Fates(), ElementsAre(Fate::kNoPartition, Fate::kNoPartition));
}

TEST_F(CleanPlanTest, WhatAnyPartitionReadsStays) {
  Complete("1", hours(100));
  Complete("2", hours(100));
  Complete("3", hours(100));
  Complete("4", std::nullopt);
  Current("4");
  facts_.referenced.insert("day=1/run=1/deeper");
  facts_.runs[1].foreign.push_back("day=1/run=2/x/y");
  EXPECT_THAT(Fates(), ElementsAre(Fate::kCurrent, Fate::kForeign, Fate::kPrevious, Fate::kCurrent));
  facts_.current = "day=1";  // somebody pointed back to the folder: it reads all runs in it
  EXPECT_THAT(Fates(), ElementsAre(Fate::kCurrent, Fate::kCurrent, Fate::kCurrent, Fate::kCurrent));
}

}  // namespace
}  // namespace tidegate::publish
