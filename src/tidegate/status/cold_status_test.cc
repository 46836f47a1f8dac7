#include "tidegate/status/cold_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::status {
namespace {

using std::chrono::days;
using store::ArchiveState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const UtcTime kNow = *ParseRfc3339("2026-11-03T12:00:00Z");

bucket::FolderState Folder(const std::string& hour, days age, ArchiveState state, bool sealed = true) {
  bucket::FolderState out;
  out.folder = *contract::ParseFolder("v2/shop/orders/etl_date=2026-11-03/etl_hour=" + hour);
  if (sealed) out.seal = store::ObjectInfo{};
  out.files.push_back({.key = "k" + hour, .size_bytes = 10, .modified = kNow - age, .archive = state});
  return out;
}

bucket::TableFolders Folders(const std::vector<bucket::FolderState>& states) {
  bucket::TableFolders out;
  for (const bucket::FolderState& state : states) out.parts[state.folder.delivery] = state;
  return out;
}

TEST(ColdByAgeTest, CountsWhatCannotBeReadByAge) {
  const auto ages = ColdByAge(
      Folders({Folder("00", days(179), ArchiveState::kFrozen), Folder("01", days(180), ArchiveState::kFrozen),
               Folder("02", days(364), ArchiveState::kThawing), Folder("03", days(800), ArchiveState::kFrozen),
               Folder("04", days(800), ArchiveState::kThawed), Folder("05", days(800), ArchiveState::kFrozen, false)}),
      kNow);
  EXPECT_THAT(ages, ElementsAre(ColdAge{0, 1, 10}, ColdAge{180, 2, 20}, ColdAge{730, 1, 10}));
  EXPECT_THAT(ColdByAge({}, kNow), IsEmpty());
}

TEST(FreezesSoonTest, TellsOfTheThirtyDaysBefore) {
  const std::chrono::milliseconds after = days(180);
  const auto soon = [&](days age, ArchiveState state = ArchiveState::kReadable) {
    return WhatFreezesSoon({Folder("00", age, state)}, kNow, after);
  };
  EXPECT_FALSE(soon(days(149)));
  ASSERT_TRUE(soon(days(150)));
  EXPECT_EQ(soon(days(150))->objects, 1);
  EXPECT_EQ(soon(days(150))->first, kNow + days(30));
  EXPECT_TRUE(soon(days(186)));
  EXPECT_FALSE(soon(days(188)));  // the bucket keeps it out of cold storage
  EXPECT_FALSE(soon(days(170), ArchiveState::kFrozen));
  const auto two = WhatFreezesSoon(
      {Folder("00", days(160), ArchiveState::kReadable), Folder("01", days(170), ArchiveState::kReadable)}, kNow,
      after);
  EXPECT_EQ(two->bytes, 20);
  EXPECT_EQ(two->first, kNow + days(10));
}

}  // namespace
}  // namespace tidegate::status
