#include "tidegate/table/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/table/test_table.h"

namespace tidegate::table {
namespace {

using testing::Contains;
using testing::Not;

class ReferencesTest : public testing::Test {
 protected:
  void SetUp() override {
    LakeTable table = NewTestTable(lake_);
    ASSERT_TRUE(table.Commit(Adding({TestFile("a"), TestFile("b")}), kTestNow).ok());
    ASSERT_TRUE(table.Commit(Adding({TestDeletes("d", "a")}), kTestNow).ok());
    Change change = Removing({"b"});
    change.add = {TestFile("c")};
    ASSERT_TRUE(table.Commit(change, kTestNow).ok());
    table_ = *LakeTable::Load(lake_, "shop/orders");
  }
  static std::string Data(const std::string& name) { return "shop/orders/data/" + name; }
  std::set<std::string> Of(size_t snapshot) {
    std::set<std::string> keys;
    References references(lake_, "shop/orders", table_->metadata());
    const Status added = references.Add(table_->metadata().snapshots[snapshot], keys);
    EXPECT_TRUE(added.ok()) << added.ToString();
    return keys;
  }

  store::MemoryObjectStore lake_;
  std::optional<LakeTable> table_;
};

TEST_F(ReferencesTest, ASnapshotNeedsItsListItsManifestsAndItsLiveFiles) {
  const std::set<std::string> first = Of(0);
  EXPECT_EQ(first.size(), 4u);  // list, manifest, a, b
  EXPECT_THAT(first, Contains(Data("a")));
  EXPECT_THAT(first, Contains(Data("b")));
  for (const std::string& key : first) {
    const bool written = key.find("/metadata/") != std::string::npos;
    EXPECT_EQ(lake_.Head(key).ok(), written) << key;
  }
  const std::set<std::string> last = Of(2);
  for (const char* name : {"a", "c", "d"}) EXPECT_THAT(last, Contains(Data(name)));
  EXPECT_THAT(last, Not(Contains(Data("b"))));  // a DELETED entry still names it
}

TEST_F(ReferencesTest, StatisticsGoWithTheirSnapshot) {
  const auto& snapshots = table_->metadata().snapshots;
  TableMetadata metadata = table_->metadata();
  metadata.loaded["statistics"] = Json::array(
      {{{"snapshot-id", snapshots[0].snapshot_id}, {"statistics-path", "memory:/shop/orders/metadata/s.stats"}}});
  References references(lake_, "shop/orders", metadata);
  std::set<std::string> first, last;
  ASSERT_TRUE(references.Add(snapshots[2], last).ok());
  ASSERT_TRUE(references.Add(snapshots[0], first).ok());
  EXPECT_THAT(first, Contains("shop/orders/metadata/s.stats"));
  EXPECT_THAT(last, Not(Contains("shop/orders/metadata/s.stats")));
}

TEST_F(ReferencesTest, WhatCannotBeToldIsAnError) {
  TableMetadata metadata = table_->metadata();
  References references(lake_, "shop/orders", metadata);
  std::set<std::string> keys;
  Snapshot elsewhere = metadata.snapshots[0];
  elsewhere.manifest_list = "s3://another/lake/list.avro";
  EXPECT_EQ(references.Add(elsewhere, keys).code(), Code::kUnsupported);
  ASSERT_TRUE(lake_.Delete({*KeyOf(lake_, metadata.snapshots[2].manifest_list)}).ok());
  EXPECT_EQ(references.Add(metadata.snapshots[2], keys).code(), Code::kNotFound);
}

}  // namespace
}  // namespace tidegate::table
