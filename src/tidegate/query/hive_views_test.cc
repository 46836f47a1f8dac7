#include "tidegate/query/hive_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/catalog/embedded/embedded_catalog.h"
#include "tidegate/store/local/local_object_store.h"

namespace tidegate::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DuckDbTypeOfHiveTest, ReadsHivesTypes) {
  const std::pair<const char*, const char*> types[] = {
      {"bigint", "BIGINT"},
      {"STRING", "VARCHAR"},
      {"varchar(10)", "VARCHAR"},
      {"decimal(10, 2)", "DECIMAL(10,2)"},
      {"decimal", "DECIMAL(10,0)"},
      {"array<struct<a:int, b c:map<string,double>>>", "STRUCT(\"a\" INTEGER, \"b c\" MAP(VARCHAR, DOUBLE))[]"}};
  for (const auto& [hive, duckdb] : types) EXPECT_EQ(*DuckDbTypeOfHive(hive), duckdb) << hive;
  for (const char* wrong :
       {"", "int>", "array<int", "struct<int>", "uniontype<int>", "decimal(x)", "int int", "map<int>", "decimal(1,2"}) {
    EXPECT_EQ(DuckDbTypeOfHive(wrong).status().code(), Code::kUnsupported) << wrong;
  }
  std::string deep = "int";
  for (int i = 0; i < 1000; ++i) deep = "array<" + deep + ">";
  EXPECT_FALSE(DuckDbTypeOfHive(deep).ok());
}

class HiveViewsTest : public testing::Test {
 protected:
  void SetUp() override {
    catalog_ = *catalog::EmbeddedCatalog::Open((folder_.path() / "hive.db").string());
    const catalog::HiveTable table{.name = {"sales", "daily"},
                                   .columns = {{"id", "bigint"}, {"note", "string"}},
                                   .partition_columns = {{"day", "date"}, {"region", "string"}},
                                   .location = folder_.path().string()};
    ASSERT_TRUE(catalog_->CreateTable(table).ok());
  }

  void Write(const std::string& file, const std::string& select) {
    std::filesystem::create_directories((folder_.path() / file).parent_path());
    ASSERT_TRUE(db_.Execute("COPY (" + select + ") TO " + engine::SqlText((folder_.path() / file).string())).ok());
  }

  void Add(const catalog::PartitionValues& values, const std::string& place) {
    const catalog::HivePartition partition{.values = values, .location = "file://" + (folder_.path() / place).string()};
    ASSERT_TRUE(catalog_->AddPartitions({"sales", "daily"}, {partition})->at(0).ok());
  }

  Result<std::vector<engine::TextRow>> Ask(const std::string& sql) {
    TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", {}));
    const OpenLocation open = [](const std::string& location) -> Result<std::unique_ptr<store::ObjectStore>> {
      TG_ASSIGN_OR_RETURN(auto store, store::LocalObjectStore::Make(location.substr(7), {}));
      return std::unique_ptr<store::ObjectStore>(std::move(store));
    };
    TG_RETURN_IF_ERROR(CreateHiveViews(db, *catalog_, sql, open));
    return db.QueryAll(sql);
  }

  const TempDirForTest folder_;
  std::unique_ptr<catalog::EmbeddedCatalog> catalog_;
  engine::DuckDb db_ = *engine::DuckDb::Open(":memory:", {});
};

TEST_F(HiveViewsTest, ReadsWhatTheCatalogPointsTo) {
  Write("day=1/run=a/x.parquet", "SELECT 1::BIGINT AS id, 'old' AS note");
  Write("day=1/run=b/x.parquet", "SELECT 2::BIGINT AS id, 'new' AS note");
  Write("day=1/run=b/_hidden.parquet", "SELECT 9::BIGINT AS id, 'hidden' AS note");
  Write("it's [2]/x.parquet", "SELECT 3::BIGINT AS id");  // an older file, without a column
  Add({"2026-11-01", "eu"}, "day=1/run=b");
  Add({"2026-11-02", std::nullopt}, "it's [2]");
  EXPECT_THAT(*Ask("SELECT * FROM sales.daily ORDER BY id"),
              ElementsAre(ElementsAre("2", "new", "2026-11-01", "eu"),
                          ElementsAre("3", std::nullopt, "2026-11-02", std::nullopt)));
  EXPECT_THAT(*Ask("SELECT count(*) FROM sales.daily WHERE day = '2026-11-01'"), ElementsAre(ElementsAre("1")));
}

TEST_F(HiveViewsTest, ATableWithoutPartitionsIsEmptyAndHasItsColumns) {
  EXPECT_TRUE(Ask("SELECT id, note, day, region FROM sales.daily")->empty());
}

TEST_F(HiveViewsTest, APartitionWhoseFolderIsGoneIsAnErrorAndNoHole) {
  Add({"2026-11-01", "eu"}, "nowhere");
  const auto rows = Ask("SELECT * FROM sales.daily");
  EXPECT_EQ(rows.status().code(), Code::kNotFound);
  EXPECT_THAT(rows.status().message(), HasSubstr("'sales.daily'"));
}

TEST_F(HiveViewsTest, OtherTablesAreRefusedWhereTheyAreNamed) {
  ASSERT_TRUE(catalog_->CreateTable({.name = {"a", "v"}, .kind = catalog::TableKind::kView}).ok());
  EXPECT_EQ(Ask("SELECT * FROM a.v").status().code(), Code::kUnsupported);
  EXPECT_TRUE(Ask("SELECT * FROM sales.daily").ok());
}

}  // namespace
}  // namespace tidegate::query
