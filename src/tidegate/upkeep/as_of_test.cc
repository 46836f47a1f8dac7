#include "tidegate/upkeep/as_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/checkpoint.h"

namespace tidegate::upkeep {
namespace {

using contract::Delivery;
using ::testing::HasSubstr;

Delivery DeliveryOf(const std::string& text) { return *contract::ParseDelivery(text); }

/// A history of commits, oldest first, ids from 1: what each holds, or "" for a commit of another tool.
table::TableMetadata History(const std::vector<std::string>& applied) {
  table::TableMetadata out;
  for (const std::string& text : applied) {
    table::Snapshot snapshot;
    snapshot.snapshot_id = static_cast<int64_t>(out.snapshots.size()) + 1;
    if (out.current_snapshot_id) snapshot.parent_id = *out.current_snapshot_id;
    ingest::Checkpoint checkpoint;
    checkpoint.applied = *ingest::DeliverySet::Parse(text == "-" ? "" : text);
    if (!text.empty()) snapshot.summary = ingest::ToSummary(checkpoint);
    out.current_snapshot_id = snapshot.snapshot_id;
    out.snapshots.push_back(snapshot);
  }
  return out;
}

std::optional<int64_t> At(const table::TableMetadata& metadata, const std::string& delivery) {
  const auto found = SnapshotAsOf(metadata, DeliveryOf(delivery));
  EXPECT_TRUE(found.ok()) << found.status().ToString();
  return found.ok() ? *found : std::nullopt;
}

TEST(TypedDelivery, IsReadInEachFormThatPeopleType) {
  EXPECT_EQ(*ParseTypedDelivery("2026-11-03T05"), DeliveryOf("v2/2026-11-03/05"));
  EXPECT_EQ(*ParseTypedDelivery("v2/2026-11-03/05"), DeliveryOf("v2/2026-11-03/05"));
  EXPECT_EQ(*ParseTypedDelivery("2026-11-02"), DeliveryOf("v1/2026-11-02"));
  EXPECT_EQ(*ParseTypedDelivery("v1/2026-11-02"), DeliveryOf("v1/2026-11-02"));
  EXPECT_EQ(*ParseTypedDelivery("v1/__initial__"), DeliveryOf("v1/__initial__"));
}

TEST(TypedDelivery, ThatCannotBeIsRefused) {
  for (const char* text : {"", "2026-11-03T5", "2026-11-03T24", "2026-02-30", "2026-11-03 05", "2026-11-03T05:00",
                           "now", "v1/2026-11-03/05", "v2/2026-11-03", "T05", "2026-11-03T"}) {
    EXPECT_EQ(ParseTypedDelivery(text).status().code(), Code::kInvalidArgument) << text;
  }
}

TEST(SnapshotAsOf, IsTheNewestThatHoldsNothingLater) {
  const auto history = History({"v1/2026-11-02", "v1/2026-11-02 v2/2026-11-03/03", "v1/2026-11-02 v2/2026-11-03/05"});
  EXPECT_EQ(At(history, "v1/2026-11-02"), 1);
  EXPECT_EQ(At(history, "v1/2026-12-31"), 1);  // C-20: all of v1 before all of v2
  EXPECT_EQ(At(history, "v2/2026-11-03/03"), 2);
  EXPECT_EQ(At(history, "v2/2026-11-03/04"), 2);
  EXPECT_EQ(At(history, "v2/2026-11-03/05"), 3);
  EXPECT_EQ(At(history, "v2/2027-01-01/00"), 3);
}

TEST(SnapshotAsOf, ALateFolderShowsInTheStateThatHoldsIt) {  // C-21
  const auto history =
      History({"v2/2026-11-03/03", "v2/2026-11-03/03 v2/2026-11-03/05", "v2/2026-11-03/03..v2/2026-11-03/05"});
  EXPECT_EQ(At(history, "v2/2026-11-03/04"), 1);
  EXPECT_EQ(At(history, "v2/2026-11-03/05"), 3);
}

TEST(SnapshotAsOf, ACommitOfAnotherToolBelongsToTheStateBelowIt) {
  const auto history = History({"v2/2026-11-03/03", "", "", "v2/2026-11-03/04", ""});
  EXPECT_EQ(At(history, "v2/2026-11-03/03"), 3);
  EXPECT_EQ(At(history, "v2/2026-11-03/04"), 5);
}

TEST(SnapshotAsOf, BeforeItsFirstDeliveryATableIsNotThere) {
  EXPECT_EQ(At(History({"v2/2026-11-03/03"}), "v2/2026-11-03/02"), std::nullopt);
  EXPECT_EQ(At(History({}), "v2/2026-11-03/02"), std::nullopt);
}

TEST(SnapshotAsOf, ATableThatHoldsNothingYetIsThereAtAnyDelivery) {
  EXPECT_EQ(At(History({"-", "v2/2026-11-03/03"}), "v2/2026-11-03/02"), 1);
}

TEST(SnapshotAsOf, AnExpiredStateIsSaidAndTheOldestThatIsLeftIsNamed) {
  auto history =
      History({"v2/2026-11-03/03", "v2/2026-11-03/03..v2/2026-11-03/04", "v2/2026-11-03/03..v2/2026-11-03/05"});
  history.snapshots.erase(history.snapshots.begin());
  const auto found = SnapshotAsOf(history, DeliveryOf("v2/2026-11-03/03"));
  EXPECT_EQ(found.status().code(), Code::kNotFound);
  EXPECT_THAT(found.status().message(), testing::AllOf(HasSubstr("as of v2/2026-11-03/03 was expired"),
                                                       HasSubstr("there is as of v2/2026-11-03/04")));
  EXPECT_EQ(At(history, "v2/2026-11-03/04"), 2);
}

TEST(SnapshotAsOf, WhatARollbackTookBackIsNotHistory) {
  auto history = History({"v2/2026-11-03/03", "v2/2026-11-03/03..v2/2026-11-03/04"});
  history.current_snapshot_id = 1;
  EXPECT_EQ(At(history, "v2/2026-11-03/04"), 1);
}

TEST(SnapshotAsOf, ParentsInACircleComeToAnEnd) {
  auto history = History({"v2/2026-11-03/03", "v2/2026-11-03/04"});
  history.snapshots[0].parent_id = 2;
  EXPECT_EQ(SnapshotAsOf(history, DeliveryOf("v2/2026-11-03/02")).status().code(), Code::kNotFound);
}

TEST(SnapshotAsOf, ACheckpointThatCannotBeReadIsAnError) {
  auto history = History({"v2/2026-11-03/03"});
  history.snapshots[0].summary["tidegate.applied"] = "v2/2026-11-03/99";
  EXPECT_EQ(SnapshotAsOf(history, DeliveryOf("v2/2026-11-03/03")).status().code(), Code::kCorruption);
}

}  // namespace
}  // namespace tidegate::upkeep
