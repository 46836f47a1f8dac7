#include "tidegate/status/reject_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"

namespace tidegate::status {
namespace {

using ingest::Hour;
using testing::ElementsAre;
using testing::IsEmpty;

class RejectFilesTest : public testing::Test {
 protected:
  RejectFilesTest() { bucket_.SwitchToV2(); }
  std::vector<std::string> Keys(const std::optional<std::string>& table = std::nullopt) {
    const auto found = FindRejectFiles(lake_.store(), table);
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    std::vector<std::string> out;
    if (!found.ok()) return out;
    for (const RejectFiles& files : *found) out.insert(out.end(), files.keys.begin(), files.keys.end());
    return out;
  }
  void Ingest() { ingest::IngestWell(bucket_.store(), lake_.store()); }

  ingest::TestBucket bucket_;
  ingest::TestLake lake_;
};

TEST_F(RejectFilesTest, AreThoseOfFoldersThatTheTableHolds) {  // C-23, A-12
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1], [null, "x", 1]])");
  bucket_.Deliver(Hour("orders", "04"), R"([[2, "b", 1]])");
  bucket_.Deliver(Hour("orders", "05"), R"([[null, "y", 1]])");
  bucket_.Deliver(Hour("log", "03"), R"([[null, "z", 1]])");
  Ingest();
  EXPECT_THAT(Keys(), ElementsAre("shop/orders/rejects/v2/2026-11-03/03.parquet",
                                  "shop/orders/rejects/v2/2026-11-03/05.parquet"));
  EXPECT_THAT(Keys("shop.log"), IsEmpty());
  bucket_.Put(
      "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=05/manifest.json",
      R"({"tables_delivered": [{"schema": "shop", "table": "orders", "mode": "incremental_append", "reseed": true}]})");
  Ingest();
  EXPECT_THAT(Keys(), ElementsAre("shop/orders/rejects/v2/2026-11-03/05.parquet"));
}

TEST_F(RejectFilesTest, OfATableThatIsNotThereAreAnError) {
  EXPECT_EQ(FindRejectFiles(lake_.store(), "shop.none").status().code(), Code::kNotFound);
  EXPECT_THAT(Keys(), IsEmpty());
}

}  // namespace
}  // namespace tidegate::status
