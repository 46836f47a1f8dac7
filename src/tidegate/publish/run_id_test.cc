#include "tidegate/publish/run_id.h"

#include <gtest/gtest.h>

namespace tidegate::publish {
namespace {

UtcTime At(const char* text) { return *ParseRfc3339(text); }

TEST(RunIdTest, SortsByTime) {  // C-50
  const RunId id = NewRunId(At("2026-11-02T14:05:01.7Z"), 0x1a2b3c, std::nullopt);
  EXPECT_EQ(id, "20261102T140501Z-1a2b3c");
  EXPECT_TRUE(IsRunId(id));
  EXPECT_EQ(TimeOfRun(id), At("2026-11-02T14:05:01Z"));
  EXPECT_LT(id, NewRunId(At("2026-11-02T14:05:02Z"), 0, id));
}

TEST(RunIdTest, IsBumpedAboveTheNewest) {  // C-50
  const RunId newest = "20261102T140501Z-ffffff";
  EXPECT_EQ(NewRunId(At("2026-11-02T14:05:01Z"), 7, newest), "20261102T140502Z-000007");
  EXPECT_EQ(NewRunId(At("2020-01-01T00:00:00Z"), 7, newest), "20261102T140502Z-000007");  // a clock that went back
  EXPECT_EQ(NewRunId(At("2026-11-02T14:05:01Z"), 0xffffff, "20261102T140501Z-000000"), "20261102T140501Z-ffffff");
}

TEST(RunIdTest, KnowsItsShape) {
  for (const char* wrong : {"", "20261102T140501Z-1A2B3C", "20261102T140501Z-1a2b3", "20261302T140501Z-1a2b3c",
                            "20261102t140501Z-1a2b3c", "20261102T140501Z-1a2b3c/", "2026-102T140501Z-1a2b3c"}) {
    EXPECT_FALSE(IsRunId(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tidegate::publish
