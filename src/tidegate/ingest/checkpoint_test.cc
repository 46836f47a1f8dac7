#include "tidegate/ingest/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tidegate/contract/schedule.h"

namespace tidegate::ingest {
namespace {

using contract::Delivery;
using contract::Version;

Delivery V1(const std::string& date) { return {Version::kV1, date, ""}; }
Delivery V2(const std::string& date, const std::string& hour) { return {Version::kV2, date, hour}; }

TEST(CheckpointTest, ConsecutiveHoursFormOneRangeWhateverTheirOrder) {
  DeliverySet set;
  for (const char* hour : {"22", "20", "23", "21"}) set.Insert(V2("2026-11-03", hour));
  set.Insert(V2("2026-11-04", "00"));
  EXPECT_EQ(set.ToString(), "v2/2026-11-03/20..v2/2026-11-04/00");
}

TEST(CheckpointTest, AHoleIsNotContained) {  // C-21, C-27: progress is a set with gaps, not a mark
  DeliverySet set;
  set.Insert(V2("2026-11-03", "03"));
  set.Insert(V2("2026-11-03", "05"));
  EXPECT_FALSE(set.Contains(V2("2026-11-03", "04")));
  EXPECT_EQ(set.range_count(), 2u);
  set.Insert(V2("2026-11-03", "04"));
  EXPECT_EQ(set.ToString(), "v2/2026-11-03/03..v2/2026-11-03/05");
}

TEST(CheckpointTest, InitialStandsAlone) {
  DeliverySet set;
  set.Insert(V1("2026-11-01"));
  set.Insert(V1("__initial__"));
  EXPECT_EQ(set.ToString(), "v1/__initial__ v1/2026-11-01");
  EXPECT_FALSE(set.Contains(V1("2026-10-31")));
}

TEST(CheckpointTest, VersionsNeverShareARange) {
  DeliverySet set;
  set.Insert(V1("2026-11-02"));
  set.Insert(V2("2026-11-03", "00"));
  EXPECT_EQ(set.range_count(), 2u);
  EXPECT_FALSE(set.Contains(V1("2026-11-03")));
}

TEST(CheckpointTest, BehavesLikeASetOverRandomInsertions) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<Delivery> universe;
    for (Delivery d = V2("2026-02-27", "20"); universe.size() < 60; d = Next(d)) universe.push_back(d);
    for (Delivery d = V1("2026-02-25"); universe.size() < 70; d = Next(d)) universe.push_back(d);
    std::shuffle(universe.begin(), universe.end(), random);
    std::set<Delivery> model;
    DeliverySet set;
    for (size_t i = 0; i < 40; ++i) {
      model.insert(universe[i]);
      set.Insert(universe[i]);
    }
    for (const Delivery& d : universe) EXPECT_EQ(set.Contains(d), model.count(d) == 1) << d.ToString();
    const auto again = DeliverySet::Parse(set.ToString());
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(*again, set);
  }
}

TEST(CheckpointTest, GoesThroughASummaryUnchanged) {
  Checkpoint checkpoint;
  checkpoint.version = Version::kV2;
  checkpoint.mode = contract::TableMode::kParts;
  checkpoint.applied.Insert(V1("__initial__"));
  checkpoint.applied.Insert(V2("2026-11-03", "03"));
  checkpoint.fingerprints[V1("__initial__")] = "0123456789abcdef";
  checkpoint.columns_kept = true;
  checkpoint.delivered_through = *ParseRfc3339("2026-11-03T03:00:00Z");
  const auto again = FromSummary(ToSummary(checkpoint));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  ASSERT_TRUE(again->has_value());
  EXPECT_EQ(**again, checkpoint);
}

TEST(CheckpointTest, AForeignCommitHasNone) {
  const auto none = FromSummary({{"operation", "replace"}});
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST(CheckpointTest, ANewerFormatIsRefusedAndABrokenOneIsAnError) {
  EXPECT_EQ(FromSummary({{"tidegate.checkpoint", "2"}}).status().code(), Code::kUnsupported);
  EXPECT_EQ(FromSummary({{"tidegate.checkpoint", "1"}, {"tidegate.applied", "v1/2026-13-01"}}).status().code(),
            Code::kCorruption);
  EXPECT_EQ(
      FromSummary({{"tidegate.checkpoint", "1"}, {"tidegate.applied", "v1/2026-11-02..v1/2026-11-01"}}).status().code(),
      Code::kCorruption);
}

TEST(CheckpointTest, TrimmingKeepsV1AndTheNewestHours) {
  Checkpoint checkpoint;
  checkpoint.fingerprints[V1("2026-11-01")] = "a";
  for (const char* hour : {"01", "02", "03"}) checkpoint.fingerprints[V2("2026-11-03", hour)] = hour;
  TrimFingerprints(checkpoint, 2, true);
  EXPECT_EQ(checkpoint.fingerprints.size(), 3u);
  EXPECT_EQ(checkpoint.fingerprints.count(V1("2026-11-01")), 1u);
  EXPECT_EQ(checkpoint.fingerprints.count(V2("2026-11-03", "01")), 0u);
}

}  // namespace
}  // namespace tidegate::ingest
