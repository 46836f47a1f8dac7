#include "tidegate/publish/layout.h"

#include <gtest/gtest.h>

namespace tidegate::publish {
namespace {

TEST(LayoutTest, NamesTheFolders) {  // C-50
  const RunId id = "20261102T140501Z-1a2b3c";
  EXPECT_EQ(RunFolder("day=1/region=a%2Fb", id, false), "day=1/region=a%2Fb/run=20261102T140501Z-1a2b3c");
  EXPECT_EQ(RunFolder("day=1", id, true), "_tidegate_runs/day=1/run=20261102T140501Z-1a2b3c");
  EXPECT_EQ(LeaseKey("day=1"), "day=1/_tidegate_lease.json");
}

TEST(LayoutTest, ALocationCoversWhatLiesBelowIt) {
  EXPECT_TRUE(Covers("day=1", "day=1/run=x"));
  EXPECT_TRUE(Covers("day=1", "day=1"));
  EXPECT_TRUE(Covers("", "day=1/run=x"));
  EXPECT_FALSE(Covers("day=1", "day=10/run=x"));
  EXPECT_FALSE(Covers("day=1/run=x", "day=1"));
}

}  // namespace
}  // namespace tidegate::publish
