#include "tidegate/thaw/cold_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"

namespace tidegate::thaw {
namespace {

using ingest::Copy;
using ingest::Hour;
using store::ArchiveState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string FileOf(const std::string& folder) { return folder + "/0000_part_00.parquet"; }

class ColdObjectsTest : public ::testing::Test {
 protected:
  ColdObjectsTest() {
    bucket_.SwitchToV2();
    options_.catalog = ingest::TestCatalog();
    options_.now = *ParseRfc3339("2026-11-03T12:00:00Z");
  }
  void Deliver(const std::string& folder, ArchiveState state) {
    bucket_.Deliver(folder, R"([[1, "a", 1]])");
    bucket_.store().SetArchive(FileOf(folder), state == ArchiveState::kReadable ? "" : "GLACIER", state);
  }
  void DeliverFrozen(const std::string& folder) { Deliver(folder, ArchiveState::kFrozen); }
  std::vector<std::string> Found(store::ObjectStore* lake) {
    const auto cold = FindCold(bucket_.store(), lake, options_);
    EXPECT_TRUE(cold.ok()) << cold.status().ToString();
    std::vector<std::string> out;
    if (!cold.ok()) return out;
    for (const ColdObject& object : *cold) out.push_back(object.object.key);
    return out;
  }
  std::vector<std::string> FoundForLake() { return Found(&lake_.store()); }

  ingest::TestBucket bucket_;
  ingest::TestLake lake_;
  FindOptions options_;
};

TEST_F(ColdObjectsTest, WithoutALakeAllOfSealedFoldersInTheRange) {
  for (const char* hour : {"03", "04", "05"}) DeliverFrozen(Hour("orders", hour));
  DeliverFrozen(Copy("customers", "04"));
  DeliverFrozen(Hour("log", "04"));
  bucket_.Unseal(Hour("log", "04"));
  EXPECT_THAT(Found(nullptr), ElementsAre(FileOf(Copy("customers", "04")), FileOf(Hour("orders", "03")),
                                          FileOf(Hour("orders", "04")), FileOf(Hour("orders", "05"))));
  options_.since = options_.until = ingest::DeliveryOf("v2/2026-11-03/04");
  options_.table_globs = {"shop.o*"};
  EXPECT_THAT(Found(nullptr), ElementsAre(FileOf(Hour("orders", "04"))));
}

TEST_F(ColdObjectsTest, WithALakeWhatTheNextIngestNeeds) {
  DeliverFrozen(Copy("customers", "03"));
  DeliverFrozen(Copy("customers", "04"));  // the newest copy is enough
  Deliver(Hour("orders", "03"), ArchiveState::kReadable);
  ingest::IngestWell(bucket_.store(), lake_.store());
  bucket_.store().SetArchive(FileOf(Hour("orders", "03")), "GLACIER", ArchiveState::kFrozen);  // is applied
  DeliverFrozen(Hour("orders", "04"));
  EXPECT_THAT(FoundForLake(), ElementsAre(FileOf(Copy("customers", "04")), FileOf(Hour("orders", "04"))));
}

TEST_F(ColdObjectsTest, StatesAreThoseOfNowAlsoWhereListingsDoNotTell) {
  bucket_.store().HideRestoresInListings();
  Deliver(Hour("orders", "03"), ArchiveState::kThawed);
  Deliver(Hour("orders", "04"), ArchiveState::kThawing);
  const auto cold = FindCold(bucket_.store(), nullptr, options_);
  ASSERT_TRUE(cold.ok());
  const RestorePlan plan = PlanRestore(*cold, Tier::kBulk, 7);
  EXPECT_THAT(plan.ask, IsEmpty());
  EXPECT_EQ(plan.tables[0].thawed, 1);
  EXPECT_EQ(plan.tables[0].thawing, 1);
}

TEST_F(ColdObjectsTest, ManifestsAreThereOnRequest) {
  const std::string key = "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json";
  bucket_.store().SetArchive(key, "GLACIER", ArchiveState::kFrozen);
  EXPECT_THAT(Found(nullptr), IsEmpty());
  options_.manifests = true;
  EXPECT_THAT(Found(nullptr), ElementsAre(key));
  EXPECT_THAT(FoundForLake(), ElementsAre(key));
}

TEST_F(ColdObjectsTest, AStopIsHeard) {
  DeliverFrozen(Hour("orders", "03"));
  CancelFlag cancel;
  cancel.Cancel();
  options_.cancel = &cancel;
  EXPECT_EQ(FindCold(bucket_.store(), nullptr, options_).status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace tidegate::thaw
