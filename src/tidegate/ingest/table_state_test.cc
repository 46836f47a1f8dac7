#include "tidegate/ingest/table_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/schema_fit.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::ingest {
namespace {

using contract::TableMode;
using ::testing::HasSubstr;

const contract::TableName kOrders{"shop", "orders"};

table::Snapshot MakeSnapshot(int64_t id, std::optional<int64_t> parent, table::Summary summary) {
  table::Snapshot out;
  out.snapshot_id = id;
  out.parent_id = parent;
  out.summary = std::move(summary);
  return out;
}

Checkpoint Applied(const std::string& hour) {
  Checkpoint out;
  out.version = contract::Version::kV2;
  out.mode = TableMode::kParts;
  out.applied.Insert({contract::Version::kV2, "2026-11-03", hour});
  return out;
}

/// A table of one commit that holds a checkpoint, or none.
void CommitOnce(store::ObjectStore& lake, const table::Summary& summary) {
  auto table = table::LakeTable::New(lake, table::FolderOf(kOrders), InitialSchema(TableMode::kParts), {}, {});
  table::Change change;
  change.summary = summary;
  const Status status = table.Commit(change, *ParseRfc3339("2026-11-03T04:00:00Z"));
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST(TableStateTest, ATableThatDoesNotExistIsAnEmptyState) {
  store::MemoryObjectStore lake;
  const auto state = LoadTableState(lake, kOrders);
  ASSERT_TRUE(state.ok()) << state.status().ToString();
  EXPECT_FALSE(state->table);
  EXPECT_FALSE(state->checkpoint);
}

TEST(TableStateTest, ProgressIsReadFromTheCommitThatAddedTheRows) {  // C-27
  store::MemoryObjectStore lake;
  CommitOnce(lake, ToSummary(Applied("03")));
  const auto state = LoadTableState(lake, kOrders);
  ASSERT_TRUE(state.ok()) << state.status().ToString();
  EXPECT_TRUE(state->table);
  EXPECT_EQ(state->checkpoint, Applied("03"));
}

TEST(TableStateTest, ARollbackTakesProgressBackWithTheData) {
  table::TableMetadata metadata;
  metadata.snapshots = {MakeSnapshot(1, std::nullopt, ToSummary(Applied("03"))),
                        MakeSnapshot(2, 1, ToSummary(Applied("04")))};
  metadata.current_snapshot_id = 2;
  EXPECT_EQ(*CheckpointOf(metadata), Applied("04"));
  metadata.current_snapshot_id = 1;
  EXPECT_EQ(*CheckpointOf(metadata), Applied("03"));
}

TEST(TableStateTest, AForeignCompactionOnTopKeepsProgress) {
  table::TableMetadata metadata;
  metadata.snapshots = {MakeSnapshot(1, std::nullopt, ToSummary(Applied("03"))),
                        MakeSnapshot(2, 1, {{"operation", "replace"}}), MakeSnapshot(3, 2, {{"operation", "replace"}})};
  metadata.current_snapshot_id = 3;
  EXPECT_EQ(*CheckpointOf(metadata), Applied("03"));
}

TEST(TableStateTest, DataThatNoCommitOfOursExplainsIsAnErrorNotAnEmptyTable) {  // C-27
  store::MemoryObjectStore lake;
  CommitOnce(lake, {{"operation", "append"}});
  EXPECT_EQ(LoadTableState(lake, kOrders).status().code(), Code::kCorruption);
  table::TableMetadata metadata;  // the ancestor that had it was expired
  metadata.snapshots = {MakeSnapshot(2, 1, {{"operation", "replace"}})};
  metadata.current_snapshot_id = 2;
  EXPECT_EQ(CheckpointOf(metadata).status().code(), Code::kCorruption);
}

TEST(TableStateTest, ParentsInACircleAreAnErrorNotAnEndlessSearch) {
  table::TableMetadata metadata;
  metadata.snapshots = {MakeSnapshot(1, 2, {{"operation", "append"}}), MakeSnapshot(2, 1, {{"operation", "append"}})};
  metadata.current_snapshot_id = 2;
  EXPECT_EQ(CheckpointOf(metadata).status().code(), Code::kCorruption);
}

TEST(TableStateTest, ATableThatLostItsCurrentSnapshotHasNoProgress) {
  table::TableMetadata metadata;
  metadata.snapshots = {MakeSnapshot(1, std::nullopt, ToSummary(Applied("03")))};
  const auto checkpoint = CheckpointOf(metadata);
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_FALSE(*checkpoint);
}

TEST(TableStateTest, ACheckpointOfANewerToolIsRefusedNotGuessed) {
  store::MemoryObjectStore lake;
  table::Summary summary = ToSummary(Applied("03"));
  summary["tidegate.checkpoint"] = "999";
  CommitOnce(lake, summary);
  EXPECT_EQ(LoadTableState(lake, kOrders).status().code(), Code::kUnsupported);
}

TEST(TableStateTest, MetadataThatIsBrokenIsAnErrorNotAMissingTable) {
  store::MemoryObjectStore lake;
  ASSERT_TRUE(lake.Put("shop/orders/metadata/v1.metadata.json", "{", store::PutMode::kOverwrite).ok());
  EXPECT_EQ(LoadTableState(lake, kOrders).status().code(), Code::kCorruption);
}

}  // namespace
}  // namespace tidegate::ingest
