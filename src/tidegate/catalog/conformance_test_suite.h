// The conformance suite of HiveCatalog: what every catalog must do. Include it in one test program and instantiate it:
//
//   INSTANTIATE_TEST_SUITE_P(Glue, CatalogConformanceTest, testing::Values(CatalogCase{.name = "glue", .make = …}),
//                            CatalogCaseName);
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "tidegate/catalog/hive_catalog.h"

namespace tidegate::catalog {

/// Opens one more connection to a catalog of its own, which was empty at the first.
using OpenCatalog = std::function<std::unique_ptr<HiveCatalog>()>;

struct CatalogCase {
  std::string name;
  std::function<OpenCatalog()> make;
  std::vector<std::string> refused_values = {};  // partition values that this catalog cannot hold
  bool locations_alone = false;                  // columns of a partition, and parameters, are not written
  int many = 450;                                // partitions
};

inline std::ostream& operator<<(std::ostream& out, const CatalogCase& one) { return out << one.name; }

inline std::string CatalogCaseName(const testing::TestParamInfo<CatalogCase>& info) { return info.param.name; }

class CatalogConformanceTest : public testing::TestWithParam<CatalogCase> {
 protected:
  void SetUp() override {
    open_ = GetParam().make();
    catalog_ = open_();
    ASSERT_NE(catalog_, nullptr);
    ASSERT_EQ(CodeOf(catalog_->CreateTable(table_)), Code::kOk);
  }

  static Code CodeOf(const Status& status) { return status.code(); }
  template <typename T>
  static Code CodeOf(const Result<T>& result) {
    return result.status().code();
  }

  HivePartition Partition(const PartitionValues& values, const std::string& location) const {
    return {.values = values, .location = location, .columns = table_.columns, .parameters = {{"made.by", "a test"}}};
  }

  Status Add(const HivePartition& partition) { return One(catalog_->AddPartitions(table_.name, {partition})); }
  Status Update(const HivePartition& partition) { return One(catalog_->UpdatePartitions(table_.name, {partition})); }

  static Status One(const Result<std::vector<Status>>& results) {
    if (!results.ok()) return results.status();
    EXPECT_EQ(results->size(), 1U);
    return results->at(0);
  }

  const HiveTable table_ = {.name = {"sales", "daily"},
                            .columns = {{"customer", "string"}, {"amount", "decimal(18,2)"}, {"tags", "array<string>"}},
                            .partition_columns = {{"day", "string"}, {"region", "string"}},
                            .location = "s3://warehouse/sales/daily",
                            .parameters = {{"tidegate.made", "yes"}}};
  OpenCatalog open_;
  std::unique_ptr<HiveCatalog> catalog_;
};

TEST_P(CatalogConformanceTest, ATableIsReadBack) {
  const auto table = catalog_->GetTable(table_.name);
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  EXPECT_EQ(table->kind, TableKind::kExternal);
  EXPECT_EQ(table->format, FileFormat::kParquet);
  EXPECT_EQ(table->columns, table_.columns);
  EXPECT_EQ(table->partition_columns, table_.partition_columns);
  EXPECT_EQ(table->location, table_.location);
  if (!GetParam().locations_alone) {
    EXPECT_EQ(table->parameters.count("tidegate.made"), 1U);
  }
  EXPECT_THAT(*catalog_->ListTables(), testing::Contains(table_.name));
}

TEST_P(CatalogConformanceTest, ATableIsMadeOnceAndGoesWithItsPartitions) {
  EXPECT_EQ(CodeOf(catalog_->CreateTable(table_)), Code::kAlreadyExists);
  ASSERT_TRUE(Add(Partition({"2026-11-01", "eu"}, "s3://warehouse/a")).ok());
  ASSERT_TRUE(catalog_->DropTable(table_.name).ok());
  EXPECT_EQ(CodeOf(catalog_->GetTable(table_.name)), Code::kNotFound);
  EXPECT_EQ(CodeOf(catalog_->DropTable(table_.name)), Code::kNotFound);
  EXPECT_EQ(CodeOf(catalog_->ListPartitions(table_.name)), Code::kNotFound);
  EXPECT_EQ(CodeOf(Add(Partition({"2026-11-01", "eu"}, "s3://warehouse/a"))), Code::kNotFound);
  ASSERT_TRUE(catalog_->CreateTable(table_).ok());
  EXPECT_TRUE(catalog_->ListPartitions(table_.name)->empty());
}

TEST_P(CatalogConformanceTest, APartitionIsReadBackAndMadeOnce) {
  const HivePartition partition = Partition({"2026-11-01", "eu"}, "s3://warehouse/sales/daily/x/run=1");
  ASSERT_TRUE(Add(partition).ok());
  const auto there = catalog_->GetPartition(table_.name, partition.values);
  ASSERT_TRUE(there.ok()) << there.status().ToString();
  EXPECT_EQ(there->values, partition.values);
  EXPECT_EQ(there->location, partition.location);
  EXPECT_EQ(there->columns, partition.columns);
  if (!GetParam().locations_alone) {
    EXPECT_EQ(there->parameters.at("made.by"), "a test");
  }
  EXPECT_NE(there->version, "");
  EXPECT_EQ(CodeOf(Add(Partition({"2026-11-01", "eu"}, "s3://warehouse/other"))), Code::kAlreadyExists);
  EXPECT_EQ(catalog_->GetPartition(table_.name, partition.values)->location, partition.location);
  EXPECT_EQ(CodeOf(catalog_->GetPartition(table_.name, {"2026-11-01", "us"})), Code::kNotFound);
}

TEST_P(CatalogConformanceTest, AnUpdateChangesLocationColumnsAndParametersAtOnce) {  // C-52
  ASSERT_TRUE(Add(Partition({"2026-11-01", "eu"}, "s3://warehouse/run=1")).ok());
  HivePartition change = *catalog_->GetPartition(table_.name, {"2026-11-01", "eu"});
  change.location = "s3://warehouse/run=2";
  change.columns.push_back({"note", "string"});
  change.parameters = {{"tidegate.run", "2"}};
  ASSERT_TRUE(Update(change).ok());
  const auto now = catalog_->GetPartition(table_.name, change.values);
  EXPECT_EQ(now->location, change.location);
  EXPECT_NE(now->version, change.version);
  if (GetParam().locations_alone) return;
  EXPECT_EQ(now->columns, change.columns);
  EXPECT_EQ(now->parameters.at("tidegate.run"), "2");
  EXPECT_EQ(now->parameters.count("made.by"), 0U);
}

TEST_P(CatalogConformanceTest, AnUpdateOfWhatChangedMeanwhileIsRefused) {
  ASSERT_TRUE(Add(Partition({"2026-11-01", "eu"}, "s3://warehouse/run=1")).ok());
  HivePartition mine = *catalog_->GetPartition(table_.name, {"2026-11-01", "eu"});
  HivePartition theirs = mine;
  theirs.location = "s3://warehouse/theirs";
  ASSERT_TRUE(Update(theirs).ok());
  mine.location = "s3://warehouse/mine";
  const Status refused = Update(mine);
  EXPECT_EQ(refused.code(), Code::kPreconditionFailed);
  EXPECT_THAT(refused.message(), testing::HasSubstr("s3://warehouse/theirs"));
  EXPECT_EQ(catalog_->GetPartition(table_.name, mine.values)->location, theirs.location);
}

TEST_P(CatalogConformanceTest, ThereAndBackAgainIsAChangeToo) {
  ASSERT_TRUE(Add(Partition({"2026-11-01", "eu"}, "s3://warehouse/run=1")).ok());
  const HivePartition first = *catalog_->GetPartition(table_.name, {"2026-11-01", "eu"});
  HivePartition change = first;
  change.location = "s3://warehouse/run=2";
  ASSERT_TRUE(Update(change).ok());
  change = *catalog_->GetPartition(table_.name, first.values);
  change.location = first.location;
  ASSERT_TRUE(Update(change).ok());
  if (!catalog_->compares_and_swaps()) return;
  EXPECT_EQ(Update(first).code(), Code::kPreconditionFailed);
}

TEST_P(CatalogConformanceTest, EachOfSeveralHasItsOwnResult) {
  ASSERT_TRUE(Add(Partition({"1", "eu"}, "s3://warehouse/1")).ok());
  const auto added = catalog_->AddPartitions(
      table_.name, {Partition({"0", "eu"}, "s3://warehouse/0"), Partition({"1", "eu"}, "s3://warehouse/other"),
                    Partition({"2", "eu"}, "s3://warehouse/2")});
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  ASSERT_EQ(added->size(), 3U);
  EXPECT_EQ(CodeOf(added->at(0)), Code::kOk);
  EXPECT_EQ(CodeOf(added->at(1)), Code::kAlreadyExists);
  EXPECT_EQ(CodeOf(added->at(2)), Code::kOk);
  HivePartition good = *catalog_->GetPartition(table_.name, {"0", "eu"});
  HivePartition missing = good;
  missing.values = {"9", "eu"};
  HivePartition also = *catalog_->GetPartition(table_.name, {"2", "eu"});
  for (HivePartition* one : {&good, &missing, &also}) one->location += "/new";
  const auto updated = catalog_->UpdatePartitions(table_.name, {good, missing, also});
  ASSERT_TRUE(updated.ok()) << updated.status().ToString();
  EXPECT_EQ(CodeOf(updated->at(0)), Code::kOk);
  EXPECT_EQ(CodeOf(updated->at(1)), Code::kNotFound);
  EXPECT_EQ(CodeOf(updated->at(2)), Code::kOk);
  EXPECT_EQ(catalog_->GetPartition(table_.name, {"2", "eu"})->location, "s3://warehouse/2/new");
}

TEST_P(CatalogConformanceTest, ManyPartitionsAreListedAndUpdated) {
  const int count = GetParam().many;
  std::vector<HivePartition> many;
  many.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i)
    many.push_back(Partition({std::to_string(1000 + i), "eu"}, "s3://w/" + std::to_string(i)));
  const auto added = catalog_->AddPartitions(table_.name, many);
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  for (const Status& one : *added) EXPECT_TRUE(one.ok()) << one.ToString();
  std::vector<HivePartition> listed = *catalog_->ListPartitions(table_.name);
  ASSERT_EQ(listed.size(), many.size());
  EXPECT_EQ(listed.front().values, many.front().values);
  EXPECT_EQ(listed.back().location, many.back().location);
  for (HivePartition& one : listed) one.location += "/new";
  const auto updated = catalog_->UpdatePartitions(table_.name, listed);
  ASSERT_TRUE(updated.ok()) << updated.status().ToString();
  for (const Status& one : *updated) EXPECT_TRUE(one.ok()) << one.ToString();
  EXPECT_EQ(catalog_->ListPartitions(table_.name)->at(100).location, "s3://w/100/new");
  EXPECT_EQ(catalog_->ListPartitions(table_.name)->back().location, many.back().location + "/new");
}

TEST_P(CatalogConformanceTest, OddValuesAreHeldOrRefused) {  // C-59
  const std::vector<std::optional<std::string>> values = {
      "a b",  "it's", "say \"x\"", "50%",    "a/b", "12:30", "a=b",    "Zürich", "日本",      "NULL",
      "null", "a\\b", "#1",        "[x]{y}", "%41", " lead", "trail ", "\x01",   std::nullopt};
  for (const auto& value : values) {
    const HivePartition partition = Partition({value, "eu"}, "s3://warehouse/odd");
    const Status added = Add(partition);
    if (value && std::count(GetParam().refused_values.begin(), GetParam().refused_values.end(), *value) > 0) {
      EXPECT_EQ(added.code(), Code::kInvalidArgument) << *value;
      continue;
    }
    ASSERT_TRUE(added.ok()) << value.value_or("null") << ": " << added.ToString();
    const auto there = catalog_->GetPartition(table_.name, partition.values);
    ASSERT_TRUE(there.ok()) << value.value_or("null") << ": " << there.status().ToString();
    EXPECT_EQ(there->values, partition.values);
  }
  EXPECT_EQ(catalog_->ListPartitions(table_.name)->size(), values.size() - GetParam().refused_values.size());
  EXPECT_EQ(CodeOf(Add(Partition({"", "eu"}, "s3://warehouse/odd"))), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf(Add(Partition({"__HIVE_DEFAULT_PARTITION__", "eu"}, "s3://warehouse/odd"))), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf(Add(Partition({"one value"}, "s3://warehouse/odd"))), Code::kInvalidArgument);
}

TEST_P(CatalogConformanceTest, ADroppedPartitionIsGone) {
  ASSERT_TRUE(Add(Partition({"1", "eu"}, "s3://warehouse/1")).ok());
  const HivePartition seen = *catalog_->GetPartition(table_.name, {"1", "eu"});
  ASSERT_TRUE(catalog_->DropPartition(table_.name, {"1", "eu"}).ok());
  EXPECT_EQ(CodeOf(catalog_->GetPartition(table_.name, {"1", "eu"})), Code::kNotFound);
  EXPECT_EQ(CodeOf(catalog_->DropPartition(table_.name, {"1", "eu"})), Code::kNotFound);
  EXPECT_EQ(CodeOf(Update(seen)), Code::kNotFound);
}

TEST_P(CatalogConformanceTest, OfRacingUpdatesOneWinsEachRound) {
  if (!catalog_->compares_and_swaps()) GTEST_SKIP() << "this catalog cannot compare and swap";
  ASSERT_TRUE(Add(Partition({"1", "eu"}, "s3://warehouse/0")).ok());
  constexpr int kThreads = 4, kRounds = 10;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::atomic<int> failures{0};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const auto catalog = open_();
      for (int done = 0; done < kRounds;) {
        auto seen = catalog->GetPartition(table_.name, {"1", "eu"});
        if (!seen.ok()) {
          ++failures;
          return;
        }
        seen->location = "s3://warehouse/" + std::to_string(std::stoi(seen->location.substr(15)) + 1);
        const Status swapped = One(catalog->UpdatePartitions(table_.name, {*seen}));
        if (swapped.ok()) ++done;
        if (!swapped.ok() && swapped.code() != Code::kPreconditionFailed) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(catalog_->GetPartition(table_.name, {"1", "eu"})->location,
            "s3://warehouse/" + std::to_string(kThreads * kRounds));
}

}  // namespace tidegate::catalog
