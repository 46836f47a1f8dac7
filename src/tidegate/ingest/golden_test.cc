// Lakes and buckets that earlier versions of tidegate wrote, kept as they were: every later version reads them, and
// goes on with them. tests/golden/README.md says how one is added.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tidegate/base/json.h"
#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/open_points.h"
#include "tidegate/ingest/settlement.h"

namespace tidegate::ingest {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return out.str();
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// One object a file, and "objects.txt": the number of each, which is its ETag, in the order they were put.
void Save(store::MemoryObjectStore& store, const fs::path& folder) {
  std::map<int, std::string> order;
  for (const store::ObjectInfo& object : ObjectsIn(store)) {
    order[std::stoi(object.etag.substr(1))] = object.key;
    WriteFile(folder / "objects" / object.key, *store.Read(object.key, 10'000'000));
  }
  std::string list;
  for (const auto& [number, key] : order) list += std::to_string(number) + " " + key + "\n";
  WriteFile(folder / "objects.txt", list);
}

void Load(const fs::path& folder, store::MemoryObjectStore& store) {
  std::istringstream list(ReadFile(folder / "objects.txt"));
  int number = 0;
  int last = 0;
  for (std::string key; list >> number >> key; ++last) {
    for (; last + 1 < number; ++last) ASSERT_TRUE(store.Put("passed-over", "", store::PutMode::kOverwrite).ok());
    const auto put = store.Put(key, ReadFile(folder / "objects" / key), store::PutMode::kOverwrite);
    ASSERT_TRUE(put.ok()) << put.status().ToString();
    ASSERT_EQ(put->etag, "g" + std::to_string(number));
  }
  ASSERT_TRUE(store.Delete({"passed-over"}).ok());
}

Json RowsOf(const TestLake& lake) {
  Json out;
  out["orders"] = lake.Table("orders", {"id", "value", "at"});
  out["customers"] = lake.Table("customers");
  out["log"] = lake.Deliveries("log");
  return out;
}

/// What this version writes: both contract versions, deletes, an added column, a reseed, rejects, a gap, a skipped
/// folder.
void MakeHistory(TestBucket& bucket, TestLake& lake) {
  const auto ingest = [&] { ASSERT_TRUE(RunIngest(bucket.store(), lake.store(), TestOptions()).ok()); };
  const auto broken = [&](const std::string& folder) {
    bucket.Put(folder + "/0000_part_00.parquet", "no Parquet");
    bucket.Seal(folder);
  };
  bucket.Deliver(Initial("orders"), R"([[1, "a", 1], [2, "a", 1], [3, "a", 1], [null, "nobody", 1]])");
  bucket.Deliver(Day("orders", "2026-11-02"), R"([[1, "b", 2]])");
  bucket.Deliver(Initial("log"), R"([[1, "a", 1], [1, "a", 1]])");
  bucket.Deliver("v1/shop/customers/snapshot_date=2026-11-02", R"([[1, "a", 1], [2, "b", 1]])");
  ingest();
  bucket.SwitchToV2();
  bucket.Deliver(Hour("orders", "03"), R"([[2, "c", 3], [2, "d", 4], [4, "d", 3]])");
  bucket.Deliver(Hour("log", "03"), R"([[2, "b", 2]])");
  bucket.Deliver(Copy("customers", "03"), R"([[1, "A", 1], [2, "B", 1], [3, "C", 1]])");
  ingest();
  bucket.Put(Hour("orders", "04") + "/0000_part_00.parquet",
             parquet::MakeRows(
                 {{"id", arrow::int64()}, {"value", arrow::utf8()}, {"at", arrow::int64()}, {"more", arrow::float32()}},
                 R"([[5, "e", 5, 1.5]])"));
  bucket.Seal(Hour("orders", "04"));
  bucket.Put("v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=05/manifest.json",
             R"({"tables_delivered": [{"schema": "shop", "table": "log", "mode": "incremental_append", "reseed": true,
                 "delivered_through": "2026-11-03T05:00:00Z"}]})");
  bucket.Deliver(Hour("log", "05"), R"([[7, "new", 1], [8, "new", 1]])");
  ingest();
  broken(Hour("orders", "05"));
  broken(Hour("orders", "06"));
  const auto skip = Decide(bucket.store(), lake.store(), *contract::ParseFolder(Hour("orders", "06")), Verdict::kSkip,
                           "no use", TestOptions().clock->Now());
  ASSERT_TRUE(skip.ok() && Settle(lake.store(), *skip).ok());
  bucket.Deliver(Hour("orders", "07"), R"([[3, "f", 7]])");
  ingest();
}

class GoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path folder = fs::path(TIDEGATE_GOLDEN) / GetParam();
    Load(folder / "bucket", bucket_.store());
    Load(folder / "lake", lake_.store());
    expected_ = *ParseJson(ReadFile(folder / "rows.json"));
  }
  TestBucket bucket_;
  TestLake lake_;
  Json expected_;
};

TEST_P(GoldenTest, ItsLakeIsReadAndNothingIsAppliedTwice) {
  EXPECT_EQ(RowsOf(lake_), expected_);
  const auto report = RunIngest(bucket_.store(), lake_.store(), TestOptions());
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_FALSE(report->applied_anything());
  EXPECT_EQ(report->problems.size(), 1u) << ProblemsOf(*report);  // the gap that it knew
  EXPECT_EQ(RowsOf(lake_), expected_);
}

TEST_P(GoldenTest, ItsLakeGoesOn) {
  bucket_.Deliver(Hour("orders", "08"), R"([[1, "next", 8]])");
  ASSERT_TRUE(RunIngest(bucket_.store(), lake_.store(), TestOptions()).ok());
  Json expected = expected_["orders"];
  expected[0] = "1|next|8";
  EXPECT_EQ(RowsOf(lake_)["orders"], expected);
}

TEST_P(GoldenTest, ItsBucketMakesTheSameTablesAnew) {
  TestLake fresh;
  IngestOptions options = TestOptions();
  const auto skip = LoadSettlements(lake_.store(), {"shop", "orders"});
  ASSERT_TRUE(skip.ok()) << skip.status().ToString();
  for (const auto& [delivery, word] : *skip) ASSERT_TRUE(Settle(fresh.store(), word).ok());
  ASSERT_TRUE(RunIngest(bucket_.store(), fresh.store(), options).ok());
  EXPECT_EQ(RowsOf(fresh), expected_);
}

TEST_P(GoldenTest, WhatIsOpenIsReadToo) {
  const auto points = LoadOpenPoints(lake_.store(), {"shop", "orders"});
  ASSERT_TRUE(points.ok()) << points.status().ToString();
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ(points->front().folder.Path(), Hour("orders", "05"));
}

std::vector<std::string> Versions() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(TIDEGATE_GOLDEN)) {
    if (entry.is_directory()) out.push_back(entry.path().filename());
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Of, GoldenTest, ::testing::ValuesIn(Versions()));

TEST(GoldenFileTest, OneIsMade) {
  const char* out = std::getenv("TIDEGATE_WRITE_GOLDEN");
  TestBucket bucket;
  TestLake lake;
  MakeHistory(bucket, lake);
  const Json rows = RowsOf(lake);
  EXPECT_EQ(rows["orders"], Json({"1|b|2", "2|d|4", "3|f|7", "4|d|3", "5|e|5"}));
  EXPECT_EQ(rows["log"], Json({"v2/2026-11-03/05|7", "v2/2026-11-03/05|8"}));
  if (out == nullptr) return;
  Save(bucket.store(), fs::path(out) / "bucket");
  Save(lake.store(), fs::path(out) / "lake");
  WriteFile(fs::path(out) / "rows.json", rows.dump(1) + "\n");
}

}  // namespace
}  // namespace tidegate::ingest
