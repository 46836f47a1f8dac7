// Reseeds in whole runs: in which orders their parts may turn up, and what happens where one cannot be taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"

namespace tidegate::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReseedRunTest : public ::testing::Test {
 protected:
  ReseedRunTest() { bucket_.SwitchToV2(); }

  void Announce(const std::string& hour, bool reseed) {
    bucket_.Put(
        "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=" + hour + "/manifest.json",
        R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append", "reseed": )" +
            std::string(reseed ? "true" : "false") + "}]}");
  }
  void DeliverBroken(const std::string& folder) {
    bucket_.Put(folder + "/0000_part_00.parquet", "no Parquet");
    bucket_.Seal(folder);
  }
  IngestReport Ingest() {
    auto report = RunIngest(bucket_.store(), lake_.store(), TestOptions());
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *std::move(report) : IngestReport();
  }
  Rows Columns() {
    Rows out;
    const auto table = table::LakeTable::Load(lake_.store(), "shop/orders");
    for (const auto& field : table->metadata().current_schema().fields) out.push_back(field.name);
    return out;
  }

  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(ReseedRunTest, ABrokenReseedWaitsAndTheOneBeforeItIsTaken) {  // C-35, A-9, C-15
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "old", 1], [2, "old", 1]])");
  Announce("03", false);
  Ingest();
  Announce("04", true);
  bucket_.Deliver(Hour("orders", "04"), R"([[1, "first", 2]])");
  Announce("05", false);
  Announce("06", true);
  DeliverBroken(Hour("orders", "06"));
  bucket_.Deliver(Hour("orders", "07"), R"([[3, "second", 3]])");
  const IngestReport report = Ingest();
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].folder, Hour("orders", "06"));
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|first|2"));

  TestLake fresh;
  ASSERT_TRUE(RunIngest(bucket_.store(), fresh.store(), TestOptions()).ok());
  EXPECT_THAT(fresh.Table("orders"), ElementsAre("1|first|2"));

  bucket_.Deliver(Hour("orders", "06"), R"([[1, "second", 3]])");
  EXPECT_THAT(Ingest().problems, IsEmpty());
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|second|3", "3|second|3"));
}

TEST_F(ReseedRunTest, AfterACopyWithoutFilesTheNextBringsItsOwnColumns) {  // C-35, A-13
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "old", 1]])");
  Ingest();
  Announce("04", true);
  bucket_.Seal(Hour("orders", "04"));
  Ingest();
  EXPECT_THAT(lake_.Table("orders"), IsEmpty());
  EXPECT_THAT(Columns(), testing::Contains("value"));
  EXPECT_TRUE(lake_.CheckpointIn("orders").columns_kept);
  bucket_.Put(Hour("orders", "05") + "/0000_part_00.parquet",
              parquet::MakeRows({{"id", arrow::int64()}, {"other", arrow::utf8()}}, R"([[7, "new"]])"));
  bucket_.Seal(Hour("orders", "05"));
  Ingest();
  EXPECT_THAT(Columns(), testing::UnorderedElementsAre("id", "other", "contract_version", "etl_date", "etl_hour"));
  EXPECT_FALSE(lake_.CheckpointIn("orders").columns_kept);
  EXPECT_THAT(lake_.Table("orders", {"id", "other"}), ElementsAre("7|new"));
}

}  // namespace
}  // namespace tidegate::ingest
